/* Reads the budgets of tacho.yaml. */
#include "bench_settings.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "kit/config/yaml_fields.h"

/* A budget whose minimum effect follows from its tolerance, unless tacho.yaml has one. */
static const struct tch_budget undecided = {
    .tolerance = NAN, .min_effect = NAN, .max = NAN, .quantile = 0.5};

struct raw {
    double tolerance;
    double min_effect;
    const struct tch_yaml_node *max;
    const struct tch_yaml_node *direction;
    const struct tch_yaml_node *statistic;
    bool equivalent;
    bool required;
};

static const struct tch_yaml_field fields[] = {
    TCH_YAML_FIELD("tolerance", tch_yaml_share, struct raw, tolerance),
    TCH_YAML_FIELD("min_effect", tch_yaml_share, struct raw, min_effect),
    TCH_YAML_FIELD("max", tch_yaml_any, struct raw, max),
    TCH_YAML_FIELD("direction", tch_yaml_any, struct raw, direction),
    TCH_YAML_FIELD("statistic", tch_yaml_any, struct raw, statistic),
    TCH_YAML_FIELD("equivalent", tch_yaml_bool, struct raw, equivalent),
    TCH_YAML_FIELD("required", tch_yaml_bool, struct raw, required),
    {.name = NULL},
};

bool tch_bench_metric(const struct tch_bench *b, const char *name, struct tch_metric *ret)
{
    if (tch_metric_find(name, ret) && (ret->asked || tch_metric_comes_first(ret)))
        return true;
    for (size_t i = 0; i < b->plan.metric_count; i++)
        if (strcmp(b->metrics[i].name, name) == 0) {
            tch_metric_describe(ret, name, b->metrics[i].all);
            return true;
        }
    return tch_metric_find(name, ret);
}

/* Parses "50ms", "512MiB", 12.5 or "5J", according to the unit of the quantity. */
static int take_max(const struct tch_yaml_node *node, const struct tch_metric *q, double *ret,
                    tacho_error *err)
{
    enum tch_unit unit = q->unit;
    bool may_be_0 = q->source == TCH_FROM_COUNTS;
    uint64_t whole;
    size_t len = strlen(node->text);
    bool joules = unit == TCH_JOULES && len > 0 && node->text[len - 1] == 'J';
    int bad = TACHO_EINVAL;

    if (unit == TCH_NS || unit == TCH_BYTES) {
        bad = unit == TCH_NS ? tch_parse_duration(node->text, &whole)
                             : tch_parse_size(node->text, &whole);
        if (bad == 0)
            *ret = (double)whole;
    } else {
        bad = tch_parse_f64_n(node->text, len - joules, ret);
    }
    if (bad < 0 || !(*ret > 0 || (may_be_0 && *ret == 0)) || !isfinite(*ret))
        return tch_yaml_fail(err, node, "'max' needs %s, not '%.60s'",
                             unit == TCH_NS      ? "a duration such as 50ms"
                             : unit == TCH_BYTES ? "a size such as 512MiB"
                                                 : "a number above 0",
                             node->text);
    return 0;
}

static int take_words(struct tch_named_budget *budget, const struct raw *raw, tacho_error *err)
{
    if (raw->direction) {
        budget->budget.higher = strcmp(raw->direction->text, "higher") == 0;
        if (!budget->budget.higher && strcmp(raw->direction->text, "lower") != 0)
            return tch_yaml_fail(err, raw->direction,
                                 "'direction' must be lower or higher, whichever is better");
        budget->directed = true;
    }
    if (raw->statistic && !tch_statistic_find(raw->statistic->text, &budget->budget.quantile))
        return tch_yaml_fail(err, raw->statistic, "'statistic' must be median, p95 or p99");
    return 0;
}

static int take_budget(struct tch_bench *b, const struct tch_yaml_node *node,
                       struct tch_named_budget *budget, tacho_error *err)
{
    struct raw raw = {.tolerance = budget->budget.tolerance,
                      .min_effect = budget->budget.min_effect,
                      .equivalent = budget->budget.equivalent,
                      .required = budget->required};
    struct tch_metric q;
    tacho_error why;
    int status = 0;

