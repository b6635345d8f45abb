/* Calibrations in memory: noise of metrics and spread of sessions. */
#include "calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/result/precision.h"

void tch_calibration_occasion_release(struct tch_calibration_occasion *o)
{
    free(o->id);
    free(o->at);
    free(o->commit);
    free(o->command);
    free(o->environment);
    free(o->metrics);
    *o = (struct tch_calibration_occasion){0};
}

void tch_calibration_release(struct tch_calibration *c)
{
    for (size_t i = 0; i < c->count; i++)
        tch_calibration_occasion_release(&c->occasions[i]);
    free(c->occasions);
    free(c->bench);
    free(c->machine_class);
    *c = (struct tch_calibration){0};
}

const struct tch_calibration_occasion *tch_calibration_latest(const struct tch_calibration *c,
                                                              const char *command)
{
    for (size_t i = c->count; i-- > 0;)
        if (strcmp(c->occasions[i].command, command) == 0)
            return &c->occasions[i];
    return NULL;
}

const struct tch_calibrated *tch_calibrated_find(const struct tch_calibration_occasion *o,
                                                 const char *name, double quantile)
{
    char full[TCH_METRIC_TEXT + 16];

    tch_kept_name(full, sizeof full, name, quantile);
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->metrics[i].name, full) == 0)
            return &o->metrics[i];
    return NULL;
}

double tch_calibrated_sees(const struct tch_calibrated *m, uint64_t runs)
{
    size_t i = TCH_CALIBRATION_SIZES - 1;

    while (i > 0 && tch_calibration_sizes[i] > runs)
        i--;
    if (runs < tch_calibration_sizes[0])
        return NAN;
    return expm1(log1p(m->sees[i]) * sqrt((double)tch_calibration_sizes[i] / (double)runs));
}

uint64_t tch_calibrated_runs(const struct tch_calibrated *m, double change)
{
    size_t last = TCH_CALIBRATION_SIZES - 1;
    double by = log1p(m->sees[last]) / log1p(change);
    double runs =
        fmax(ceil((double)tch_calibration_sizes[last] * by * by), (double)tch_calibration_sizes[0]);

    return isfinite(by) && runs <= TCH_RUNS_MAX ? (uint64_t)runs : 0;
}

/* --- Tolerances that are too small --- */

void tch_unseen_add(struct tch_unseen *u, const struct tch_calibration_occasion *o,
                    const char *bench, const struct tch_metric *q, const struct tch_budget *budget,
                    uint64_t runs)
{
    double allowed = fmax(budget->tolerance, budget->min_effect);
    const struct tch_calibrated *m = tch_calibrated_find(o, q->name, budget->quantile);
    double sees = m ? tch_calibrated_sees(m, runs) : (double)NAN;

    /* A minimum effect above the tolerance is a part of `sees`, which is then larger by the part of
       the noise that 9 of 10 reports need: PASS of an unchanged program allows 0.4 of it. */
    if (!(sees > (budget->min_effect > budget->tolerance ? 1.4 * allowed : allowed)) ||
        u->count++ > 0)
        return;
    u->bench = bench;
    u->tolerance = budget->tolerance;
    u->runs = runs;
    u->sees = sees;
    u->needed = tch_calibrated_runs(m, allowed);
    memcpy(u->title, q->title, sizeof u->title);
}

void tch_unseen_describe(const struct tch_unseen *u, const char *option, char text[TCH_UNSEEN_TEXT])
{
    char more[40] = "";
    char allow[80] = "a larger tolerance is needed";

    if (u->count > 1)
        snprintf(more, sizeof more, " (and %zu more)", u->count - 1);
    if (u->needed > u->runs)
        snprintf(allow, sizeof allow, "or allow %llu runs (%.20s %llu)",
                 (unsigned long long)u->needed, option, (unsigned long long)u->needed);
    snprintf(text, TCH_UNSEEN_TEXT,
             "%.100s%sthis machine can detect a change of %.2g %% in %.100s with %llu runs; the "
             "tolerance is %.3g %%%s: expect INCONCLUSIVE, %s",
             u->bench, u->bench[0] ? ": " : "", 100 * u->sees, u->title,
             (unsigned long long)u->runs, 100 * u->tolerance, more, allow);
}

/* --- Sessions --- */

static int by_time(const void *a, const void *b)
{
    const struct tch_level *x = a;
    const struct tch_level *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

double tch_sessions_spread(const struct tch_baseline *baseline,
                           const struct tch_calibration *calibration, const char *command,
                           const char *name, double quantile, double assumed, size_t *occasions)
{
    size_t most = (baseline ? baseline->count : 0) + (calibration ? calibration->count : 0);
    struct tch_level *levels = calloc(most + 1, sizeof *levels);
    size_t count = levels && baseline ? tch_baseline_levels(baseline, name, quantile, levels) : 0;
    size_t of_baseline = count;
    double spread;

    for (size_t i = 0; levels && calibration && i < calibration->count; i++) {
        const struct tch_calibration_occasion *o = &calibration->occasions[i];
        const struct tch_calibrated *m = tch_calibrated_find(o, name, quantile);

        if (strcmp(o->command, command) == 0)
            levels[count++] = (struct tch_level){.at = tch_occasion_time(o->at),
                                                 .log_median = m ? log(m->median) : NAN};
    }
    if (count > of_baseline)
        qsort(levels, count, sizeof *levels, by_time);
    spread = tch_levels_spread(levels, count, assumed, occasions);
    free(levels);
    return spread;
}
