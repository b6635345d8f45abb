/* Computes order statistics of a stream of numbers. */
#include "stream_stats.h"

#include <math.h>

#include "base/array.h"
#include "base/fail.h"
#include "order_stats.h"

enum {
    MANTISSA = 7, /* bits of the mantissa that distinguish buckets: each is 1/128 wide */
    SHIFT = 52 - MANTISSA,
    BUCKETS = 1 << (64 - SHIFT),
    FIRST_ROOM = 4096,
    PART = 256, /* numbers per partial sum */
};

/* Returns the bucket of x: its bits, mapped to the same order as the doubles, without the low
   ones. */
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

    if (fabs(middle) < 0x1p-1021) /* so close to 0 that the number added was 0 */
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
    free(s->weights);
    s->counts = NULL;
    s->values = NULL;
    s->weights = NULL;
}

/* Makes room for n more numbers. If they do not fit, keeps only the histogram from now on. */
static void make_room(struct tch_stream *s, size_t n)
{
    if (n <= s->most - s->n && tch_array_reserve(&s->values, &s->room, s->n + n) == 0) {
        s->room = s->room < s->most ? s->room : s->most; /* pages past it are never touched */
        return;
    }
    free(s->values);
    s->values = NULL;
}

/* Adds the moments of n more numbers (T. F. Chan, G. H. Golub and R. J. LeVeque, 1983). */
static void add_moments(struct tch_stream *s, long double mean, long double squares, uint64_t n)
{
    long double off = mean - s->mean;
    long double share = (long double)n / (long double)(s->n + n);

    s->mean += off * share;
    s->squares += squares + off * off * share * (long double)s->n;
}

/* Computes the mean of at most PART numbers and the sum of the squared distances from it. Uses
   doubles, which are fast and accurate enough for so few numbers, and long doubles if a square
   overflows. */
static void part_moments(const double *values, size_t n, long double *mean, long double *squares)
{
    double sum = 0;
    double first;
    double off_sum = 0;
    double off_squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    first = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = values[i] - first;

        off_sum += off;
        off_squares += off * off;
    }
    if (off_squares > 1e-280 && off_squares < 1e300) {
        *mean = (long double)first +
                off_sum / (double)n; /* the second term corrects the rounding of the first */
        *squares = off_squares - off_sum / (double)n * off_sum;
        return;
    }
    *mean = *squares = 0;
    for (size_t i = 0; i < n; i++)
        *mean += (long double)values[i] / n;
    for (size_t i = 0; i < n; i++)
        *squares += (values[i] - *mean) * (values[i] - *mean);
}

static void add_part(struct tch_stream *s, const double *values, size_t n)
{
    long double mean;
    long double squares;
    double min = s->min;
    double max = s->max;

    for (size_t i = 0; i < n; i++) {
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
        s->counts[bucket_of(values[i])]++;
    }
    part_moments(values, n, &mean, &squares);
    add_moments(s, mean, squares, n);
    if (s->values && n > s->room - s->n)
        make_room(s, n);
    if (s->values)
        memcpy(s->values + s->n, values, n * sizeof *values);
    s->n += n;
    s->min = min;
    s->max = max;
}

void tch_stream_add_all(struct tch_stream *s, const double *values, size_t n)
{
    for (size_t part; n > 0; n -= part, values += part) {
        part = n < PART ? n : PART;
        add_part(s, values, part);
    }
}

int tch_stream_add_weight(struct tch_stream *s, double value, uint64_t count, tacho_error *err)
{
    if (tch_array_reserve(&s->weights, &s->weight_room, s->weight_count + 1) < 0)
        return tch_fail_memory(err);
    free(s->values);
    s->values = NULL;
    s->weights[s->weight_count++] = (struct tch_weight){value, count};
    add_moments(s, value, 0, count);
    s->n += count;
    return 0;
}

double tch_stream_mean(const struct tch_stream *s)
{
    return (double)s->mean;
}

double tch_stream_stddev(const struct tch_stream *s)
{
    if (s->n < 2 || s->min == s->max)
        return 0;
    return (double)sqrtl(s->squares / (long double)(s->n - 1));
}

/* Finds the bucket that contains a rank, and how many values are in the buckets before it. */
static size_t find_rank(const uint64_t *counts, uint64_t rank, uint64_t *before)
{
    size_t bucket = 0;

    for (*before = 0; *before + counts[bucket] < rank; bucket++)
        *before += counts[bucket];
    return bucket;
}

/* The numbers from which values_at() selects: values, or their distances from `from`. */
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

/* Finds the exact values at some ranks: collects and sorts the values of the buckets that contain
   them. */
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

/* Returns the value at a rank, which is at most the sum of all counts. */
static double weight_at(const struct tch_weight *weights, uint64_t rank)
{
    uint64_t before = 0;

    for (; before + weights->count < rank; weights++)
        before += weights->count;
    return weights->value;
}

