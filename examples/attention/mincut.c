/*
 * Dinic's algorithm (1970) on a dense graph: two matrices instead of lists of edges.
 *
 * The flow found must be the same, bit by bit, as with lists to which edges were added in row
 * order, each with its reverse: float32 sums depend on the order of the paths. The list of node u
 * would be:
 *
 *     reverse of i -> u for i < u,  then u -> j for all j,  then reverse of i -> u for i > u
 *
 * which is the order in which arcs are numbered here: 0 ... u-1, u ... u+n-1, u+n ... 2n-2.
 */
#include "mincut.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int mincut_init(struct mincut *m, size_t max_len)
{
    m->max_len = max_len;
    m->forward = calloc(max_len * max_len, sizeof(float));
    m->back = calloc(max_len * max_len, sizeof(float));
    m->level = calloc(max_len, sizeof *m->level);
    m->queue = calloc(max_len, sizeof *m->queue);
    m->arc = calloc(max_len, sizeof *m->arc);
    m->path = calloc(max_len + 1, sizeof *m->path);
    if (m->forward && m->back && m->level && m->queue && m->arc && m->path)
        return 0;
    mincut_release(m);
    return -1;
}

void mincut_release(struct mincut *m)
{
    free(m->forward);
    free(m->back);
    free(m->level);
    free(m->queue);
    free(m->arc);
    free(m->path);
    *m = (struct mincut){0};
}

size_t mincut_bytes(size_t len)
{
    return 2 * len * len * sizeof(float) + 4 * len * sizeof(uint32_t);
}

/* Returns the free capacity of arc a of node u, and sets where it leads. */
static float *arc_of(const struct mincut *m, size_t n, size_t u, size_t a, size_t *to)
{
    if (a >= u && a < u + n) {
        *to = a - u;
        return &m->forward[u * n + *to];
    }
    *to = a < u ? a : a - n + 1;
    return &m->back[u * n + *to];
}

/* Computes distances from node 0 over arcs with free capacity, until node n-1 is reached. Nodes at
   the same distance or farther are not needed, so they may stay without one. */
static bool find_levels(struct mincut *m, size_t n)
{
    size_t head = 0;
    size_t tail = 1;

    for (size_t v = 0; v < n; v++)
        m->level[v] = -1;
    m->level[0] = 0;
    m->queue[0] = 0;
    while (head < tail && m->level[n - 1] < 0) {
        size_t u = m->queue[head++];
        const float *forward = m->forward + u * n;
        const float *back = m->back + u * n;

        for (size_t v = 0; v < n; v++)
            if (m->level[v] < 0 && (forward[v] > 0 || back[v] > 0)) {
                m->level[v] = m->level[u] + 1;
                m->queue[tail++] = (uint32_t)v;
            }
    }
    return m->level[n - 1] >= 0;
}

/* Finds the next arc of u, from the current one, that leads one level up and has free capacity. A
   node just below the last level leads only to node n-1: by its edge, or by the reverse of that
   edge. */
static bool find_arc(struct mincut *m, size_t n, size_t u)
{
    bool last = m->level[u] + 1 == m->level[n - 1];
    size_t to;

    for (size_t a = m->arc[u]; a < 2 * n - 1; a++) {
        if (last && a < u + n - 1)
            a = u + n - 1;
        else if (last && a > u + n - 1)
            a = 2 * n - 2;
        if (*arc_of(m, n, u, a, &to) > 0 && m->level[to] == m->level[u] + 1 &&
            (!last || to == n - 1)) {
            m->arc[u] = (uint32_t)a;
            return true;
        }
    }
    m->arc[u] = (uint32_t)(2 * n - 1);
    return false;
}

/* Sends as much flow along the path as its narrowest arc allows. Returns the length of the path up
   to the first arc that is full now, from where the search continues. */
static size_t push(struct mincut *m, size_t n, size_t length)
{
    float flow = FLT_MAX / 2;
    size_t full = length;
    size_t to;

    for (size_t i = 0; i < length; i++) {
        float room = *arc_of(m, n, m->path[i], m->arc[m->path[i]], &to);

        flow = room < flow ? room : flow;
    }
    for (size_t i = length; i-- > 0;) {
        size_t u = m->path[i];
        size_t a = m->arc[u];
        float *room = arc_of(m, n, u, a, &to);
        bool edge = a >= u && a < u + n;

        *room -= flow;
        *(edge ? &m->back[to * n + u] : &m->forward[to * n + u]) += flow;
        if (*room <= 0)
            full = i;
    }
    return full;
}

/* Fills all shortest paths, depth first. */
static void block(struct mincut *m, size_t n)
{
    size_t length = 0;

    memset(m->arc, 0, n * sizeof *m->arc);
    m->path[0] = 0;
    for (;;) {
        size_t u = m->path[length];

        if (u == n - 1) {
            length = push(m, n, length);
        } else if (find_arc(m, n, u)) {
            size_t to;

            (void)arc_of(m, n, u, m->arc[u], &to);
            m->path[++length] = (uint32_t)to;
        } else if (length == 0) {
            return;
        } else {
            length--;
            m->arc[m->path[length]]++;
        }
    }
}

static void gate_all(uint8_t *keep, size_t total, struct mincut_result *ret)
{
    memset(keep, 0, total);
    *ret = (struct mincut_result){.total = total};
}

static float capacity(float logit, float eps)
{
    return logit > eps ? logit : 0;
}

/* Returns whether the edge crosses the cut, from the side of node 0 to the other side. */
static bool is_cut(const struct mincut *m, size_t i, size_t j)
{
    return m->level[i] >= 0 && m->level[j] < 0;
}

static float cost_of_cut(const struct mincut *m, const float *logits, size_t n, float eps)
{
    float cost = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n && m->level[i] >= 0; j++)
            if (is_cut(m, i, j))
                cost += capacity(logits[i * n + j], eps);
    return cost;
}

void mincut_gate(struct mincut *m, const float *logits, size_t len, float lambda, float eps,
                 uint8_t *keep, struct mincut_result *ret)
{
    size_t total = len * len;
    size_t edges = 0;
    float sum = 0;
    float cost;
    bool cut;

    for (size_t i = 0; i < total; i++) {
        float c = capacity(logits[i], eps);

        m->forward[i] = c;
        keep[i] = c > 0;
        edges += c > 0;
        sum += c;
    }
    if (edges == 0 || len < 2) {
        gate_all(keep, total, ret);
        return;
    }
    memset(m->back, 0, total * sizeof *m->back);
    while (find_levels(m, len))
        block(m, len);
    cost = cost_of_cut(m, logits, len, eps);
    cut = cost <= lambda * (sum / (float)edges);
    *ret = (struct mincut_result){.cut_cost = cut ? cost : 0, .kept = edges, .total = total};
    for (size_t i = 0; i < len && cut; i++)
        for (size_t j = 0; j < len; j++)
            if (keep[i * len + j] && is_cut(m, i, j)) {
                keep[i * len + j] = 0;
                ret->kept--;
            }
}
