/* Implements the sign-flip test and its inversion, which flip.h describes. flip_joint.c has the
   joint distribution of several metrics. */
#include "flip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "order_stats.h"
#include "rank_null.h"
#include "rank_test.h"

enum { STEPS_MOST = 200 }; /* doublings or halvings of a search: more than a double has bits */

static const double clip = (double)TCH_FLIP_MOST / TCH_FLIP_UNIT;
static const double close_enough = 1e-15; /* difference of logarithms: the last digit of a ratio */

/* Returns the median of |e| over the values that are not 0, or 0 when all are 0. */
static double scale_of(const double *e, size_t n, double *room)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (fabs(e[i]) > TCH_FLIP_ZERO)
            room[count++] = fabs(e[i]);
    return count > 0 ? tch_median(room, count) : 0;
}

void tch_flip_scores(const double *e, size_t n, double *room, int *scores)
{
    double s = scale_of(e, n, room);

    for (size_t i = 0; i < n; i++) {
        int w = 0;

        if (fabs(e[i]) > TCH_FLIP_ZERO)
            w = (int)rint(TCH_FLIP_UNIT * fmin(fabs(e[i]) / s, clip));
        scores[i] = e[i] < 0 ? -w : w;
    }
}

double tch_flip_least(size_t n)
{
    return ldexp(1, n < 1000 ? -(int)n : -1000);
}

/* --- Tails --- */

/* Computes P(S < last) and P(S = last). The counts are at most 2^500, so they do not overflow.
   Pairs of weight 0 change nothing and are left out. */
static void count_coins(const int *scores, size_t n, size_t last, double *counts, double *less,
                        double *same)
{
    int thrown = 0;

    memset(counts, 0, (last + 1) * sizeof *counts);
    counts[0] = 1;
    for (size_t i = 0; i < n; i++) {
        size_t w = (size_t)abs(scores[i]);

        thrown += w > 0;
        for (size_t s = last; w > 0 && s >= w; s--)
            counts[s] += counts[s - w];
    }
    *less = 0;
    for (size_t s = 0; s < last; s++)
        *less += counts[s];
    *less = ldexp(*less, -thrown);
    *same = ldexp(counts[last], -thrown);
}

/* Computes both tails. `counts` has as many entries as tch_flip_room() says. */
static struct tch_flip_tails tails_of(const int *scores, size_t n, double *counts)
{
    struct tch_flip_tails tails = {.exact = n <= TCH_FLIP_EXACT};
    size_t all = 0;
    size_t t = 0;
    double squares = 0;
    double less;
    double same;

    for (size_t i = 0; i < n; i++) {
        all += (size_t)abs(scores[i]);
        t += scores[i] > 0 ? (size_t)scores[i] : 0;
        squares += (double)scores[i] * scores[i];
    }
    if (!tails.exact) {
        double sum = 2 * (double)t - (double)all;
        double sd = sqrt(squares);

        tails.above = sd > 0 ? tch_normal_above((sum - 1) / sd) : 1;
        tails.below = sd > 0 ? tch_normal_above((-sum - 1) / sd) : 1;
    } else if (2 * t >= all) { /* S and its mirror image are equally likely */
        count_coins(scores, n, all - t, counts, &less, &same);
        tails.above = fmin(1, less + same);
        tails.below = 2 * t == all ? tails.above : 1 - less;
    } else {
        count_coins(scores, n, t, counts, &less, &same);
        tails.below = fmin(1, less + same);
        tails.above = 1 - less;
    }
    return tails;
}

/* The arrays that a test of n pairs needs, in one allocation. */
struct room {
    const double *slope; /* how much each difference falls per unit of the constant; NULL: 1 */
    double *counts;
    double *e;
    double *sorted;
    int *scores;
    int *inside;  /* scores at the innermost constant known to be inside the interval */
    int *outside; /* scores at the constant known to be outside */
};

static int room_init(struct room *r, size_t n, tacho_error *err)
{
    size_t counted = (n <= TCH_FLIP_EXACT ? n : 0) * TCH_FLIP_MOST / 2 + 1;

    r->counts = malloc((counted + 2 * n) * sizeof(double) + 3 * n * sizeof(int));
    if (!r->counts)
        return tch_fail_memory(err);
    r->e = r->counts + counted;
    r->sorted = r->e + n;
    r->scores = (int *)(r->sorted + n);
    r->inside = r->scores + n;
    r->outside = r->inside + n;
    return 0;
}

int tch_flip_test(const double *e, size_t n, struct tch_flip_tails *ret, tacho_error *err)
{
    struct room r = {0};

    if (room_init(&r, n, err) < 0)
        return TACHO_ENOMEM;
    tch_flip_scores(e, n, r.sorted, r.scores);
    *ret = tails_of(r.scores, n, r.counts);
    free(r.counts);
    return 0;
}

/* --- Inversion --- */

static void shift(const double *d, size_t n, double by, const struct room *r)
{
    for (size_t i = 0; i < n; i++)
        r->e[i] = d[i] - by * (r->slope ? r->slope[i] : 1);
}

/* Returns the sum of the unrounded scores at a constant. It falls as the constant grows. */
static double score_sum(const double *d, size_t n, double at, const struct room *r)
{
    double sum = 0;
    double s;

    shift(d, n, at, r);
    s = scale_of(r->e, n, r->sorted);
    for (size_t i = 0; i < n; i++)
        if (fabs(r->e[i]) > TCH_FLIP_ZERO)
            sum += copysign(fmin(fabs(r->e[i]) / s, clip), r->e[i]);
    return sum;
}

