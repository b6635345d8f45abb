#include "run_pilot.h"

#include <math.h>

#include "base/fail.h"

/* Returns the time from the start of a run to the start of the next. If the starts are not known,
   returns the mean length of a run. */
static double period_of(const struct tch_result *r)
{
    uint64_t first = r->runs[0].start_ns;
    uint64_t last = r->runs[r->run_count - 1].start_ns;
    double wall = 0;

    for (size_t i = 0; i < r->run_count; i++)
        wall += tch_result_value(r, TCH_WALL, i) / (double)r->run_count;
    return last > first ? (double)(last - first) / (double)(r->run_count - 1) : wall;
}

static double pair_time(const struct tch_result *a, const struct tch_result *b)
{
    if (!b)
        return 2 * period_of(a);
    return a->runs[0].start_ns < a->runs[a->run_count - 1].start_ns
               ? period_of(a) /* a round of both */
               : period_of(a) + period_of(b);
}

/* Splits a run into pairs of neighbours: rounds 1 and 2, 3 and 4, and so on. */
static void split_neighbours(struct tch_series *a, struct tch_series *b)
{
    size_t pairs = 0;

    for (size_t i = 0; i + 1 < a->count; i++)
        if (a->pair[i] % 2 == 1 && a->pair[i + 1] == a->pair[i] + 1) {
            b->value[pairs] = a->value[i + 1];
            a->value[pairs++] = a->value[i];
        }
    a->count = b->count = pairs;
}

/* Collects the values of both sides and matches them. */
static int collect(const struct tch_result *a, const struct tch_result *b,
                   const struct tch_metric *q, struct tch_series *x, struct tch_series *y,
                   tacho_error *err)
{
    struct tch_metric other;
    int status = tch_series_of(a, q, 0.5, x, err);

    if (status == 0 && b && !tch_result_metric_like(b, q, &other))
        return tch_fail(err, TACHO_EINVAL, 0, "the run '%.60s' has no '%.60s'", b->name, q->name);
    if (status == 0)
        status = tch_series_of(b ? b : a, b ? &other : q, 0.5, y, err);
    if (status == 0 && b)
        tch_series_match(x, y);
    else if (status == 0)
        split_neighbours(x, y);
    return status;
}

/* Replaces x by the differences of logarithms. */
static int subtract(const struct tch_metric *q, struct tch_series *x, const struct tch_series *y,
                    tacho_error *err)
{
    if (x->count < TCH_PILOT_LEAST)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the pilot has %zu pairs of '%.60s', and needs %d: at least %d runs of one "
                        "command",
                        x->count, q->name, TCH_PILOT_LEAST, 2 * TCH_PILOT_LEAST);
    for (size_t i = 0; i < x->count; i++) {
        if (!(x->value[i] > 0 && y->value[i] > 0))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "'%.60s' has values of 0, which have no ratio to plan for", q->name);
        x->value[i] = log(y->value[i] / x->value[i]);
    }
    return 0;
}

int tch_run_pilot_measure(const struct tch_result *a, const struct tch_result *b,
                          const char *quantity, struct tch_run_pilot *ret, tacho_error *err)
{
    struct tch_series x = {0};
    struct tch_series y = {0};
    struct tch_metric q;
    int status = 0;

    if (b && !tch_results_paired(a, b))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%.60s' and '%.60s' were not interleaved; plan from one of them, or run "
                        "both by one 'tacho run -c ... -c ...'",
                        a->name, b->name);
    if (!tch_result_metric(a, quantity, &q))
        return tch_fail(err, TACHO_EINVAL, 0, "the run '%.60s' has no '%.60s'", a->name, quantity);
    status = collect(a, b, &q, &x, &y, err);
    if (status == 0)
        status = subtract(&q, &x, &y, err);
    if (status == 0)
        status = tch_pilot_measure(x.value, x.count, &ret->noise, err);
    if (status == 0)
        ret->pair_ns = pair_time(a, b);
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}
