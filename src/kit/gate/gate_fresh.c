/*
 * The fresh block: the gate screens loosely, and fresh runs of the suspects alone decide.
 *
 * A suspect is a row of pairs that looks worse when its bench is settled: its p is at most 10 %, or
 * it would be WARN or FAIL. Its bench is run again, up to four times as often, in new pairs with
 * new coins. The verdict on the row is that of these pairs alone, as a single analysis at alpha.
 * Only suspects are judged again, so the correction covers only these few.
 *
 * The promise stays exact, however the suspects were selected: given everything before, the fresh
 * coins are still fair, and no row of pairs is FAIL or WARN without them. So the screening may be
 * loose, and finds most changes. The estimate of a fresh block is unbiased. That of an analysis
 * that stopped because it was large is not. bench_promise measures what the screening finds.
 *
 * Against a baseline, fresh runs share the session of the first ones and are compared with the same
 * values. They prove less, so only a FAIL is a suspect there, and the block has as many runs.
 *
 * A suspect is never PASS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate_loop.h"

enum { FRESH_FACTOR = 4 };

/* A row without values in the fresh block keeps its FAIL, which the interim analyses support
   alone. */
bool tch_gate_is_suspect(const struct tch_gate *g, const struct tch_verdict_row *row)
{
    return tch_row_is_suspect(row, g->settings->alpha);
}

/* Returns the runs of a fresh block: against another commit up to four times as many as were made,
   within max_runs. */
static uint64_t fresh_runs(const struct tch_gate_bench *b)
{
    uint64_t made = tch_gate_runs_made(b);
    uint64_t most = b->bench->plan.max_runs;

    if (b->plan.command_count < 2 || most <= made)
        return made;
    return made > most / FRESH_FACTOR ? most : FRESH_FACTOR * made;
}

static size_t count_suspects(const struct tch_gate *g, const struct tch_gate_bench *b)
{
    size_t count = 0;

    for (size_t i = 0; i < b->row_count; i++)
        count += tch_gate_is_suspect(g, &g->findings.rows[b->first_row + i]);
    return count;
}

/* Says why a suspect that FAILed is not decided. */
static void leave_open(struct tch_gate *g, const struct tch_gate_bench *b, const char *why)
{
    for (size_t i = b->first_row; i < b->first_row + b->row_count; i++) {
        struct tch_verdict_row *row = &g->findings.rows[i];

        if (row->verdict != TCH_FAIL || !tch_gate_is_suspect(g, row))
            continue;
        row->verdict = TCH_INCONCLUSIVE;
        snprintf(row->why, sizeof row->why, "%s", why);
    }
}

/* Returns the row of f with the question of row `i` of the gate, or NULL. */
static struct tch_verdict_row *same_question(struct tch_findings *f, const struct tch_gate *g,
                                             size_t i)
{
    const struct tch_about *about = &g->findings.about[i];

    for (size_t k = 0; k < f->count; k++)
        if (strcmp(f->about[k].bench, about->bench) == 0 && f->about[k].ask == about->ask &&
            strcmp(f->about[k].metric.name, about->metric.name) == 0)
            return &f->rows[k];
    return NULL;
}

/* Adds the rows of the fresh block. Rows that are not suspects ask nothing. */
static int add_fresh(struct tch_gate *g, struct tch_gate_bench *b, struct tch_findings *f,
                     size_t from, tacho_error *err)
{
    struct tch_result before = {0};
    struct tch_result own = {0};
    size_t first = f->count;
    int status = tch_result_tail(&b->run.items[0].result, from, &before, err);

    if (status == 0)
        status = tch_result_tail(tch_gate_result(b), from, &own, err);
    b->analyses = (struct tch_analyses){.share = {1}}; /* a single analysis of the whole block */
    if (status == 0)
        status = tch_gate_add_rows(g, f, b, &before, &own, err);
    free(before.columns);
    free(own.columns);
    for (size_t k = first; k < f->count; k++)
        f->rows[k].ask = TCH_ASK_NOTHING;
    for (size_t i = b->first_row; i < b->first_row + b->row_count && status == 0; i++) {
        struct tch_verdict_row *row = same_question(f, g, i);

        if (row && tch_gate_is_suspect(g, &g->findings.rows[i]))
            row->ask = g->findings.rows[i].ask;
    }
    return status;
}

