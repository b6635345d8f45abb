/* Measures noise, dependence, drift and the smallest visible change of a calibration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "calibration.h"
#include "findings.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/plan.h"
#include "kit/stats/random.h"
#include "kit/stats/session.h"
#include "kit/text/human_number.h"
#include "run_compare.h"

const size_t tch_calibration_sizes[TCH_CALIBRATION_SIZES] = {10, 20, 40, 80};

static const uint64_t seed = 34;

/* Returns when the run of a round was started. Rounds ascend, so the search continues at *at. */
static uint64_t start_of(const struct tch_result *r, uint64_t pair, size_t *at)
{
    while (*at + 1 < r->run_count && r->runs[*at].pair < pair)
        ++*at;
    return r->runs[*at].start_ns;
}

/* Orders the two runs of each pair by their start. */
static int order_pairs(struct tch_calibrating *m, const struct tch_result *a,
                       const struct tch_result *b, const struct tch_series *x,
                       const struct tch_series *y, tacho_error *err)
{
    size_t i_a = 0;
    size_t i_b = 0;

    m->first = malloc(3 * (x->count + 1) * sizeof *m->first);
    if (!m->first)
        return tch_fail_memory(err);
    m->second = m->first + x->count;
    m->d = m->second + x->count;
    m->pairs = x->count;
    for (size_t i = 0; i < x->count; i++) {
        bool swap = start_of(b, y->pair[i], &i_b) < start_of(a, x->pair[i], &i_a);

        if (!(x->value[i] > 0 && y->value[i] > 0))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "'%.60s' has values of 0, which have no ratio to calibrate",
                            m->metric.name);
        m->first[i] = swap ? y->value[i] : x->value[i];
        m->second[i] = swap ? x->value[i] : y->value[i];
        m->d[i] = log(m->second[i] / m->first[i]);
    }
    return 0;
}

static int collect(struct tch_calibrating *m, const struct tch_result *a,
                   const struct tch_result *b, tacho_error *err)
{
    struct tch_series x = {0};
    struct tch_series y = {0};
    struct tch_metric other;
    int status;

    if (m->metric.source == TCH_FROM_COUNTS)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "it is counted in extra runs; an exact count has no noise, so any change "
                        "of it is seen");
    status = tch_series_of(a, &m->metric, m->quantile, &x, err);

    if (status == 0 && !tch_result_metric_like(b, &m->metric, &other))
        status = tch_fail(err, TACHO_EINVAL, 0, "the run '%.60s' has no '%.60s'", b->name,
                          m->metric.name);
    if (status == 0)
        status = tch_series_of(b, &other, m->quantile, &y, err);
    if (status == 0) {
        tch_series_match(&x, &y);
        if (x.count == 0)
            status = tch_fail(err, TACHO_EINVAL, 0, "no pair of runs has '%.60s'", m->metric.name);
        else if (x.count < TCH_CALIBRATION_LEAST)
            status = tch_fail(err, TACHO_EINVAL, 0,
                              "'%.60s' has %zu pair%s, and %d are needed; allow more time",
                              m->metric.name, x.count, tch_plural(x.count), TCH_CALIBRATION_LEAST);
    }
    if (status == 0)
        status = order_pairs(m, a, b, &x, &y, err);
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}

/* Computes median, dependence and drift of all runs in the order in which they were made. */
static int measure_runs(struct tch_calibrating *m, tacho_error *err)
{
    size_t n = 2 * m->pairs;
    size_t third = n / 3;
    double *x = malloc(3 * n * sizeof *x);
    double *room = x ? x + n : NULL;

    if (!x)
        return tch_fail_memory(err);
    for (size_t i = 0; i < m->pairs; i++) {
        x[2 * i] = m->first[i];
        x[2 * i + 1] = m->second[i];
    }
    m->result.lag1 = tch_session_lag1(x, n, room);
    memcpy(room, x, n * sizeof *x);
    m->result.median = tch_median(room, n);
    memcpy(room, x, n * sizeof *x);
    m->result.drift = tch_median(room + n - third, third) / tch_median(room, third) -
                      1; /* disjoint parts of room */
    free(x);
    return 0;
}

/* Returns the minimum effect beyond the tolerance, or 0 if the tolerance is at least as large. */
static double effect_beyond(const struct tch_budget *budget)
{
    double tolerance = isnan(budget->tolerance) ? 0 : budget->tolerance;

    return fmax(0, (1 + budget->min_effect) / (1 + tolerance) - 1);
}

static void measure_sight(struct tch_calibrating *m, const struct tch_calibrating_how *how)
{
    const struct tch_budget *budget = how->budget ? how->budget : &tch_budget_default;

    for (size_t i = 0; i < TCH_CALIBRATION_SIZES; i++) {
        double change;

        m->rule[i] = (struct tch_sight_rule){.pairs = tch_calibration_sizes[i],
                                             .fresh = tch_calibration_sizes[i],
                                             .metrics = how->metrics,
                                             .alpha = how->alpha,
                                             .least = effect_beyond(budget)};
        change = tch_sight_change(&m->noise, &m->rule[i], TCH_CALIBRATION_POWER);
        m->result.sees[i] = isfinite(change) ? change : NAN;
    }
}

