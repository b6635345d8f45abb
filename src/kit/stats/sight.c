/* Computes the probability that pairs find a change: sight.h. */
#include "sight.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "flip.h"
#include "order_stats.h"
#include "rank_test.h"

enum { GUESSES = 9, HALVINGS = 40 };

static const double suspects = 0.15; /* share of unchanged metrics that are suspects, simulated */
static const double largest = 100;   /* no change is searched beyond this factor */

int tch_noise_measure(struct tch_noise *noise, const double *d, size_t count, double middle,
                      tacho_error *err)
{
    double *size = malloc((count + 1) * sizeof *size);

    if (!size)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        size[i] = fabs(d[i] - middle);
    tch_sort(size, count);
    noise->pairs = count;
    noise->kept = tch_thin(size, count, TCH_NOISE_KEPT);
    memcpy(noise->size, size, noise->kept * sizeof *size);
    free(size);
    return 0;
}

/* --- One analysis --- */

/* The distribution of the scores of one pair. */
struct scores {
    double mean;
    double square; /* mean square; 0: all differences are 0 */
    double fourth; /* mean fourth power */
};

static struct scores scores_of(const struct tch_noise *noise, double shift)
{
    double room[2 * TCH_NOISE_KEPT];
    struct scores s = {0};
    size_t count = 0;
    double scale;

    for (size_t i = 0; i < noise->kept; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double e = fabs(sign * noise->size[i] + shift);

            if (e > TCH_FLIP_ZERO)
                room[count++] = e;
        }
    if (count == 0)
        return s;
    scale = tch_median(room, count);
    for (size_t i = 0; i < noise->kept; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double e = sign * noise->size[i] + shift;
            double w = fmin(fabs(e) / scale, (double)TCH_FLIP_MOST / TCH_FLIP_UNIT);

            if (fabs(e) <= TCH_FLIP_ZERO)
                continue;
            s.mean += copysign(w, e) / (2 * (double)noise->kept);
            s.square += w * w / (2 * (double)noise->kept);
            s.fourth += w * w * w * w / (2 * (double)noise->kept);
        }
    return s;
}

/* The level of a test with its normal quantile, which takes long to compute. A level of 1/2 stands
   for an estimate beyond the shift 0. */
struct level {
    double p;
    double z;
};

static struct level level_of(double p)
{
    return (struct level){p, p < 0.5 ? tch_normal_cut(p) : 0};
}

/* Returns the probability that the p of n pairs is at most the level. */
static double reaches(const struct scores *s, double n, struct level level)
{
    double z = level.z;
    double cut;
    double sd;

    if (s->square <= 0 || n < -log2(level.p))
        return 0;
    cut = z - (z * z * z - 3 * z) * s->fourth / (s->square * s->square) / (12 * n);
    sd = sqrt(fmax(s->square - s->mean * s->mean, 1e-9 * s->square));
    return tch_normal_above((cut * sqrt(s->square) - sqrt(n) * s->mean) / sd);
}

/* Returns by how much the true noise exceeds the measured one at a quantile of what is likely, by
   the approximation of the chi-square distribution by E. B. Wilson and M. M. Hilferty (1931). */
static double guess(const struct tch_noise *noise, int i)
{
    double above = (i + 0.5) / GUESSES;
    double z = above < 0.5 ? tch_normal_cut(above) : above > 0.5 ? -tch_normal_cut(1 - above) : 0;
    double h = 2 / (9 * (double)noise->pairs);
    double cube = fmax(1 - h + z * sqrt(h), 0.1);

    return 1 / sqrt(cube * cube * cube);
}

/* --- A report --- */

/* Returns the probability that the fresh block FAILs. The number of suspects among the metrics that
   did not change has about the Poisson distribution. */
static double fresh_fails(const struct tch_sight_rule *rule, const struct scores *change)
{
    double expected = suspects * (double)(rule->metrics - 1);
    double most = expected + 6 * sqrt(expected) + 1;
    double weight = exp(-expected);
    double sum = 0;

    for (double others = 0; others <= most; others++) {
        sum += weight * reaches(change, (double)rule->fresh, level_of(rule->alpha / (others + 1)));
        weight *= expected / (others + 1);
    }
    return sum;
}

double tch_sight_share(const struct tch_noise *noise, const struct tch_sight_rule *rule,
                       double change)
{
    double n = (double)(rule->fresh > 0 ? rule->fresh : rule->pairs);
    double beyond = log1p(change) - log1p(rule->least);
    double sum = 0;

    for (int i = 0; i < GUESSES; i++) {
        double by = guess(noise, i);
        struct scores scores = scores_of(noise, log1p(change) / by);
        struct scores effect = scores_of(noise, beyond / by);
        double estimate = rule->least > 0 ? reaches(&effect, n, level_of(0.5)) : 1;
        double fails;

        if (rule->fresh > 0)
            fails = reaches(&scores, (double)rule->pairs, level_of(TCH_SIGHT_SCREEN)) *
                    fmin(fresh_fails(rule, &scores), estimate);
        else
            fails =
                fmin(reaches(&scores, n, level_of(rule->alpha / (double)rule->metrics)), estimate);
        sum += fails / GUESSES;
    }
    return change > 0 ? sum : 0;
}

double tch_sight_change(const struct tch_noise *noise, const struct tch_sight_rule *rule,
                        double share)
{
    double low = 0;
    double high = 1e-6;

    while (high < largest && tch_sight_share(noise, rule, high) < share) {
        low = high;
        high *= 2;
    }
    if (high >= largest)
        return INFINITY;
    for (int i = 0; i < HALVINGS && high - low > 1e-4 * high; i++) {
        double middle = (low + high) / 2;

        if (tch_sight_share(noise, rule, middle) < share)
            low = middle;
        else
            high = middle;
    }
    return high;
}

uint64_t tch_sight_pairs(const struct tch_noise *noise, double change, double share, double level)
{
    struct level least = level_of(level);
    struct scores scores[GUESSES];
    uint64_t low = 0;
    uint64_t high = 1;
    bool enough = false;

    for (int i = 0; i < GUESSES; i++)
        scores[i] = scores_of(noise, log1p(change) / guess(noise, i));
    while (!enough || high - low > 1) {
        uint64_t n = enough ? low + (high - low) / 2 : high;
        double sum = 0;

        for (int i = 0; i < GUESSES; i++)
            sum += reaches(&scores[i], (double)n, least) / GUESSES;
        if (sum >= share) {
            high = n;
            enough = true;
        } else {
            low = n;
            if (!enough && n > TCH_SIGHT_PAIRS_MOST)
                return 0;
            high = enough ? high : 2 * n;
        }
    }
    return high <= TCH_SIGHT_PAIRS_MOST ? high : 0;
}
