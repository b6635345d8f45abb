/* Order statistics of a stream of numbers. */
#include "stream_stats.h"

#include <math.h>

#include "base/array.h"
#include "base/fail.h"
#include "order_stats.h"

enum {
    MANTISSA = 7, /* bits of it that tell buckets apart: each is 1/128 wide */
    SHIFT = 52 - MANTISSA,
    BUCKETS = 1 << (64 - SHIFT),
    FIRST_ROOM = 4096,
    PART = 256, /* values of a partial sum */
};

/* The bits of a double, turned so that they rise as it does, less those that do not matter. */
static inline size_t bucket_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits ^= bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63;
    return (size_t)(bits >> SHIFT);
}

static double edge_of(uint64_t bits)
{
    double x;

    bits ^= bits >> 63 ? (uint64_t)1 << 63 : UINT64_MAX;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double middle_of(const struct tch_stream *s, size_t bucket)
{
    double low = edge_of((uint64_t)bucket << SHIFT);
    double high = edge_of(((uint64_t)bucket << SHIFT) | (((uint64_t)1 << SHIFT) - 1));
    double middle = low + (high - low) / 2;

    if (fabs(middle) < 0x1p-1021) /* next to nothing: it is 0 that came */
        middle = 0;
    return middle < s->min ? s->min : middle > s->max ? s->max : middle;
}

int tch_stream_init(struct tch_stream *s, size_t limit, tacho_error *err)
{
    *s = (struct tch_stream){.min = INFINITY, .max = -INFINITY, .most = limit / sizeof *s->values};
    s->counts = calloc(BUCKETS, sizeof *s->counts);
    s->room = s->most < FIRST_ROOM ? s->most : FIRST_ROOM;
    s->values = s->room > 0 ? malloc(s->room * sizeof *s->values) : NULL;
    if (!s->counts || (s->room > 0 && !s->values)) {
        tch_stream_release(s);
        return tch_fail_memory(err);
    }
    return 0;
}

void tch_stream_release(struct tch_stream *s)
{
    free(s->counts);
    free(s->values);
    s->counts = NULL;
    s->values = NULL;
}

/* Room for n more, or from now on a histogram alone. */
static void make_room(struct tch_stream *s, size_t n)
{
    if (n <= s->most - s->n && tch_array_reserve(&s->values, &s->room, s->n + n) == 0) {
        s->room = s->room < s->most ? s->room : s->most; /* pages past it are never touched */
        return;
    }
    free(s->values);
    s->values = NULL;
}

/* At most PART of them: doubles are quick, and so few lose nothing. */
static void add_part(struct tch_stream *s, const double *values, size_t n)
{
    double sum = 0;
    double squares = 0;
    double min = s->min;
    double max = s->max;

    for (size_t i = 0; i < n; i++) {
        double off = values[i] - s->shift;

        sum += off;
        squares += off * off;
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
        s->counts[bucket_of(values[i])]++;
    }
    if (s->values && n > s->room - s->n)
        make_room(s, n);
    if (s->values)
        memcpy(s->values + s->n, values, n * sizeof *values);
    s->n += n;
    s->min = min;
    s->max = max;
    s->sum += sum;
    s->squares += squares;
}

void tch_stream_add_all(struct tch_stream *s, const double *values, size_t n)
{
    if (s->n == 0 && n > 0)
        s->shift = values[0]; /* small numbers are summed then, not the difference of large ones */
    for (size_t part; n > 0; n -= part, values += part) {
        part = n < PART ? n : PART;
        add_part(s, values, part);
    }
}

void tch_stream_add_count(struct tch_stream *s, double value, uint64_t count)
{
    long double off;

    if (s->n == 0)
        s->shift = value;
    off = (long double)value - s->shift;
    free(s->values);
    s->values = NULL;
    s->counts[bucket_of(value)] += count;
    s->n += count;
    s->sum += off * count;
    s->squares += off * off * count;
}

double tch_stream_mean(const struct tch_stream *s)
{
    return s->n > 0 ? (double)(s->shift + s->sum / s->n) : 0;
}

double tch_stream_stddev(const struct tch_stream *s)
{
    long double variance;

    if (s->n < 2 || s->min == s->max)
        return 0;
    variance = (s->squares - s->sum * s->sum / s->n) / (s->n - 1);
    return variance > 0 ? (double)sqrtl(variance) : 0;
}

/* The bucket of a rank, and how many values are in those before it. */
static size_t find_rank(const uint64_t *counts, uint64_t rank, uint64_t *before)
{
    size_t bucket = 0;

    for (*before = 0; *before + counts[bucket] < rank; bucket++)
        *before += counts[bucket];
    return bucket;
}

/* The numbers that values_at() chooses from: values, or their distances from `from`. */
struct chosen {
    const struct tch_stream *s;
    const uint64_t *counts;
    bool distances;
    double from;
};

static double value_of(const struct chosen *p, size_t i)
{
    return p->distances ? fabs(p->s->values[i] - p->from) : p->s->values[i];
}

/* Exactly: the values of the buckets that hold a rank are collected and sorted. */
static int values_at(const struct chosen *p, const uint64_t *ranks, size_t count, double *ret,
                     tacho_error *err)
{
    uint8_t *wanted = calloc(BUCKETS, 1);
    double *near = NULL;
    size_t many = 0;
    size_t at = 0;

    for (size_t r = 0; wanted && r < count; r++) {
        uint64_t before;
        size_t bucket = find_rank(p->counts, ranks[r], &before);

        many += wanted[bucket] ? 0 : p->counts[bucket];
        wanted[bucket] = 1;
    }
    near = wanted ? malloc((many + 1) * sizeof *near) : NULL;
    if (!near) {
        free(wanted);
        return tch_fail_memory(err);
    }
    for (uint64_t i = 0; i < p->s->n; i++) {
        double value = value_of(p, i);

        if (wanted[bucket_of(value)])
            near[at++] = value;
    }
    tch_sort(near, many);
    for (size_t r = 0; r < count; r++) {
        uint64_t skipped = 0; /* values of smaller rank that were not collected */
        uint64_t before;
        size_t bucket = find_rank(p->counts, ranks[r], &before);

        for (size_t b = 0; b < bucket; b++)
            skipped += wanted[b] ? 0 : p->counts[b];
        ret[r] = near[ranks[r] - 1 - skipped];
    }
    free(near);
    free(wanted);
    return 0;
}

int tch_stream_at(const struct tch_stream *s, const uint64_t *ranks, size_t count, double *ret,
                  tacho_error *err)
{
    struct chosen p = {.s = s, .counts = s->counts};

    if (s->values)
        return values_at(&p, ranks, count, ret, err);
    for (size_t r = 0; r < count; r++) {
        uint64_t before;

        ret[r] = middle_of(s, find_rank(s->counts, ranks[r], &before));
    }
    return 0;
}

int tch_stream_median(const struct tch_stream *s, double *ret, tacho_error *err)
{
    const uint64_t ranks[2] = {(s->n + 1) / 2, s->n / 2 + 1};
    double middle[2];
    int status = tch_stream_at(s, ranks, 2, middle, err);

    if (status == 0)
        *ret = middle[0] + (middle[1] - middle[0]) / 2;
    return status;
}

int tch_stream_mad(const struct tch_stream *s, double from, double *ret, tacho_error *err)
{
    uint64_t *counts = calloc(BUCKETS, sizeof *counts);
    struct chosen p = {.s = s, .counts = counts, .distances = true, .from = from};
    const uint64_t ranks[2] = {(s->n + 1) / 2, s->n / 2 + 1};
    double middle[2] = {0};
    uint64_t before;
    int status = 0;

    if (!counts)
        return tch_fail_memory(err);
    if (s->values) {
        for (uint64_t i = 0; i < s->n; i++)
            counts[bucket_of(value_of(&p, i))]++;
        status = values_at(&p, ranks, 2, middle, err);
    } else {
        for (size_t b = 0; b < BUCKETS; b++)
            if (s->counts[b] > 0)
                counts[bucket_of(fabs(middle_of(s, b) - from))] += s->counts[b];
        for (int i = 0; i < 2; i++)
            middle[i] = edge_of((uint64_t)find_rank(counts, ranks[i], &before) << SHIFT);
    }
    *ret = middle[0] + (middle[1] - middle[0]) / 2;
    free(counts);
    return status;
}

/* The first edge that is above the value. */
static size_t edge_above(const double *edges, size_t count, double value)
{
    size_t e = 0;

    while (e < count && value >= edges[e])
        e++;
    return e;
}

/* A bucket whose two ends fall between the same edges need not be looked into. */
static bool is_split(const double *edges, size_t count, size_t bucket)
{
    double low = edge_of((uint64_t)bucket << SHIFT);
    double high = edge_of(((uint64_t)bucket << SHIFT) | (((uint64_t)1 << SHIFT) - 1));

    return edge_above(edges, count, low) != edge_above(edges, count, high);
}

void tch_stream_below(const struct tch_stream *s, const double *edges, size_t count, uint64_t *ret)
{
    memset(ret, 0, count * sizeof *ret);
    for (size_t b = 0; b < BUCKETS; b++)
        if (s->counts[b] > 0 && !(s->values && is_split(edges, count, b))) {
            size_t e = edge_above(edges, count, middle_of(s, b));

            if (e < count)
                ret[e] += s->counts[b];
        }
    for (uint64_t i = 0; s->values && i < s->n; i++) {
        double value = s->values[i];

        /* Only what is near an edge can be in a bucket that one splits. */
        for (size_t e = 0; e < count; e++)
            if (bucket_of(value) == bucket_of(edges[e])) {
                size_t above = edge_above(edges, count, value);

                if (is_split(edges, count, bucket_of(value)) && above < count)
                    ret[above]++;
                break;
            }
    }
    for (size_t e = 1; e < count; e++)
        ret[e] += ret[e - 1];
}
