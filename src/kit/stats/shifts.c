/* Finds the changes of a series. The header describes the method. */
#include "shifts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "order_stats.h"
#include "rank_null.h"
#include "shifts_place.h"
#include "split_test.h"

enum {
    SHORTEST = 2 * TCH_SHIFT_SIDE,
    STEPS_PER_LENGTH = 4, /* intervals start at every quarter of their length */
};

/* A p that quick tests overestimate with ties is computed again if it is at most this times c. */
static const double near_level = 1000;

struct interval {
    size_t from;
    size_t to; /* its values are from … to - 1 */
    size_t at;
    double p;
    bool dropped;
};

struct search {
    const double *y;
    size_t n;
    double inflation; /* of the variance, by dependence */
    double level;     /* c */
    size_t *by_value; /* indices of all values, in order of the values */
    size_t *sorted;   /* the same of one interval */
    unsigned *rank2;
    struct interval *intervals;
    size_t count;
    size_t room;
    size_t *cuts;     /* the splits that were found */
    size_t cut_count; /* grows by tch_array_extend() */
};

/* Returns p as it is if values depend on each other. */
static double inflate(double p, double inflation)
{
    if (inflation <= 1 || p >= 1)
        return p;
    return 2 * tch_normal_above(tch_normal_cut(p / 2) / sqrt(inflation));
}

struct by_value {
    double value;
    size_t index;
};

