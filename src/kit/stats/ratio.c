/*
 * Computes the ratio of pairs, by flip.h, and of two samples, by rank statistics of their
 * logarithms.
 *
 * Two samples: the estimate is that of J. L. Hodges and E. L. Lehmann (1963), the median of all
 * differences. The interval inverts the rank test (E. L. Lehmann, 1963). Its ends are the k-th
 * smallest and the k-th largest difference, with k from the null distribution of rank_null.h. The
 * effect is the probability of superiority, the A of A. Vargha and H. D. Delaney (2000).
 *
 * The k-th smallest of m n sums is found without storing them. As in D. B. Johnson and T. Mizoguchi
 * (1978), one pass over the sorted samples counts the sums below a limit. The range of the limit is
 * halved until few sums are left in it.
 */
#include "ratio.h"

#include <math.h>
#include <stdint.h>

#include "base/fail.h"
#include "flip.h"
#include "order_stats.h"
#include "rank_null.h"
#include "rank_test.h"

enum {
    FEW = 16,      /* with so few sums left, they are sorted */
    BY_VALUE = 24, /* halvings by value, which are fast if the values are evenly spaced */
};

/* All m n sums x[i] + y[j]. They are counted and, but for a few, never stored. x and y are
   sorted. */
struct sums {
    const double *x;
    size_t m;
    const double *y;
    size_t n;
};

/* Returns how many sums are <= limit. Rounded addition is monotone, so neither of the two indices
   ever turns back. */
static double count_sums(const struct sums *s, double limit)
{
    double count = 0;
    size_t j = s->n;

    for (size_t i = 0; i < s->m; i++) {
        while (j > 0 && s->x[i] + s->y[j - 1] > limit)
            j--;
        count += (double)j;
    }
    return count;
}

/* Maps doubles to integers of the same order, and back. */
static int64_t to_ordered(double x)
{
    int64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double from_ordered(int64_t bits)
{
    double x;

    if (bits < 0)
        bits = INT64_MIN - bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns the double with as many doubles above it, up to high, as below it, down to low. */
static double middle_of(double low, double high)
{
    int64_t x = to_ordered(low);
    int64_t y = to_ordered(high);

    return from_ordered((x & y) + ((x ^ y) >> 1)); /* floor of the mean, no overflow */
}

/* The k-th smallest sum is above `low` and at most `high`; `below` sums are at most `low`. */
struct range {
    double low;
    double high;
    double below;
    double count; /* number of sums in it */
};

/* Returns the k-th smallest of all sums by sorting the few in the range. */
static double kth_of_few(const struct sums *s, const struct range *r, double k)
{
    size_t end = s->n; /* the sums of x[i] with y[end] and later are above the range */
    double few[FEW];
    size_t count = 0;

    for (size_t i = 0; i < s->m; i++) {
        while (end > 0 && s->x[i] + s->y[end - 1] > r->high)
            end--;
        for (size_t j = end; j > 0 && s->x[i] + s->y[j - 1] > r->low; j--)
            few[count++] = s->x[i] + s->y[j - 1];
    }
    tch_sort(few, count);
    return few[(size_t)(k - r->below) - 1];
}

/* Returns the largest sum that is at most the limit; there is one. */
static double largest_sum(const struct sums *s, double limit)
{
    size_t end = s->n;
    double largest = -INFINITY;

    for (size_t i = 0; i < s->m; i++) {
        while (end > 0 && s->x[i] + s->y[end - 1] > limit)
            end--;
        if (end > 0)
            largest = fmax(largest, s->x[i] + s->y[end - 1]);
    }
    return largest;
}

/*
 * Returns the k-th smallest sum, k from 1. Halves the range until few sums are left: first by
 * value, which is fast if the sums are evenly spaced, then by the order of doubles, which takes at
 * most 64 steps. If many sums are equal, the range may always contain more than FEW of them; every
 * eighth step checks for that.
 */
static double kth_sum(const struct sums *s, double k)
{
    struct range r = {.low = nextafter(s->x[0] + s->y[0], -INFINITY),
                      .high = s->x[s->m - 1] + s->y[s->n - 1],
                      .count = (double)s->m * (double)s->n};

    for (int i = 1; r.count > FEW; i++) {
        double middle = i < BY_VALUE ? r.low + (r.high - r.low) / 2 : middle_of(r.low, r.high);
        double count;

        if (middle <= r.low || middle >= r.high)
            return r.high; /* there is no double between them */
        count = count_sums(s, middle);
        if (count >= k) {
            r.high = middle;
            r.count = count - r.below;
        } else {
            r.low = middle;
            r.count -= count - r.below;
            r.below = count;
        }
        if (i % 8 != 0)
            continue;
        /* The largest sum in the range is the k-th if fewer than k sums are below it. */
        r.high = largest_sum(s, r.high);
        if (count_sums(s, nextafter(r.high, -INFINITY)) < k)
            return r.high;
    }
    return kth_of_few(s, &r, k);
}

static double median_sum(const struct sums *s, double count)
{
    double half = floor(count / 2);

    if (count - 2 * half > 0)
        return kth_sum(s, half + 1);
    return kth_sum(s, half) / 2 + kth_sum(s, half + 1) / 2;
}

/* Sets estimate and interval from the sums, which are logarithms of ratios. */
static void set_interval(const struct sums *s, const struct tch_rank_null *null, double alpha,
                         struct tch_ratio *ret)
{
    double count = null->largest;
    size_t k = tch_rank_null_cut(null, alpha, &ret->level);

    ret->estimate = exp(median_sum(s, count));
    ret->low = k > 0 ? exp(kth_sum(s, (double)k)) : 0;
    ret->high = k > 0 ? exp(kth_sum(s, count + 1 - (double)k)) : INFINITY;
}

static int check_values(const double *x, size_t n, const char *name, tacho_error *err)
{
    if (n == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "%s has no values to compare", name);
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0 && x[i] < INFINITY))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "value %zu of %s is %g: a ratio needs "
                            "positive numbers",
                            i + 1, name, x[i]);
    return 0;
}

