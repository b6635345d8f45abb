/* Adjusts several metrics of the same pairs by flipping their coins together (Westfall and Young,
   1993): flip.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "flip.h"
#include "kit/stats/random.h"

/* Scores of all metrics, one row of `pairs` numbers per metric; 0 if a metric lacks a pair. */
struct table {
    int32_t *score;
    size_t pairs;
    double *scale; /* per metric: 1 / root of the sum of squares; 0 if all scores are 0 */
    double *z;     /* per metric: the observed statistic */
    int32_t *coin; /* per pair: 1 or -1 */
};

static int32_t sum_of(const int32_t *score, const int32_t *coin, size_t n)
{
    int32_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += score[i] * coin[i];
    return sum;
}

static void fill_table(struct table *t, const struct tch_flip_series *series, size_t count)
{
    for (size_t i = 0; i < t->pairs; i++)
        t->coin[i] = 1;
    for (size_t k = 0; k < count; k++) {
        int32_t *row = t->score + k * t->pairs;
        double squares = 0;

        for (size_t i = 0; i < series[k].count; i++) {
            row[series[k].pair[i]] = series[k].score[i];
            squares += (double)series[k].score[i] * series[k].score[i];
        }
        t->scale[k] = squares > 0 ? 1 / sqrt(squares) : 0;
        t->z[k] = t->scale[k] * sum_of(row, t->coin, t->pairs);
    }
}

/* Turns the bits of a number into the coins of up to 64 pairs. */
static void set_coins(int32_t *coin, size_t n, uint64_t bits)
{
    for (size_t i = 0; i < n; i++, bits >>= 1)
        coin[i] = bits & 1 ? 1 : -1;
}

static void throw_coins(int32_t *coin, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i += 64)
        set_coins(coin + i, n - i < 64 ? n - i : 64, tch_random_bits(state));
}

/* Counts, for each metric, the flips whose largest z is at least that of the metric. Tries all
   outcomes if `all` is set, in the order of their bits. */
static void count_flips(struct table *t, size_t count, size_t flips, bool all, double *reached)
{
    uint64_t state = 1993;

    for (size_t b = 0; b < flips; b++) {
        double largest = -INFINITY;

        /* Metrics that are correlated stay so, because all of them use the same coins. */
        if (all)
            set_coins(t->coin, t->pairs, b);
        else
            throw_coins(t->coin, t->pairs, &state);
        for (size_t k = 0; k < count; k++)
            if (t->scale[k] > 0)
                largest =
                    fmax(largest, t->scale[k] * sum_of(t->score + k * t->pairs, t->coin, t->pairs));
        for (size_t k = 0; k < count; k++)
            reached[k] += largest >= t->z[k];
    }
}

/* Sets p of a metric from the number of flips that reached its statistic. The observed outcome is
   one of all outcomes, but has to be added to random ones. */
static double adjusted(double p, double reached, size_t flips, bool all)
{
    return fmax(p, all ? reached / (double)flips : (1 + reached) / (1 + (double)flips));
}

int tch_flip_max_t(const struct tch_flip_series *series, size_t count, size_t pairs, size_t flips,
                   double *p, tacho_error *err)
{
    struct table t = {.score = calloc(count * pairs + 1, sizeof *t.score),
                      .pairs = pairs,
                      .scale = calloc(3 * count + 1, sizeof *t.scale),
                      .coin = calloc(pairs + 1, sizeof *t.coin)};
    bool all = pairs <= TCH_FLIP_LISTED;
    int status = 0;

    if (all)
        flips = (size_t)1 << pairs;
    if (t.score && t.scale && t.coin) {
        double *reached = t.scale + 2 * count;

        t.z = t.scale + count;
        fill_table(&t, series, count);
        count_flips(&t, count, flips, all, reached);
        for (size_t k = 0; k < count; k++)
            p[k] = t.scale[k] > 0 ? adjusted(p[k], reached[k], flips, all) : 1;
    } else {
        status = tch_fail_memory(err);
    }
    free(t.score);
    free(t.scale);
    free(t.coin);
    return status;
}
