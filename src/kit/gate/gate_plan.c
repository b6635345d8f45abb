/* Describes what a gate would do, for `tacho gate --dry-run`. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/secret.h"
#include "gate_sides.h"

static void add_budgets(struct tch_buf *b, const struct tch_bench *bench)
{
    if (bench->plan.import)
        tch_buf_addf(b, "  %-10s each benchmark that it prints may be worse by %g %%\n", "import",
                     100 * bench->imported.budget.tolerance);
    for (size_t i = 0; i < bench->budget_count; i++) {
        const struct tch_budget *budget = &bench->budgets[i].budget;
        bool relative = !isnan(budget->tolerance);
        char room[TCH_STATISTIC_TEXT];
        struct tch_metric q = {.unit = TCH_PLAIN};

        tch_buf_addf(b, "  %-10s %s", i == 0 ? "budgets" : "", bench->budgets[i].name);
        if (relative)
            tch_buf_addf(b, " may %s by %g %%", budget->equivalent ? "differ" : "be worse",
                         100 * budget->tolerance);
        if (!isnan(budget->max)) {
            (void)tch_bench_metric(bench, bench->budgets[i].name, &q);
            tch_buf_addf(b, "%s have a %s of at %s ", relative ? ", and must" : " must",
                         tch_statistic_name(budget->quantile, room),
                         budget->higher ? "least" : "most");
            tch_add_value(b, q.unit, budget->max);
        }
        tch_buf_adds(b, bench->budgets[i].required ? ", required\n" : "\n");
    }
}

static void add_check(struct tch_buf *b, const struct tch_run_plan *plan)
{
    char *line =
        plan->check_command ? tch_secret_masked_line(plan->check_command, plan->keep_env) : NULL;

    if (plan->check_output)
        tch_buf_addf(b, "  %-10s a line it prints matches '%s'\n", "check",
                     plan->check_output->text);
    if (line)
        tch_buf_addf(b, "  %-10s by '%s'\n", "check", line);
    free(line);
}

void tch_gate_add_plan(struct tch_buf *b, const struct tch_gate *g, const struct tch_gate_ask *ask,
                       const struct tch_gate_commit *commit)
{
    if (commit->note[0])
        tch_buf_addf(b, "%s\n\n", commit->note);
    if (ask->against)
        tch_buf_addf(b,
                     "would check %s out into a git worktree below '%s', run '%s' there and in "
                     "'%s', and run both sides interleaved\n\n",
                     commit->name, ask->out, ask->build_shown, ask->root);
    else if (ask->build)
        tch_buf_addf(b, "would run '%s' in '%s'\n\n", ask->build_shown, ask->root);
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_gate_bench *bench = &g->benches[i];
        char path[PATH_MAX];
        tacho_error err;

        tch_buf_addf(b, "%s\n  %-10s %s\n  %-10s %s\n", bench->bench->name, "command",
                     bench->bench->line, "in", bench->plan.cwd);
        if (bench->bench->plan.runs > 0)
            tch_buf_addf(b, "  %-10s %llu, up to %llu while a verdict is open, %u %s\n", "runs",
                         (unsigned long long)bench->bench->plan.runs,
                         (unsigned long long)bench->bench->plan.max_runs, bench->planned,
                         bench->planned == 1 ? "analysis" : "analyses");
        else
            tch_buf_addf(b, "  %-10s until the interval of the median is +-%g %%, up to %llu\n",
                         "runs", 100 * bench->bench->plan.precision,
                         (unsigned long long)bench->bench->plan.max_runs);
        add_check(b, &bench->plan);
        add_budgets(b, bench->bench);
        if (!ask->against && tch_gate_baseline_path(g, bench, path, &err) == 0)
            tch_buf_addf(b, "  %-10s %s%s\n", "baseline", path,
                         access(path, R_OK) == 0 ? "" : " (missing)");
    }
}