/* Replaces values, interval and verdict of a row by those of the fresh block. */
static void take_answer(struct tch_verdict_row *row, struct tch_verdict_row *fresh)
{
    const struct tch_verdict_row first = *row;
    const char *said = first.verdict == TCH_FAIL ? "FAIL" : "suspect";
    double change = 100 * (first.ratio.estimate - 1);

    *row = *fresh;
    *fresh = first; /* so that the values of the first block are released with it */
    if (row->verdict == TCH_FAIL)
        return;
    row->verdict = row->verdict > TCH_INCONCLUSIVE ? row->verdict : TCH_INCONCLUSIVE;
    if (first.ask == TCH_ASK_RATIO && first.has_ratio)
        snprintf(row->why, sizeof row->why,
                 "%s at first, with %+.1f %% in %zu runs; not confirmed by %zu fresh ones", said,
                 change, first.b_count, row->b_count);
    else
        snprintf(row->why, sizeof row->why,
                 "%s at first, in %zu runs; not confirmed by %zu fresh ones", said, first.b_count,
                 row->b_count);
}

static int judge_fresh(struct tch_gate *g, struct tch_findings *f, tacho_error *err)
{
    int status = tch_findings_judge(f, g->settings->alpha, err);

    for (size_t i = 0; i < g->findings.count && status == 0; i++) {
        struct tch_verdict_row *row = &g->findings.rows[i];
        struct tch_verdict_row *fresh = tch_gate_is_suspect(g, row) ? same_question(f, g, i) : NULL;

        if (fresh && fresh->ask == row->ask && fresh->b_count > 0)
            take_answer(row, fresh);
    }
    return status;
}

static bool any_fails(const struct tch_gate *g, const struct tch_gate_bench *b)
{
    for (size_t i = b->first_row; i < b->first_row + b->row_count; i++)
        if (g->findings.rows[i].verdict == TCH_FAIL && tch_gate_is_suspect(g, &g->findings.rows[i]))
            return true;
    return false;
}

static void note_fresh(struct tch_gate *g, const struct tch_gate_bench *b)
{
    tch_findings_note(&g->findings,
                      "%s: run again before FAIL, in a fresh block of %llu %s, which alone "
                      "decides: %s",
                      b->bench->name, (unsigned long long)b->fresh,
                      b->plan.command_count > 1 ? "pairs" : "runs",
                      any_fails(g, b) ? "it FAILs" : "it does not FAIL");
}

static int run_again(struct tch_gate *g, struct tch_gate_bench *b,
                     const struct tch_gate_watch *watch, struct tch_findings *f, tacho_error *err)
{
    uint64_t from = tch_gate_runs_made(b);
    int status;

    b->fresh = fresh_runs(b);
    status = tch_gate_measure(g, b, watch, err);
    if (status < 0)
        return status;
    if (g->interrupted || b->failed) {
        leave_open(g, b, "FAIL at first; it could not be run again to confirm that");
        b->fresh = 0;
        return 0;
    }
    return add_fresh(g, b, f, from, err);
}

int tch_gate_confirm(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err)
{
    struct tch_findings fresh;
    int status = 0;

    tch_findings_init(&fresh, g->findings.mode);
    fresh.session_spread = g->findings.session_spread;
    for (size_t i = 0; i < g->count && status == 0; i++) {
        struct tch_gate_bench *b = &g->benches[i];

        if (b->failed || count_suspects(g, b) == 0)
            continue;
        if (g->interrupted)
            leave_open(g, b, "FAIL at first; interrupted before it was run again");
        else
            status = run_again(g, b, watch, &fresh, err);
    }
    if (status == 0)
        status = judge_fresh(g, &fresh, err);
    for (size_t i = 0; i < g->count && status == 0; i++)
        if (g->benches[i].fresh > 0)
            note_fresh(g, &g->benches[i]);
    g->findings.verdict = tch_judge_worst(g->findings.rows, g->findings.count);
    tch_findings_release(&fresh);
    return status;
}
