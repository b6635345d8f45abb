/* Sets the defaults of a plan, finds its hooks, and parses CPU lists. */
#include "run_plan.h"

#include "base/fail.h"
#include "base/number.h"
#include "kit/result/counts.h"

void tch_run_plan_init(struct tch_run_plan *plan)
{
    *plan = (struct tch_run_plan){
        .precision = TCH_RUN_PRECISION,
        .max_runs = TCH_RUNS_UNTIL,
        .max_time_ns = TCH_RUN_TIME_NS,
        .output = TCH_IO_NULL,
        .out = "tacho-out",
        .count_runs = TCH_COUNT_RUNS,
        .interval_ns = TCH_RUN_POLL_NS,
        .power = "auto",
    };
}

const char *const tch_hook_names[TCH_HOOKS] = {
    [TCH_HOOK_SETUP] = "setup",       [TCH_HOOK_PREPARE] = "prepare",
    [TCH_HOOK_CONCLUDE] = "conclude", [TCH_HOOK_CLEANUP] = "cleanup",
    [TCH_HOOK_RELINK] = "relink",
};

const char *tch_run_hook_line(const struct tch_run_plan *plan, size_t index, enum tch_hook hook)
{
    const char *const common[TCH_HOOKS] = {plan->setup, plan->prepare, plan->conclude,
                                           plan->cleanup, plan->relink};
    const char *own = plan->commands[index].hook[hook];

    return own ? own : common[hook];
}

int tch_run_plan_check_metric(const struct tch_run_plan *plan, const char *name, tacho_error *err)
{
    struct tch_metric metric;

    for (size_t i = 0; i < plan->metric_count; i++)
        if (strcmp(plan->metrics[i].name, name) == 0)
            return 0;
    if (tch_metric_find(name, &metric))
        return 0;
    return tch_fail(err, TACHO_EINVAL, 0,
                    "there is no metric '%.60s'; there are wall, cpu, memory, energy, throughput "
                    "and so on, span:NAME, stage:EVENT.STAGE, latency:NAME, and metrics of yours",
                    name);
}

bool tch_run_reads_output(const struct tch_run_plan *plan)
{
    for (size_t i = 0; i < plan->metric_count; i++)
        if (plan->metrics[i].source == TCH_FROM_OUTPUT)
            return true;
    return plan->import || plan->check_output || plan->check_command;
}

bool tch_run_reads_runs(const struct tch_run_plan *plan)
{
    return plan->layouts > 0 || plan->server || tch_run_reads_output(plan);
}

/* Adds a range such as "3" or "3-5", of len bytes. */
static int add_range(const char *text, size_t len, cpu_set_t *set)
{
    const char *dash = memchr(text, '-', len);
    size_t head = dash ? (size_t)(dash - text) : len;
    uint64_t first;
    uint64_t last;

    if (tch_parse_u64_n(text, head, CPU_SETSIZE - 1, &first) < 0)
        return TACHO_EINVAL;
    last = first;
    if (dash && tch_parse_u64_n(dash + 1, len - head - 1, CPU_SETSIZE - 1, &last) < 0)
        return TACHO_EINVAL;
    if (last < first)
        return TACHO_EINVAL;
    for (uint64_t cpu = first; cpu <= last; cpu++)
        CPU_SET((size_t)cpu, set);
    return 0;
}

int tch_parse_cpus(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    for (;;) {
        size_t len = strcspn(text, ",");

        if (add_range(text, len, set) < 0)
            return TACHO_EINVAL;
        if (text[len] == '\0')
            return 0;
        text += len + 1;
    }
}
