/* Finds the smallest visible change by drawing pairs again: sight.h. */
#include "sight.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "flip.h"
#include "kit/stats/random.h"
#include "order_stats.h"

enum { DOUBLINGS = 60, HALVINGS = 12 };

static const uint64_t seed = 20261118;

/* Interim analyses after `first`, 2 first … `pairs` pairs. */
struct analyses {
    size_t count;
    size_t pairs[TCH_ANALYSES_MAX];
    double level[TCH_ANALYSES_MAX]; /* one-sided level of each analysis */
};

static void plan_analyses(struct analyses *l, size_t first, size_t pairs, double alpha)
{
    double share[TCH_ANALYSES_MAX];

    l->count = 0;
    for (size_t n = first < pairs ? first : pairs; l->count < TCH_ANALYSES_MAX; n *= 2) {
        bool last = n >= pairs || l->count == TCH_ANALYSES_MAX - 1;

        l->pairs[l->count] = last ? pairs : n;
        share[l->count] = (double)l->pairs[l->count] / (double)pairs;
        l->level[l->count] = tch_spending_level(share, l->count, alpha);
        l->count++;
        if (last)
            break;
    }
}

/* Arrays of one draw. */
struct draw {
    double *d;
    double *e;
    double scale; /* median of the |d| that are not 0 */
};

static double scale_of(const double *d, size_t n, double *room)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (fabs(d[i]) > TCH_FLIP_ZERO)
            room[count++] = fabs(d[i]);
    return count > 0 ? tch_median(room, count) : 0;
}

/* Returns whether the first n pairs, changed by `shift`, are judged worse. */
static int says_worse(const struct draw *w, size_t n, double shift, double level, tacho_error *err)
{
    struct tch_flip_tails tails;

    for (size_t i = 0; i < n; i++)
        w->e[i] = w->d[i] + shift;
    if (tch_flip_test(w->e, n, &tails, err) < 0)
        return TACHO_ENOMEM;
    return tails.above <= level;
}

/* Finds the smallest shift at which the first n pairs are judged worse, accurate to a thousandth of
   their noise. */
static int find_cut(const struct draw *w, size_t n, double level, double *ret, tacho_error *err)
{
    double step = w->scale;
    double low = 0;
    double high = 0;
    int worse = tch_flip_least(n) <= level ? says_worse(w, n, step * 1e-3, level, err) : 0;

    *ret = INFINITY;
    if (tch_flip_least(n) > level || worse < 0)
        return worse;
    *ret = 0;
    if (step == 0)
        return 0; /* all pairs are equal: any change is seen */
    for (int i = 0; i < DOUBLINGS; i++, step *= 2) {
        int beyond = says_worse(w, n, worse ? -step : step, level, err);

        if (beyond < 0)
            return beyond;
        low = worse ? -step : high;
        high = worse ? high : step;
        if (beyond != worse)
            break;
        high = worse ? -step : high;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        int beyond = says_worse(w, n, middle, level, err);

        if (beyond < 0)
            return beyond;
        *(beyond ? &high : &low) = middle;
    }
    *ret = high;
    return 0;
}

/* Draws neighbouring pairs from a random place on, wrapping around at the end, and tosses a coin
   for each. */
static void draw_pairs(struct draw *w, const double *d, size_t count, size_t from, size_t pairs,
                       uint64_t *state)
{
    uint64_t coins = 0;

    for (size_t i = 0; i < pairs; i++, coins >>= 1) {
        if (i % 64 == 0)
            coins = tch_random_bits(state);
        w->d[i] = coins & 1 ? d[(from + i) % count] : -d[(from + i) % count];
    }
    w->scale = scale_of(w->d, pairs, w->e);
}

static int draw_all(struct tch_sight *s, const struct analyses *l, const double *d, size_t count,
                    double alpha, struct draw *w, tacho_error *err)
{
    size_t pairs = l->pairs[l->count - 1];
    uint64_t state = seed;
    int status = 0;

    for (size_t i = 0; i < TCH_SIGHT_DRAWS && status == 0; i++) {
        size_t from = tch_random_below(&state, count);
        size_t at = i * l->count;

        draw_pairs(w, d, count, from, pairs, &state);
        for (size_t k = 0; k < l->count && status == 0; k++)
            status = find_cut(w, l->pairs[k], l->level[k], &s->cut[at + k], err);
        draw_pairs(w, d, count, (from + pairs) % count, pairs, &state);
        for (size_t k = 0; k < l->count && status == 0; k++)
            status = find_cut(w, l->pairs[k], alpha, &s->fresh[at + k], err);
    }
    return status;
}