static int compare_values(const void *a, const void *b)
{
    const struct by_value *x = a;
    const struct by_value *y = b;

    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int sort_all(struct search *s)
{
    struct by_value *pairs = malloc(s->n * sizeof *pairs);

    if (!pairs)
        return TACHO_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        pairs[i] = (struct by_value){s->y[i], i};
    qsort(pairs, s->n, sizeof *pairs, compare_values);
    for (size_t i = 0; i < s->n; i++)
        s->by_value[i] = pairs[i].index;
    free(pairs);
    return 0;
}

/* Puts the indices of an interval in order of their values. A short one is sorted by insertion, a
   long one is picked out of the order of all. */
static void sort_interval(struct search *s, size_t from, size_t to)
{
    size_t count = 0;

    if ((to - from) * (to - from) / 4 > s->n) {
        for (size_t i = 0; i < s->n; i++)
            if (s->by_value[i] >= from && s->by_value[i] < to)
                s->sorted[count++] = s->by_value[i];
        return;
    }
    for (size_t i = from; i < to; i++) {
        size_t j = count++;

        for (; j > 0 && s->y[s->sorted[j - 1]] > s->y[i]; j--)
            s->sorted[j] = s->sorted[j - 1];
        s->sorted[j] = i;
    }
}

static struct tch_split_ranks rank_interval(struct search *s, size_t from, size_t to)
{
    size_t n = to - from;
    struct tch_split_ranks ranks = {.value = s->y + from, .rank2 = s->rank2, .n = n};

    sort_interval(s, from, to);
    for (size_t i = 0, end; i < n; i = end) {
        double off;

        for (end = i + 1; end < n && s->y[s->sorted[end]] <= s->y[s->sorted[i]]; end++)
            ranks.tied = true;
        for (size_t j = i; j < end; j++)
            s->rank2[s->sorted[j] - from] = (unsigned)(i + 1 + end);
        off = (double)(i + 1 + end) - (double)(n + 1);
        ranks.squares += off * off * (double)(end - i);
    }
    return ranks;
}

/* Finds the split with the smallest quick p, and tests that one given the ties. */
static void best_split(struct search *s, struct interval *interval)
{
    size_t n = interval->to - interval->from;
    struct tch_split_ranks ranks = rank_interval(s, interval->from, interval->to);
    double sum2 = 0;
    double at_best = 0;
    size_t best = TCH_SHIFT_SIDE;

    interval->p = 2;
    for (size_t before = 1; before + TCH_SHIFT_SIDE <= n; before++) {
        double p;

        sum2 += s->rank2[before - 1];
        if (before < TCH_SHIFT_SIDE)
            continue;
        p = tch_split_p_quick(&ranks, before, sum2);
        if (p < interval->p) {
            interval->p = p;
            at_best = sum2;
            best = before;
        }
    }
    if (ranks.tied && interval->p <= near_level * s->level)
        interval->p = tch_split_p(&ranks, best, at_best);
    interval->p = inflate(interval->p, s->inflation);
    interval->at = interval->from + best;
}

/* Tests the split at `at` of the values from … to - 1. */
static double test_split(struct search *s, size_t from, size_t at, size_t to)
{
    struct tch_split_ranks ranks = rank_interval(s, from, to);
    double sum2 = 0;

    for (size_t i = 0; i < at - from; i++)
        sum2 += s->rank2[i];
    return inflate(tch_split_p(&ranks, at - from, sum2), s->inflation);
}

static int add_interval(struct search *s, size_t from, size_t to, bool keep_all)
{
    struct interval interval = {.from = from, .to = to};

    best_split(s, &interval);
    if (!keep_all && interval.p > s->level)
        return 0;
    if (tch_array_reserve(&s->intervals, &s->room, s->count + 1) < 0)
        return TACHO_ENOMEM;
    s->intervals[s->count++] = interval;
    return 0;
}

/* Adds the intervals of all lengths: n, n / sqrt(2), n / 2, … */
static int add_intervals(struct search *s, bool keep_all)
{
    for (double length = (double)s->n; length >= SHORTEST; length /= sqrt(2)) {
        size_t len = (size_t)length;
        size_t step = len / STEPS_PER_LENGTH > 0 ? len / STEPS_PER_LENGTH : 1;
        size_t from = 0;

        for (;; from += step) {
            /* The last one ends with the series, where a change is news. */
            if (from + len > s->n)
                from = s->n - len;
            if (add_interval(s, from, from + len, keep_all) < 0)
                return TACHO_ENOMEM;
            if (from + len == s->n)
                break;
        }
    }
    return 0;
}

/* Returns the narrowest interval that is left, of several the one with the smallest p; NULL: none.
 */
static struct interval *narrowest(struct search *s)
{
    struct interval *best = NULL;

    for (size_t i = 0; i < s->count; i++) {
        struct interval *one = &s->intervals[i];
        size_t len = one->to - one->from;

        if (one->dropped)
            continue;
        if (!best || len < best->to - best->from ||
            (len == best->to - best->from && one->p < best->p))
            best = one;
    }
    return best;
}

static int compare_cuts(const void *a, const void *b)
{
    const size_t *x = a;
    const size_t *y = b;

    return (*x > *y) - (*x < *y);
}

static int select_cuts(struct search *s)
{
    struct interval *best;

    while ((best = narrowest(s)) != NULL) {
        size_t at = best->at;

        if (tch_array_extend(&s->cuts, s->cut_count) < 0)
            return TACHO_ENOMEM;
        s->cuts[s->cut_count++] = at;
        for (size_t i = 0; i < s->count; i++)
            if (s->intervals[i].from < at && at < s->intervals[i].to)
                s->intervals[i].dropped = true;
    }
    if (s->cut_count > 0)
        qsort(s->cuts, s->cut_count, sizeof *s->cuts, compare_cuts);
    return 0;
}

static size_t level_from(const struct search *s, size_t cut)
{
    return cut > 0 ? s->cuts[cut - 1] : 0;
}

static size_t level_to(const struct search *s, size_t cut)
{
    return cut + 1 < s->cut_count ? s->cuts[cut + 1] : s->n;
}

static void drop_cut(struct search *s, size_t cut)
{
    s->cut_count--;
    for (size_t i = cut; i < s->cut_count; i++)
        s->cuts[i] = s->cuts[i + 1];
}

/* Returns p of a cut if it does not hold; 0: it holds. Cuts less than a level apart are one change
   that was found twice, and the weakest of all. */
static double weakness(struct search *s, size_t cut)
{
    size_t from = level_from(s, cut);
    size_t to = level_to(s, cut);
    size_t at = s->cuts[cut];
    double p;

    if (at - from < TCH_SHIFT_SIDE || to - at < TCH_SHIFT_SIDE)
        return 2;
    p = test_split(s, from, at, to);
    return p > s->level ? p : 0;
}

static int place_cuts(struct search *s)
{
    for (size_t i = 0; i < s->cut_count; i++)
        if (tch_shift_place(s->y, level_from(s, i), level_to(s, i), &s->cuts[i], NULL, NULL) < 0)
            return TACHO_ENOMEM;
    return 0;
}

/* Places all cuts and drops the weakest, until all hold. A cut may look weak only because one
   beside it is misplaced, and the levels beside a dropped one become one, so each drop begins a new
   round. */
static int keep_what_holds(struct search *s)
{
    for (;;) {
        size_t weakest = 0;
        double most = 0;

        if (place_cuts(s) < 0)
            return TACHO_ENOMEM;
        for (size_t i = 0; i < s->cut_count; i++) {
            double w = weakness(s, i);

            if (w > most) {
                most = w;
                weakest = i;
            }
        }
        if (most <= 0)
            return 0;
        drop_cut(s, weakest);
    }
}

/* Splits levels in which there is a further change: an interval that was dropped because it
   contains a cut may be the only one that shows it. Without a cut this finds nothing new. */
static int split_levels(struct search *s)
{
    size_t before;

    do {
        before = s->cut_count;
        for (size_t i = 0; i <= s->cut_count; i++) {
            struct interval level = {.from = i > 0 ? s->cuts[i - 1] : 0,
                                     .to = i < s->cut_count ? s->cuts[i] : s->n};

            if (level.to - level.from < SHORTEST)
                continue;
            best_split(s, &level);
            if (level.p > s->level)
                continue;
            if (tch_array_extend(&s->cuts, s->cut_count) < 0)
                return TACHO_ENOMEM;
            for (size_t j = s->cut_count++; j > i; j--)
                s->cuts[j] = s->cuts[j - 1];
            s->cuts[i] = level.at;
        }
        if (keep_what_holds(s) < 0)
            return TACHO_ENOMEM;
    } while (s->cut_count > before);
    return 0;
}

/* Drops changes that are too small, those with the weakest evidence first. The others stay where
   they are: a small change beside one does not move it. */
static int drop_small(struct search *s, double min_change)
{
    for (;;) {
        size_t weakest = s->cut_count;
        double most = -1;

        for (size_t i = 0; i < s->cut_count; i++) {
            size_t from = level_from(s, i);
            size_t to = level_to(s, i);
            double change = tch_shift_change(s->y, from, s->cuts[i], to);
            double p;

            if (isnan(change))
                return TACHO_ENOMEM;
            if (fabs(change) >= min_change)
                continue;
            p = test_split(s, from, s->cuts[i], to);
            if (p > most) {
                most = p;
                weakest = i;
            }
        }
        if (weakest == s->cut_count)
            return 0;
        drop_cut(s, weakest);
    }
}

static int describe(struct search *s, struct tch_shifts *ret)
{
    ret->items = calloc(s->cut_count > 0 ? s->cut_count : 1, sizeof *ret->items);
    if (!ret->items)
        return TACHO_ENOMEM;
    ret->count = s->cut_count;
    for (size_t i = 0; i < s->cut_count; i++) {
        struct tch_shift *shift = &ret->items[i];
        size_t from = level_from(s, i);
        size_t to = level_to(s, i);

        shift->at = s->cuts[i];
        shift->p = test_split(s, from, shift->at, to);
        if (tch_shift_place(s->y, from, to, &(size_t){0}, &shift->first, &shift->last) < 0 ||
            tch_shift_size(s->y, from, shift->at, to, s->inflation, shift) < 0)
            return TACHO_ENOMEM;
        if (shift->first > shift->at)
            shift->first = shift->at;
        if (shift->last < shift->at)
            shift->last = shift->at;
    }
    return tch_shift_drift(s->y, s->n, s->cuts, s->cut_count, &ret->drift);
}

static void search_release(struct search *s)
{
    free(s->by_value);
    free(s->sorted);
    free(s->rank2);
    free(s->intervals);
    free(s->cuts);
}

static int search_init(struct search *s, const double *y, size_t n, double rho)
{
    *s = (struct search){.y = y, .n = n, .inflation = (1 + rho) / (1 - rho)};
    s->by_value = malloc((n + 1) * sizeof *s->by_value);
    s->sorted = malloc((n + 1) * sizeof *s->sorted);
    s->rank2 = malloc((n + 1) * sizeof *s->rank2);
    return s->by_value && s->sorted && s->rank2 && sort_all(s) == 0 ? 0 : TACHO_ENOMEM;
}

static int find(struct search *s, const struct tch_shift_options *options, struct tch_shifts *ret)
{
    if (add_intervals(s, false) < 0 || select_cuts(s) < 0 || keep_what_holds(s) < 0 ||
        split_levels(s) < 0 || drop_small(s, options->min_change) < 0)
        return TACHO_ENOMEM;
    return describe(s, ret);
}

int tch_shifts_find(const double *y, size_t n, const struct tch_shift_options *options,
                    struct tch_shifts *ret, tacho_error *err)
{
    struct search s = {0};
    int status = TACHO_ENOMEM;

    *ret = (struct tch_shifts){0};
    if (!(options->alpha > 0 && options->alpha < 1) || !(options->min_change >= 0))
        return tch_fail(err, TACHO_EINVAL, 0, "alpha must be between 0 and 1");
    if (n > TCH_SHIFT_MOST)
        return tch_fail(err, TACHO_ELIMIT, 0, "a series of more than %d values", TCH_SHIFT_MOST);
    if (n < SHORTEST)
        return 0;
    ret->rho = tch_shifts_correlation(y, n);
    if (isnan(ret->rho) || search_init(&s, y, n, ret->rho) < 0)
        goto out;
    s.level = tch_shifts_level(n, options->alpha);
    status = find(&s, options, ret);
out:
    search_release(&s);
    if (status < 0) {
        tch_shifts_release(ret);
        return tch_fail_memory(err);
    }
    return 0;
}

void tch_shifts_release(struct tch_shifts *s)
{
    free(s->items);
    *s = (struct tch_shifts){0};
}

double tch_shifts_smallest(const double *y, size_t n, double rho)
{
    struct search s = {0};
    double smallest = 1;

    if (search_init(&s, y, n, rho) < 0) {
        search_release(&s);
        return NAN;
    }
    s.level = 1;
    if (add_intervals(&s, true) < 0)
        smallest = NAN;
    for (size_t i = 0; i < s.count && !isnan(smallest); i++)
        smallest = fmin(smallest, s.intervals[i].p);
    search_release(&s);
    return smallest;
}