int tch_calibrating_init(struct tch_calibrating *m, const struct tch_result *a,
                         const struct tch_result *b, const char *name,
                         const struct tch_calibrating_how *how, tacho_error *err)
{
    struct tch_pilot pilot;
    int status;

    *m = (struct tch_calibrating){.quantile = how->quantile};
    if (!tch_result_metric(a, name, &m->metric))
        return tch_fail(err, TACHO_EINVAL, 0, "there is no metric '%.60s'", name);
    tch_kept_name(m->result.name, sizeof m->result.name, m->metric.name, how->quantile);
    status = collect(m, a, b, err);
    if (status == 0)
        status = measure_runs(m, err);
    if (status == 0)
        status = tch_pilot_measure(m->d, m->pairs, &pilot, err);
    if (status == 0) {
        m->result.noise = pilot.spread;
        m->result.session_spread = m->metric.spread;
        /* New coins make both signs of a difference equally likely, so 0 is their middle. */
        status = tch_noise_measure(&m->noise, m->d, m->pairs, 0, err);
    }
    if (status == 0)
        measure_sight(m, how);
    return status;
}

void tch_calibrating_release(struct tch_calibrating *m)
{
    free(m->first);
    *m = (struct tch_calibrating){0};
}

/* --- Reports in which nothing changed --- */

/* Draws one report: consecutive pairs, starting at a random place. For each pair a new coin decides
   which of its two runs is called b. All metrics share pairs and coins, as the metrics of a bench
   do. */
static void draw_report(const struct tch_calibrating *metrics, size_t count, size_t pairs,
                        struct tch_verdict_row *rows, double *values, uint64_t *state)
{
    size_t from = tch_random_below(state, pairs);
    uint64_t coins = tch_random_bits(state);

    for (size_t k = 0; k < count; k++) {
        double *a = values + 2 * k * TCH_CALIBRATION_BLOCK;
        double *b = a + TCH_CALIBRATION_BLOCK;

        for (size_t i = 0; i < TCH_CALIBRATION_BLOCK; i++) {
            size_t at = (from + i) % pairs;
            bool swap = coins >> i & 1;

            a[i] = swap ? metrics[k].second[at] : metrics[k].first[at];
            b[i] = swap ? metrics[k].first[at] : metrics[k].second[at];
        }
        rows[k] = (struct tch_verdict_row){
            .a = a,
            .a_count = TCH_CALIBRATION_BLOCK,
            .b = b,
            .b_count = TCH_CALIBRATION_BLOCK,
            .paired = true,
            .coins = 1,
            .ask = TCH_ASK_RATIO,
            .budget = {.max = NAN,
                       .quantile = 0.5,
                       .higher = metrics[k].metric.better == TCH_BETTER_HIGHER},
        };
    }
}

int tch_calibrating_false_fails(const struct tch_calibrating *metrics, size_t count, double alpha,
                                double *share, tacho_error *err)
{
    struct tch_verdict_row *rows = calloc(count + 1, sizeof *rows);
    double *values = calloc(2 * TCH_CALIBRATION_BLOCK * (count + 1), sizeof *values);
    uint64_t state = seed;
    size_t pairs = SIZE_MAX; /* pairs that all metrics have */
    size_t fails = 0;
    int status = rows && values ? 0 : tch_fail_memory(err);

    for (size_t k = 0; k < count; k++)
        pairs = metrics[k].pairs < pairs ? metrics[k].pairs : pairs;
    for (size_t i = 0; i < TCH_CALIBRATION_REPORTS && status == 0; i++) {
        draw_report(metrics, count, pairs, rows, values, &state);
        status = tch_judge(rows, count, alpha, err);
        fails += tch_judge_worst(rows, count) == TCH_FAIL;
    }
    *share = (double)fails / TCH_CALIBRATION_REPORTS;
    free(rows);
    free(values);
    return status;
}

/* --- The occasion --- */

static double pair_seconds(const struct tch_result *a)
{
    size_t n = a->run_count;

    return n > 1 ? (double)(a->runs[n - 1].start_ns - a->runs[0].start_ns) / 1e9 / (double)(n - 1)
                 : 0;
}

int tch_calibration_occasion_init(struct tch_calibration_occasion *o, const struct tch_result *a,
                                  const struct tch_calibrating *metrics, size_t count,
                                  tacho_error *err)
{
    *o = (struct tch_calibration_occasion){
        .id = strdup(a->id),
        .at = strdup(a->started_at),
        .commit = strdup(a->commit),
        .command = strdup(a->command.line),
        .environment = strdup(a->environment ? a->environment : "null"),
        .pairs = a->run_count,
        .pair_seconds = pair_seconds(a),
        .occasions = 1,
        .metrics = calloc(count + 1, sizeof *o->metrics),
    };
    if (!o->id || !o->at || !o->commit || !o->command || !o->environment || !o->metrics)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        o->metrics[o->count++] = metrics[i].result;
    return 0;
}
