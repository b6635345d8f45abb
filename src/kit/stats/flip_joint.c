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

/* Counts, for each metric, the flips whose largest z is at least that of the metric. */
static void count_flips(struct table *t, size_t count, size_t flips, double *reached)
{
    uint64_t state = 1993;

    for (size_t b = 0; b < flips; b++) {
        double largest = -INFINITY;
        uint64_t bits = 0;

        /* Metrics that are correlated stay so, because all of them use the same coins. */
        for (size_t i = 0; i < t->pairs; i++, bits >>= 1) {
            if (i % 64 == 0)
                bits = tch_random_bits(&state);
            t->coin[i] = bits & 1 ? 1 : -1;
        }
        for (size_t k = 0; k < count; k++)
            if (t->scale[k] > 0)
                largest =
                    fmax(largest, t->scale[k] * sum_of(t->score + k * t->pairs, t->coin, t->pairs));
        for (size_t k = 0; k < count; k++)
            reached[k] += largest >= t->z[k];
    }
}

int tch_flip_max_t(const struct tch_flip_series *series, size_t count, size_t pairs, size_t flips,
                   double *p, tacho_error *err)
{
    struct table t = {.score = calloc(count * pairs + 1, sizeof *t.score),
                      .pairs = pairs,
                      .scale = calloc(2 * count + 1, sizeof *t.scale),
                      .coin = calloc(pairs + 1, sizeof *t.coin)};
    int status = 0;

    if (t.score && t.scale && t.coin) {
        t.z = t.scale + count;
        fill_table(&t, series, count);
        memset(p, 0, count * sizeof *p);
        count_flips(&t, count, flips, p);
        for (size_t k = 0; k < count; k++)
            p[k] = t.scale[k] > 0 ? (1 + p[k]) / (1 + (double)flips) : 1;
    } else {
        status = tch_fail_memory(err);
    }
    free(t.score);
    free(t.scale);
    free(t.coin);
    return status;
}