int tch_stream_at(const struct tch_stream *s, const uint64_t *ranks, size_t count, double *ret,
                  tacho_error *err)
{
    struct chosen p = {.s = s, .counts = s->counts};

    if (s->values)
        return values_at(&p, ranks, count, ret, err);
    if (s->weights) {
        for (size_t r = 0; r < count; r++)
            ret[r] = weight_at(s->weights, ranks[r]);
        return 0;
    }
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

static int by_value(const void *a, const void *b)
{
    double x = ((const struct tch_weight *)a)->value;
    double y = ((const struct tch_weight *)b)->value;

    return (x > y) - (x < y);
}

/* Copies the buckets that are not empty. Returns NULL if memory runs out. */
static struct tch_weight *copy_buckets(const struct tch_stream *s, size_t *count)
{
    struct tch_weight *ret = malloc((s->weights ? s->weight_count : BUCKETS) * sizeof *ret);

    *count = 0;
    if (ret && s->weights) {
        memcpy(ret, s->weights, s->weight_count * sizeof *ret);
        *count = s->weight_count;
    } else if (ret) {
        for (size_t b = 0; b < BUCKETS; b++)
            if (s->counts[b] > 0)
                ret[(*count)++] = (struct tch_weight){middle_of(s, b), s->counts[b]};
    }
    return ret;
}

static int mad_of_buckets(const struct tch_stream *s, double from, const uint64_t ranks[2],
                          double *ret, tacho_error *err)
{
    size_t count;
    struct tch_weight *off = copy_buckets(s, &count);
    double low;

    if (!off)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        off[i].value = fabs(off[i].value - from);
    qsort(off, count, sizeof *off, by_value);
    low = weight_at(off, ranks[0]);
    *ret = low + (weight_at(off, ranks[1]) - low) / 2;
    free(off);
    return 0;
}

int tch_stream_mad(const struct tch_stream *s, double from, double *ret, tacho_error *err)
{
    const uint64_t ranks[2] = {(s->n + 1) / 2, s->n / 2 + 1};
    struct chosen p = {.s = s, .distances = true, .from = from};
    uint64_t *counts;
    double middle[2];
    int status;

    if (!s->values)
        return mad_of_buckets(s, from, ranks, ret, err);
    counts = calloc(BUCKETS, sizeof *counts);
    if (!counts)
        return tch_fail_memory(err);
    for (uint64_t i = 0; i < s->n; i++)
        counts[bucket_of(value_of(&p, i))]++;
    p.counts = counts;
    status = values_at(&p, ranks, 2, middle, err);
    if (status == 0)
        *ret = middle[0] + (middle[1] - middle[0]) / 2;
    free(counts);
    return status;
}

/* Returns how many requests were not sent because one took `value`. */
static double missing_before(double value, double interval)
{
    return value >= 2 * interval ? floor(value / interval) - 1 : 0;
}

/* Copies all numbers as far as they are known: the values, or the buckets. Returns NULL if memory
   runs out. */
static struct tch_weight *copy_all(const struct tch_stream *s, size_t *count)
{
    struct tch_weight *ret;

    if (!s->values)
        return copy_buckets(s, count);
    ret = malloc((s->n + 1) * sizeof *ret);
    for (*count = 0; ret && *count < s->n; (*count)++)
        ret[*count] = (struct tch_weight){s->values[*count], 1};
    return ret;
}

/* Adds `count` numbers of one value to the values or the buckets of the stream. */
static int add_copies(struct tch_stream *s, double value, uint64_t count, tacho_error *err)
{
    if (s->weights)
        return tch_stream_add_weight(s, value, count, err);
    if (s->values && count == 1) {
        tch_stream_add(s, value);
        return 0;
    }
    s->counts[bucket_of(value)] += count;
    add_moments(s, value, 0, count);
    s->n += count;
    return 0;
}

int tch_stream_correct(struct tch_stream *s, double interval, uint64_t *added, tacho_error *err)
{
    size_t count;
    struct tch_weight *list = copy_all(s, &count);
    double all = 0;
    int status = 0;

    if (!list)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        all += missing_before(list[i].value, interval) * (double)list[i].count;
    if (all > 1e12)
        status = tch_fail(err, TACHO_ELIMIT, 0,
                          "the interval is too short: it would add more than 10^12 numbers");
    if (s->values && status == 0 && all > (double)(s->most - s->n)) {
        free(s->values);
        s->values = NULL; /* the values would not fit; the histogram answers from now on */
    }
    for (size_t i = 0; i < count && status == 0; i++)
        for (double k = missing_before(list[i].value, interval); k > 0 && status == 0; k--)
            status = add_copies(s, list[i].value - k * interval, list[i].count, err);
    if (s->weights)
        qsort(s->weights, s->weight_count, sizeof *s->weights, by_value);
    for (size_t i = 0; i < count; i++)
        if (missing_before(list[i].value, interval) > 0)
            s->min = fmin(s->min, interval + fmod(list[i].value, interval));
    *added = (uint64_t)all;
    free(list);
    return status;
}

/* Returns the index of the first edge above the value. */
static size_t edge_above(const double *edges, size_t count, double value)
{
    size_t e = 0;

    while (e < count && value >= edges[e])
        e++;
    return e;
}

/* Returns whether an edge splits the bucket. Otherwise all its values fall between the same two
   edges. */
static bool is_split(const double *edges, size_t count, size_t bucket)
{
    double low = edge_of((uint64_t)bucket << SHIFT);
    double high = edge_of(((uint64_t)bucket << SHIFT) | (((uint64_t)1 << SHIFT) - 1));

    return edge_above(edges, count, low) != edge_above(edges, count, high);
}

void tch_stream_below(const struct tch_stream *s, const double *edges, size_t count, uint64_t *ret)
{
    memset(ret, 0, count * sizeof *ret);
    for (size_t i = 0; i < s->weight_count; i++) {
        size_t e = edge_above(edges, count, s->weights[i].value);

        if (e < count)
            ret[e] += s->weights[i].count;
    }
    for (size_t b = 0; b < BUCKETS; b++)
        if (s->counts[b] > 0 && !(s->values && is_split(edges, count, b))) {
            size_t e = edge_above(edges, count, middle_of(s, b));

            if (e < count)
                ret[e] += s->counts[b];
        }
    for (uint64_t i = 0; s->values && i < s->n; i++) {
        double value = s->values[i];

        /* Only values near an edge can be in a bucket that an edge splits. */
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