/* --- The curve --- */

/* A shift at which the number of draws that see the change goes up or down by one. */
struct step {
    double at;
    int by;
};

static int by_place(const void *a, const void *b)
{
    const struct step *x = a;
    const struct step *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

/* Lists where a draw begins and stops to see a change. Analysis k decides from its cut up to that
   of an earlier analysis, and the fresh block has to say FAIL, too. Returns the number of steps, at
   most 2 per analysis. */
static size_t list_steps(const struct tch_sight *s, size_t draw, struct step *steps)
{
    double end = INFINITY; /* from here on an earlier analysis decides */
    size_t count = 0;

    for (size_t k = 0; k < s->analyses; k++) {
        double cut = s->cut[draw * s->analyses + k];
        double from = fmax(cut, s->fresh[draw * s->analyses + k]);

        if (from < end) {
            steps[count++] = (struct step){from, 1};
            if (end < INFINITY)
                steps[count++] = (struct step){end, -1};
        }
        end = fmin(end, cut);
    }
    return count;
}

/* Makes the curve from all cuts. Each point becomes the smallest share of all larger changes. */
static int make_curve(struct tch_sight *s, tacho_error *err)
{
    size_t most = 2 * TCH_SIGHT_DRAWS * s->analyses;
    struct step *steps = malloc(most * sizeof *steps);
    int seen = 0;

    s->at = malloc(2 * most * sizeof *s->at);
    if (!steps || !s->at) {
        free(steps);
        return tch_fail_memory(err);
    }
    s->share = s->at + most;
    for (size_t i = 0; i < TCH_SIGHT_DRAWS; i++)
        s->points += list_steps(s, i, steps + s->points);
    qsort(steps, s->points, sizeof *steps, by_place);
    for (size_t i = 0; i < s->points; i++) {
        seen += steps[i].by;
        s->at[i] = steps[i].at;
        s->share[i] = (double)seen / TCH_SIGHT_DRAWS;
    }
    for (size_t i = s->points; i-- > 1;)
        s->share[i - 1] = fmin(s->share[i - 1], s->share[i]);
    free(steps);
    return 0;
}

int tch_sight_init(struct tch_sight *s, const double *d, size_t count, size_t first, size_t pairs,
                   double alpha, tacho_error *err)
{
    struct analyses analyses;
    struct draw w;
    int status;

    plan_analyses(&analyses, first, pairs, alpha);
    *s = (struct tch_sight){.analyses = analyses.count,
                            .cut = calloc(2 * TCH_SIGHT_DRAWS * analyses.count, sizeof *s->cut)};
    w = (struct draw){.d = malloc(2 * pairs * sizeof *w.d)};
    if (s->cut && w.d) {
        s->fresh = s->cut + TCH_SIGHT_DRAWS * analyses.count;
        w.e = w.d + pairs;
        status = draw_all(s, &analyses, d, count, alpha, &w, err);
    } else {
        status = tch_fail_memory(err);
    }
    if (status == 0)
        status = make_curve(s, err);
    free(w.d);
    return status;
}

void tch_sight_release(struct tch_sight *s)
{
    free(s->cut);
    free(s->at);
    *s = (struct tch_sight){0};
}

double tch_sight_share(const struct tch_sight *s, double change)
{
    double shift = log1p(change);
    size_t low = 0; /* points before this one are at or below the shift */
    size_t high = s->points;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->at[middle] <= shift)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && shift > TCH_FLIP_ZERO ? s->share[low - 1] : 0;
}

double tch_sight_change(const struct tch_sight *s, double share)
{
    size_t i = 0;

    while (i < s->points && s->share[i] < share)
        i++;
    return i < s->points ? fmax(expm1(s->at[i]), 1e-6) : INFINITY;
}
