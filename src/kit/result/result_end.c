/* Adds the outcome to a result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "precision.h"
#include "result.h"

/* Counts the runs that are too short for the steps of the energy counter. */
static uint64_t short_runs(const struct tch_result *r, const struct tch_power_origin *o)
{
    uint64_t count = 0;

    for (size_t i = 0; i < r->run_count; i++)
        count += o->source[0] && tch_power_too_short(o, tch_result_value(r, TCH_WALL, i) / 1e9);
    return count;
}

int tch_result_end(struct tch_result *r, const struct tch_result_end *end, tacho_error *err)
{
    if (!isnan(r->plan.precision) && strcmp(end->stopped, "precise") != 0)
        r->alpha = tch_precision_alpha_left(r->run_count, r->plan.max_runs > 0 ? r->plan.max_runs
                                                                               : TCH_RUNS_UNTIL);
    snprintf(r->state, sizeof r->state, "%s", end->state);
    snprintf(r->stopped, sizeof r->stopped, "%s", end->stopped);
    r->ended_unix_ns = end->ended_unix_ns;
    tch_utc_text(r->ended_at, end->ended_unix_ns);
    r->costs.tacho_cpu_ns = end->tacho_cpu_ns;
    r->costs.polls = end->polls;
    r->costs.polls_cpu_ns = end->polls_cpu_ns;
    r->server = end->server;
    r->power = end->power;
    r->power.short_runs = end->power.short_runs + short_runs(r, &end->power);
    r->ended = true;
    return tch_result_sum(r, err);
}