    if (!tch_bench_metric(b, node->key, &q))
        return tch_yaml_fail(err, node,
                             "there is no metric '%.40s'; there are wall, cpu, memory, energy, "
                             "throughput and so on, memory.CATEGORY, stage:EVENT.STAGE, span:NAME, "
                             "latency:NAME, and those under 'metrics'",
                             node->key);
    if (q.asked && tch_metric_is_recorded(node->key))
        status = tch_settings_metric(b, node, q.name, err);
    if (status == 0)
        status = tch_yaml_take(node, "a budget", fields, &raw, err);
    if (status == 0)
        status = take_words(budget, &raw, err);
    if (status == 0 && raw.max)
        status = take_max(raw.max, &q, &budget->budget.max, err);
    if (status < 0)
        return status;
    budget->name = node->key;
    budget->budget.tolerance = raw.tolerance;
    budget->budget.min_effect = raw.min_effect;
    budget->budget.equivalent = raw.equivalent;
    budget->required = raw.required;
    if (raw.equivalent && isnan(raw.tolerance))
        return tch_yaml_fail(err, node, "'equivalent' needs a tolerance");
    if (isnan(raw.tolerance) && isnan(budget->budget.max))
        return tch_yaml_fail(err, node, "the budget of '%.60s' needs a tolerance or a max",
                             node->key);
    if (tch_budget_check(budget, &q, "set its 'direction' to higher or lower", &why) < 0)
        return tch_yaml_fail(err, node, "%.200s", why.message);
    return 0;
}

static int take_map(struct tch_bench *b, const struct tch_yaml_node *map, tacho_error *err)
{
    int status = 0;

    for (const struct tch_yaml_node *node = map ? map->first : NULL; node && status == 0;
         node = node->next) {
        size_t at = 0;

        while (at < b->budget_count && strcmp(b->budgets[at].name, node->key) != 0)
            at++;
        if (at == TCH_BUDGETS_MOST)
            return tch_yaml_fail(err, node, "a bench can have at most %d budgets",
                                 TCH_BUDGETS_MOST);
        if (at == b->budget_count)
            b->budgets[b->budget_count++] =
                (struct tch_named_budget){.name = node->key, .budget = undecided};
        status = take_budget(b, node, &b->budgets[at], err);
    }
    return status;
}

int tch_settings_counts(struct tch_bench *b, const struct tch_yaml_node *list,
                        const struct tch_yaml_node *runs, tacho_error *err)
{
    if (b->plan.count_runs == 0)
        b->plan.count_runs = TCH_COUNT_RUNS;
    if (b->plan.count_runs < 2 || b->plan.count_runs > 1000)
        return tch_yaml_fail(err, runs ? runs : list, "'count_runs' needs a number from 2 to 1000");
    for (const struct tch_yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        enum tch_count_kind kind;

        if (node->kind != TCH_YAML_SCALAR || !tch_count_find(node->text, strlen(node->text), &kind))
            return tch_yaml_fail(err, node,
                                 "'count' is a list of instructions, syscalls, allocations, "
                                 "allocated_bytes and faults");
        b->plan.counts |= 1u << kind;
    }
    return 0;
}

/* Turns on counting for each count that has a budget. Instructions are the exception: unless
   `count` lists them, they come from the CPU's counters in the timed runs. */
static void count_for_budgets(struct tch_bench *b)
{
    for (size_t i = 0; i < b->budget_count; i++) {
        struct tch_metric q;

        if (tch_bench_metric(b, b->budgets[i].name, &q) && q.source == TCH_FROM_COUNTS)
            b->plan.counts |= 1u << q.number;
    }
}

int tch_settings_budgets(struct tch_bench *b, const struct tch_yaml_node *defaults,
                         const struct tch_yaml_node *own, tacho_error *err)
{
    static const char *const usual[] = {"wall", "memory"};
    int status = take_map(b, defaults, err);

    if (status == 0)
        status = take_map(b, own, err);
    for (size_t i = 0; b->budget_count < 2 && !defaults && !own && !b->plan.import && status == 0;
         i++) {
        struct tch_named_budget *budget = &b->budgets[b->budget_count++];

        *budget = (struct tch_named_budget){.name = usual[i], .budget = tch_budget_default};
        budget->budget.tolerance = TCH_GATE_TOLERANCE;
    }
    for (size_t i = 0; i < b->budget_count; i++)
        if (isnan(b->budgets[i].budget.min_effect))
            b->budgets[i].budget.min_effect = tch_budget_least_effect(&b->budgets[i].budget);
    count_for_budgets(b);
    return status;
}
