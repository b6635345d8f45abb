/* Reads the layouts of tacho.yaml. */
#include "bench_settings.h"
#include "kit/config/yaml_fields.h"

static const struct tch_yaml_field fields[] = {
    TCH_YAML_FIELD("count", tch_yaml_count, struct tch_run_plan, layouts),
    TCH_YAML_FIELD("runs", tch_yaml_count, struct tch_run_plan, layout_runs),
    TCH_YAML_FIELD("relink", tch_yaml_text, struct tch_run_plan, relink),
    {.name = NULL},
};

static int check(const struct tch_run_plan *plan, const struct tch_yaml_node *map,
                 const struct tch_yaml_node *bench, tacho_error *err)
{
    if (!plan->relink)
        return tch_yaml_fail(err, map, "'layouts' needs 'relink', a line that links the program");
    if (plan->layouts < TCH_RUNS_LEAST || plan->layouts > TCH_LAYOUTS_MAX)
        return tch_yaml_fail(err, map, "'layouts' needs a 'count' from %d to %d", TCH_RUNS_LEAST,
                             TCH_LAYOUTS_MAX);
    if (plan->layout_runs == 0 || plan->layout_runs > TCH_RUNS_MAX / TCH_LAYOUTS_MAX)
        return tch_yaml_fail(err, map, "'runs' of 'layouts' needs a number from 1 to %d",
                             TCH_RUNS_MAX / TCH_LAYOUTS_MAX);
    if (tch_yaml_find(bench, "runs") || tch_yaml_find(bench, "precision"))
        return tch_yaml_fail(err, map,
                             "'count' and 'runs' of 'layouts' say how many runs there are; remove "
                             "'runs' and 'precision' of the bench");
    return 0;
}

int tch_settings_layouts(struct tch_run_plan *plan, const struct tch_yaml_node *map,
                         const struct tch_yaml_node *bench, tacho_error *err)
{
    int status;

    if (!map)
        return 0;
    plan->layout_runs = TCH_LAYOUT_RUNS;
    status = tch_yaml_take(map, "layouts", fields, plan, err);
    if (status == 0)
        status = check(plan, map, bench, err);
    if (status < 0)
        return status;
    plan->runs = plan->layouts * plan->layout_runs;
    plan->precision = 0;
    if (!tch_yaml_find(bench, "max_runs"))
        plan->max_runs = 4 * plan->runs;
    return 0;
}