/* Searches outward from the median until the sum changes its sign, then bisects. */
static double find_estimate(const double *d, size_t n, double middle, double step,
                            const struct room *r)
{
    double at_middle = score_sum(d, n, middle, r);
    double sign = at_middle > 0 ? 1 : -1;
    double near = middle;
    double far = middle + sign * step;

    if (at_middle == 0 || step == 0)
        return middle;
    for (int i = 0; i < STEPS_MOST && sign * score_sum(d, n, far, r) > 0; i++) {
        near = far;
        far += sign * (step *= 2);
    }
    for (int i = 0; i < STEPS_MOST && fabs(far - near) > close_enough; i++) {
        double between = near + (far - near) / 2;
        double sum = score_sum(d, n, between, r);

        if (sum == 0)
            return between;
        if (sign * sum > 0)
            near = between;
        else
            far = between;
    }
    return near + (far - near) / 2;
}

/* Returns the tail at a constant. It falls as the constant leaves the interval in the direction of
   `sign`. */
static double tail_at(const double *d, size_t n, double at, double sign, const struct room *r)
{
    struct tch_flip_tails tails;

    shift(d, n, at, r);
    tch_flip_scores(r->e, n, r->sorted, r->scores);
    /* Most constants between two with known tails give the same scores as one of the two. Their
       tail need not be computed again. */
    if (memcmp(r->scores, r->inside, n * sizeof *r->scores) == 0)
        return 1;
    if (memcmp(r->scores, r->outside, n * sizeof *r->scores) == 0)
        return 0;
    tails = tails_of(r->scores, n, r->counts);
    return sign < 0 ? tails.above : tails.below;
}

static double find_end(const double *d, size_t n, double estimate, double step, double sign,
                       double least, const struct room *r)
{
    double near = estimate;
    double far = estimate + sign * step;
    int steps = 0;

    memset(r->inside, 0x7f, n * sizeof *r->inside); /* a value that no score can have */
    memset(r->outside, 0x7f, n * sizeof *r->outside);
    for (; steps < STEPS_MOST && tail_at(d, n, far, sign, r) > least; steps++) {
        near = far;
        far += sign * (step *= 2);
        memcpy(r->inside, r->scores, n * sizeof *r->inside);
    }
    if (steps == STEPS_MOST)
        return sign * INFINITY; /* too few differences depend on the constant */
    memcpy(r->outside, r->scores, n * sizeof *r->outside);
    for (int i = 0; i < STEPS_MOST && fabs(far - near) > close_enough; i++) {
        double between = near + (far - near) / 2;
        bool in = tail_at(d, n, between, sign, r) > least;

        memcpy(in ? r->inside : r->outside, r->scores, n * sizeof *r->scores);
        if (in)
            near = between;
        else
            far = between;
    }
    return near + (far - near) / 2;
}

/* Returns the median distance from the middle; if that is 0, the smallest distance that is not
   0. */
static double spread_of(const double *d, size_t n, double middle, double *room)
{
    double least = 0;
    double median;

    for (size_t i = 0; i < n; i++) {
        room[i] = fabs(d[i] - middle);
        if (room[i] > TCH_FLIP_ZERO && (least == 0 || room[i] < least))
            least = room[i];
    }
    median = tch_median(room, n);
    return median > TCH_FLIP_ZERO ? median : least;
}

int tch_flip_interval(const double *d, size_t n, double alpha, struct tch_flip_interval *ret,
                      tacho_error *err)
{
    struct room r = {0};
    double middle;
    double step;

    if (room_init(&r, n, err) < 0)
        return TACHO_ENOMEM;
    memcpy(r.e, d, n * sizeof *d);
    middle = tch_median(r.e, n);
    step = spread_of(d, n, middle, r.sorted);
    *ret = (struct tch_flip_interval){
        .estimate = find_estimate(d, n, middle, step / 4, &r), .low = -INFINITY, .high = INFINITY};
    if (tch_flip_least(n) <= alpha / 2 && step == 0) {
        ret->low = ret->high = ret->estimate; /* all pairs are equal */
    } else if (tch_flip_least(n) <= alpha / 2) {
        ret->low = find_end(d, n, ret->estimate, step / 2, -1, alpha / 2, &r);
        ret->high = find_end(d, n, ret->estimate, step / 2, 1, alpha / 2, &r);
    }
    free(r.counts);
    return 0;
}

/* Puts the ratios y / x of the pairs with an x above 0 in `ratio`. Returns how many there are. */
static size_t list_ratios(const double *x, const double *y, size_t n, double *ratio)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (x[i] > 0)
            ratio[count++] = y[i] / x[i];
    return count;
}

int tch_flip_ratio(const double *x, const double *y, size_t n, double alpha,
                   struct tch_flip_interval *ret, tacho_error *err)
{
    struct room r = {0};
    size_t count;
    double middle;
    double step;

    *ret = (struct tch_flip_interval){.estimate = INFINITY, .low = 0, .high = INFINITY};
    if (room_init(&r, n, err) < 0)
        return TACHO_ENOMEM;
    r.slope = x;
    count = list_ratios(x, y, n, r.e);
    if (count > 0) {
        middle = tch_median(r.e, count);
        list_ratios(x, y, n, r.e);
        step = spread_of(r.e, count, middle, r.sorted);
        step = step > 0 ? step : middle > 0 ? middle : 1;
        ret->estimate = fmax(0, find_estimate(y, n, middle, step / 4, &r));
        ret->low = fmax(0, find_end(y, n, ret->estimate, step / 2, -1, alpha / 2, &r));
        ret->high = find_end(y, n, ret->estimate, step / 2, 1, alpha / 2, &r);
    }
    free(r.counts);
    return 0;
}