static int check_call(double alpha, double bound, tacho_error *err)
{
    if (!(alpha > 0 && alpha < 1))
        return tch_fail(err, TACHO_EINVAL, 0, "alpha %g is not between 0 and 1", alpha);
    if (!(bound > 0 && bound < INFINITY))
        return tch_fail(err, TACHO_EINVAL, 0, "bound %g is not a positive ratio", bound);
    return 0;
}

/* Fills in the ratio of pairs. d: n logarithms of ratios; `shifted` has room for as many. */
static int paired(const double *d, double *shifted, size_t n, double alpha, double bound,
                  struct tch_ratio *ret, tacho_error *err)
{
    struct tch_flip_interval interval;
    struct tch_flip_tails one;
    struct tch_flip_tails at;
    double above = 0;
    double least = INFINITY;
    double most = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        shifted[i] = d[i] - log(bound);
        above += d[i] > 0 ? 1 : d[i] < 0 ? 0 : 0.5;
        least = fmin(least, d[i]);
        most = fmax(most, d[i]);
    }
    if (tch_flip_test(d, n, &one, err) < 0 || tch_flip_test(shifted, n, &at, err) < 0 ||
        tch_flip_interval(d, n, alpha, &interval, err) < 0)
        return TACHO_ENOMEM;
    *ret = (struct tch_ratio){
        .estimate = exp(interval.estimate),
        .low = exp(interval.low),
        .high = exp(interval.high),
        .level = interval.high < INFINITY ? 1 - alpha : 0,
        .least = exp(least),
        .most = exp(most),
        .p = fmin(1, 2 * fmin(one.above, one.below)),
        .p_above = at.above,
        .p_below = at.below,
        .p_more = one.above,
        .p_least = tch_flip_least(n),
        .effect = above / (double)n,
        .exact = one.exact,
    };
    return 0;
}

int tch_ratio_paired(const double *a, const double *b, size_t n, double alpha, double bound,
                     struct tch_ratio *ret, tacho_error *err)
{
    struct tch_ratio ratio = {0};
    double *d;
    int status;

    if ((status = check_call(alpha, bound, err)) < 0 ||
        (status = check_values(a, n, "a", err)) < 0 || (status = check_values(b, n, "b", err)) < 0)
        return status;
    d = calloc(2 * n, sizeof *d);
    if (!d)
        return tch_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        d[i] = log(b[i] / a[i]);
    status = paired(d, d + n, n, alpha, bound, &ratio, err);
    if (status == 0)
        *ret = ratio;
    free(d);
    return status;
}

/* Fills in the ratio of two samples. x: the negated logarithms of a, y: those of b, both sorted. x
   has room for m more, y for n. */
static int unpaired(double *x, size_t m, double *y, size_t n, double alpha, double bound,
                    struct tch_ratio *ret, tacho_error *err)
{
    struct sums sums = {.x = x, .m = m, .y = y, .n = n};
    struct tch_rank_null null;
    struct tch_rank_tails one = {0};
    struct tch_rank_tails at;
    double *a = x + m;
    double *moved = y + n;
    int status;

    for (size_t i = 0; i < m; i++)
        a[i] = -x[i];
    for (size_t j = 0; j < n; j++)
        moved[j] = y[j] - log(bound);
    status = tch_rank_sum_null(&null, m, n, err);
    if (status == 0)
        status = tch_rank_sum_test(a, m, y, n, &null, &one, err);
    at = one;
    if (status == 0 && bound != 1)
        status = tch_rank_sum_test(a, m, moved, n, &null, &at, err);
    if (status < 0) {
        tch_rank_null_release(&null);
        return status;
    }
    ret->p = fmin(1, 2 * fmin(one.above, one.below));
    ret->p_above = at.above;
    ret->p_below = at.below;
    ret->p_more = one.above;
    ret->exact = one.exact && at.exact;
    set_interval(&sums, &null, alpha, ret);
    ret->least = exp(x[0] + y[0]);
    ret->most = exp(x[m - 1] + y[n - 1]);
    ret->p_least = tch_rank_sum_least(m, n);
    /* Sums that are 0 count half. */
    ret->effect = 1 - (count_sums(&sums, 0) + count_sums(&sums, -0x1p-1074)) / (2 * null.largest);
    tch_rank_null_release(&null);
    return 0;
}

int tch_ratio_unpaired(const double *a, size_t m, const double *b, size_t n, double alpha,
                       double bound, struct tch_ratio *ret, tacho_error *err)
{
    struct tch_ratio ratio = {0};
    double *x;
    double *y;
    int status;

    if ((status = check_call(alpha, bound, err)) < 0 ||
        (status = check_values(a, m, "a", err)) < 0 || (status = check_values(b, n, "b", err)) < 0)
        return status;
    x = calloc(2 * (m + n), sizeof *x);
    if (!x)
        return tch_fail_memory(err);
    y = x + 2 * m;
    for (size_t i = 0; i < m; i++)
        x[i] = -log(a[i]);
    for (size_t j = 0; j < n; j++)
        y[j] = log(b[j]);
    tch_sort(x, m);
    tch_sort(y, n);
    status = unpaired(x, m, y, n, alpha, bound, &ratio, err);
    if (status == 0)
        *ret = ratio;
    free(x);
    return status;
}
