/* Compares the dense minimum cut with the same algorithm on lists of edges, written in the
   simplest way. Both have the same residues bit by bit, and therefore the same mask and cost,
   for every matrix. */
#include "support/test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "mincut.h"
#include "random.h"

enum { MOST = 40, MOST_ARCS = 2 * MOST * MOST };

/* Arc 2e is edge e, arc 2e + 1 its reverse. */
struct graph {
    size_t n;
    size_t arcs;
    size_t to[MOST_ARCS];
    float room[MOST_ARCS];
    size_t list[MOST][2 * MOST];
    size_t count[MOST];
    size_t next[MOST];
    int level[MOST];
};

static void add_arc(struct graph *g, size_t from, size_t to, float room)
{
    g->to[g->arcs] = to;
    g->room[g->arcs] = room;
    g->list[from][g->count[from]++] = g->arcs++;
}

static bool levels(struct graph *g)
{
    size_t queue[MOST];
    size_t head = 0;
    size_t tail = 0;

    for (size_t i = 0; i < g->n; i++) {
        g->level[i] = -1;
        g->next[i] = 0;
    }
    g->level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        size_t u = queue[head++];

        for (size_t i = 0; i < g->count[u]; i++) {
            size_t arc = g->list[u][i];

            if (g->room[arc] > 0 && g->level[g->to[arc]] < 0) {
                g->level[g->to[arc]] = g->level[u] + 1;
                queue[tail++] = g->to[arc];
            }
        }
    }
    return g->level[g->n - 1] >= 0;
}

static float send(struct graph *g, size_t u, float most)
{
    if (u == g->n - 1)
        return most;
    for (; g->next[u] < g->count[u]; g->next[u]++) {
        size_t arc = g->list[u][g->next[u]];
        float sent;

        if (!(g->room[arc] > 0) || g->level[g->to[arc]] != g->level[u] + 1)
            continue;
        sent = send(g, g->to[arc], g->room[arc] < most ? g->room[arc] : most);
        if (sent > 0) {
            g->room[arc] -= sent;
            g->room[arc ^ 1] += sent;
            return sent;
        }
    }
    return 0;
}

static float plain_cut(const float *logits, size_t n, float lambda, float eps, uint8_t *keep)
{
    static struct graph g;
    float sum = 0;
    float cost = 0;
    size_t edges;

    memset(&g, 0, sizeof g);
    g.n = n;
    for (size_t i = 0; i < n * n; i++) {
        keep[i] = logits[i] > eps;
        if (keep[i]) {
            add_arc(&g, i / n, i % n, logits[i]);
            add_arc(&g, i % n, i / n, 0);
            sum += logits[i];
        }
    }
    edges = g.arcs / 2;
    if (edges == 0 || n < 2) {
        memset(keep, 0, n * n);
        return 0;
    }
    while (levels(&g))
        while (send(&g, 0, FLT_MAX / 2) > 0)
            ;
    for (size_t i = 0; i < n * n; i++)
        if (keep[i] && g.level[i / n] >= 0 && g.level[i % n] < 0)
            cost += logits[i];
    if (cost > lambda * (sum / (float)edges))
        return 0;
    for (size_t i = 0; i < n * n; i++)
        if (g.level[i / n] >= 0 && g.level[i % n] < 0)
            keep[i] = 0;
    return cost;
}

/* Matrices from nearly empty ones, in which paths are long, to full ones. */
static void cuts_like_the_simple_algorithm(void **state)
{
    uint64_t random = 5;
    size_t cut = 0;
    struct mincut m = {0};

    (void)state;
    assert_int_equal(mincut_init(&m, MOST), 0);
    for (int i = 0; i < 3000; i++) {
        size_t n = (size_t)random_between(&random, 1, MOST);
        float below = random_float(&random, 1);
        float logits[MOST * MOST];
        uint8_t expected[MOST * MOST];
        uint8_t keep[MOST * MOST];
        struct mincut_result r;
        float cost;
        size_t kept = 0;

        for (size_t j = 0; j < n * n; j++)
            logits[j] = random_float(&random, 1) - below;
        cost = plain_cut(logits, n, 20, 0.01f, expected);
        mincut_gate(&m, logits, n, 20, 0.01f, keep, &r);
        assert_memory_equal(keep, expected, n * n);
        assert_memory_equal(&r.cut_cost, &cost, sizeof cost);
        for (size_t j = 0; j < n * n; j++)
            kept += keep[j];
        assert_int_equal(r.kept, kept);
        cut += cost > 0;
    }
    assert_true(cut > 500);
    mincut_release(&m);
}

/* Token 0 attends weakly to key 1, token 1 strongly to the last key; 0 and 2 attend to
   themselves. The cut separates 0 from 1 and 2. No other token asks for key 1, so its column is
   removed, and its place in the KV cache with it. A key that its own token asks for stays,
   whatever is cut. */
static void a_cut_frees_the_keys_that_only_the_source_side_asks_for(void **state)
{
    static const float only_source[9] = {4, 0.1f, -1, -1, -1, 4, -1, -1, 4};
    static const float itself_too[9] = {4, 0.1f, -1, -1, 4, 4, -1, -1, 4};
    static const uint8_t freed[9] = {1, 0, 0, 0, 0, 1, 0, 0, 1};
    static const uint8_t kept[9] = {1, 0, 0, 0, 1, 1, 0, 0, 1};
    static const uint8_t by_eps[9] = {1, 1, 0, 0, 0, 1, 0, 0, 1};
    struct mincut m = {0};
    struct mincut_result r;
    uint8_t keep[9];

    (void)state;
    assert_int_equal(mincut_init(&m, 3), 0);
    mincut_gate(&m, only_source, 3, 0.5f, 0.01f, keep, &r);
    assert_memory_equal(keep, freed, 9);
    assert_true(r.cut_cost == 0.1f);
    mincut_gate(&m, itself_too, 3, 0.5f, 0.01f, keep, &r);
    assert_memory_equal(keep, kept, 9);
    mincut_gate(&m, only_source, 3, 0, 0.01f, keep, &r);
    assert_memory_equal(keep, by_eps, 9); /* lambda 0: eps alone */
    assert_true(r.cut_cost == 0);
    mincut_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_like_the_simple_algorithm),
        cmocka_unit_test(a_cut_frees_the_keys_that_only_the_source_side_asks_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
