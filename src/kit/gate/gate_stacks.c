/* Takes the stacks of calls whose exact count FAILed. */
#include <string.h>

#include "gate_loop.h"
#include "kit/judge/run_compare.h"

static bool has_failed(const struct tch_gate *g, size_t row)
{
    return g->findings.about[row].metric.source == TCH_FROM_COUNTS && g->findings.rows[row].exact &&
           g->findings.rows[row].verdict == TCH_FAIL;
}

/* Compares the stacks of a row with those of the other commit or of the baseline. */
static void compare_row(struct tch_gate *g, const struct tch_gate_bench *b, size_t row)
{
    const struct tch_about *about = &g->findings.about[row];
    size_t kind = about->metric.number;
    bool against = b->plan.command_count > 1;
    const struct tch_result *now = &b->run.items[against ? 1 : 0].result;
    const struct tch_occasion *reference =
        b->has_baseline ? tch_baseline_find(&b->baseline, "reference") : NULL;
    const char *json = reference ? reference->counts : NULL;
    struct tch_counts kept = {0};
    const struct tch_count *before = NULL;

    if (against)
        before = &b->run.items[0].result.counts.of[kind];
    else if (json && tch_counts_parse(json, &kept, NULL) == 0)
        before = &kept.of[kind];
    tch_compare_stacks(&g->findings, about, about->ask == TCH_ASK_MAX ? NULL : before,
                       &now->counts.of[kind]);
    tch_counts_release(&kept);
}

int tch_gate_take_stacks(struct tch_gate *g, struct tch_gate_bench *b,
                         const volatile sig_atomic_t *stop, tacho_error *err)
{
    bool taken = false;
    int status = 0;

    for (size_t row = b->first_row; row < b->first_row + b->row_count && status == 0; row++) {
        if (!has_failed(g, row))
            continue;
        for (size_t i = 0; i < b->plan.command_count && !taken && status == 0; i++)
            status = tch_run_take_stacks(&b->run, i, stop, err);
        taken = true;
        if (status == 0)
            compare_row(g, b, row);
    }
    return status;
}
