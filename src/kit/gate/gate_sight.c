/* Uses calibrations in the gate: which tolerances are too small, and how much sessions differ. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "gate_loop.h"

int tch_gate_read_calibration(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    const char *bench = b->bench->name;
    char dir[PATH_MAX];
    char path[PATH_MAX];
    tacho_error why = {0};
    int status;

    if (strcmp(g->machine_class, "unknown") == 0 ||
        snprintf(dir, sizeof dir, "%s/" TCH_CALIBRATIONS, g->how.root) >= (int)sizeof dir ||
        tch_baseline_path(path, dir, bench, g->machine_class, NULL) < 0)
        return 0; /* such a path cannot contain a calibration */
    status = tch_calibration_read(&b->calibration, path, bench, g->machine_class, &why);
    if (status == TACHO_ENOMEM)
        return tch_fail_memory(err);
    if (status < 0 && why.system_errno != ENOENT)
        tch_findings_note(&g->findings, "the calibration '%.150s' is not used: %.200s", path,
                          why.message);
    else if (status == 0 && !tch_calibration_latest(&b->calibration, b->bench->line))
        tch_findings_note(&g->findings,
                          "%s: its calibration is of another command, so it is not used; 'tacho "
                          "calibrate --bench %s' makes a new one",
                          bench, bench);
    if (status < 0)
        tch_calibration_release(&b->calibration);
    return 0;
}

size_t tch_gate_occasions(const struct tch_gate_bench *b)
{
    size_t occasions = 0;

    (void)tch_sessions_spread(&b->baseline, &b->calibration, b->bench->line, "", 0.5, 0,
                              &occasions);
    return occasions;
}

void tch_gate_find_unseen(const struct tch_gate *g, struct tch_unseen *ret)
{
    *ret = (struct tch_unseen){0};
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_gate_bench *b = &g->benches[i];
        const struct tch_calibration_occasion *o =
            tch_calibration_latest(&b->calibration, b->bench->line);

        for (size_t k = 0;
             o && b->plan.command_count > 1 && !b->failed && k < b->bench->budget_count; k++) {
            const struct tch_named_budget *named = &b->bench->budgets[k];
            struct tch_metric q;

            if (!isnan(named->budget.tolerance) &&
                tch_result_metric(tch_gate_result(b), named->name, &q))
                tch_unseen_add(ret, o, b->bench->name, &q, &named->budget, b->bench->plan.max_runs);
        }
    }
}
