/* Sequences are made, run and checked one at a time; only the run itself is timed. */
#include "workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attention.h"
#include "random.h"
#include "reference.h"

/* q, k, v and the output of the longest sequence together. */
static const size_t max_floats = (size_t)1 << 29;

/* One sequence: each tensor is heads x len x dim, in memory made for the longest. */
struct sample {
    size_t heads, len, dim;
    float *q, *k, *v, *out;
};

static int sample_init(struct sample *s, size_t heads, size_t max_len, size_t dim)
{
    size_t floats = heads * max_len * dim;

    *s = (struct sample){.heads = heads, .dim = dim};
    s->q = malloc(floats * 4 * sizeof(float));
    if (!s->q)
        return -1;
    s->k = s->q + floats;
    s->v = s->k + floats;
    s->out = s->v + floats;
    return 0;
}

static void sample_release(struct sample *s)
{
    free(s->q);
}

static void fill(float *tensor, size_t count, uint64_t *random, float size)
{
    for (size_t i = 0; i < count; i++)
        tensor[i] = random_float(random, size);
}

/* The sample is a function of the seed and its number alone, whatever ran before it. q and k are
   large enough that some weights of a row are a hundred times others. */
static void sample_make(struct sample *s, const struct options *o, size_t number)
{
    uint64_t seed = o->seed;
    uint64_t random = random_next(&seed) + number;
    size_t count;

    s->len = (size_t)random_between(&random, o->min_len, o->max_len);
    count = s->heads * s->len * s->dim;
    fill(s->q, count, &random, 2);
    fill(s->k, count, &random, 2);
    fill(s->v, count, &random, 1);
}

static void sample_run(const struct sample *s, struct attention *a)
{
    size_t head = s->len * s->dim;

    for (size_t h = 0; h < s->heads; h++)
        attention_softmax(a, s->q + h * head, s->k + h * head, s->v + h * head, s->len,
                          s->out + h * head);
}

/* room is for max_len + dim doubles. A difference that is not a number counts as infinite. */
static double sample_difference(const struct sample *s, double *room)
{
    size_t head = s->len * s->dim;
    double *row = room + s->len;
    double largest = 0;

    for (size_t at = 0; at < s->heads * head; at += s->dim) {
        size_t h = at / head;

        reference_softmax_row(s->q + h * head, s->k + h * head, s->v + h * head, s->len, s->dim,
                              at % head / s->dim, room, row);
        for (size_t c = 0; c < s->dim; c++) {
            double diff = fabs((double)s->out[at + c] - row[c]);

            largest = fmax(largest, isnan(diff) ? (double)INFINITY : diff);
        }
    }
    return largest;
}

/* FNV-1a, a float at a time. */
static uint64_t add_to_checksum(uint64_t sum, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        sum = (sum ^ bits) * 0x100000001B3u;
    }
    return sum;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_all(const struct options *o, struct sample *s, struct attention *a, double *room,
                    struct workload_result *ret)
{
    for (size_t i = 0; i < o->samples; i++) {
        double start;

        sample_make(s, o, i);
        start = now();
        sample_run(s, a);
        ret->seconds[i] = now() - start;
        ret->operations +=
            4.0 * (double)s->heads * (double)s->len * (double)s->len * (double)s->dim;
        ret->checksum = add_to_checksum(ret->checksum, s->out, s->heads * s->len * s->dim);
        if (o->check)
            ret->largest_diff = fmax(ret->largest_diff, sample_difference(s, room));
    }
}

enum workload_status workload_run(const struct options *o, struct workload_result *ret)
{
    enum workload_status status = WORKLOAD_NO_MEMORY;
    struct attention a = {0};
    struct sample s = {0};
    double *room = NULL;

    *ret = (struct workload_result){.checksum = 0xCBF29CE484222325u};
    if (o->max_len * o->dim > max_floats / 4 / o->heads)
        return WORKLOAD_TOO_LARGE;
    ret->seconds = calloc(o->samples, sizeof ret->seconds[0]);
    room = calloc(o->max_len + o->dim, sizeof room[0]);
    if (!ret->seconds || !room || sample_init(&s, o->heads, o->max_len, o->dim) < 0 ||
        attention_init(&a, o->max_len, o->dim) < 0) {
        free(ret->seconds);
        ret->seconds = NULL;
        goto out;
    }
    run_all(o, &s, &a, room, ret);
    status = ret->largest_diff <= WORKLOAD_TOLERANCE ? WORKLOAD_OK : WORKLOAD_WRONG;
out:
    attention_release(&a);
    sample_release(&s);
    free(room);
    return status;
}
