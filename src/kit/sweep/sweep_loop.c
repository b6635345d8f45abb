/* The loop over blocks and runs. It continues when a cell fails. */
#include "sweep_loop.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "kit/run/run.h"
#include "sweep_unit.h"

enum { FAILURE_MAX = 8192, LAST_LINES = 5 };

static bool told_to_stop(const struct tch_sweep_watch *watch)
{
    return watch->stop && *watch->stop != 0;
}

double tch_sweep_left_ns(const struct tch_sweep *sweep)
{
    double known = 0;
    double left = 0;
    uint64_t known_units = 0;
    uint64_t unknown_runs = 0;

    for (size_t i = 0; i < sweep->cells + sweep->baselines; i++) {
        const struct tch_sweep_unit *u = &sweep->units[i];
        uint64_t runs = u->state == TCH_UNIT_FAILED ? 0 : u->total - u->done;

        if (u->last_ns == 0) {
            unknown_runs += runs;
            continue;
        }
        known += (double)u->last_ns;
        known_units++;
        left += (double)u->last_ns * (double)runs;
    }
    return known_units > 0 ? left + known / (double)known_units * (double)unknown_runs : 0;
}

/* Completed and failed cells. */

/* Results of a unit's extra runs. */
struct extra {
    struct tch_warnings warnings;
    struct tch_counts counts;
};

/* Completes the result of a unit. extra may be NULL; its counts move into the result. */
static int complete_unit(struct tch_sweep *sweep, struct tch_sweep_unit *unit, const char *state,
                         struct extra *extra, tacho_error *err)
{
    const struct tch_warnings *more = extra ? &extra->warnings : NULL;
    struct tch_result_end end = {
        .state = state,
        .stopped = strcmp(state, "complete") == 0 ? "runs" : state,
        .ended_unix_ns = tch_wall_ns(),
        .tacho_cpu_ns = NAN,
        .polls = unit->polls,
        .polls_cpu_ns = (double)unit->polls_ns,
        .power = sweep->power,
    };
    struct tch_recorded rec;
    struct tch_result r;
    int status = tch_result_load(&r, unit->folder, err);

    tch_recorded_init(&rec, unit->folder);
    if (!end.power.status) { /* no run was made since the sweep was resumed */
        end.power.status = "unavailable";
        snprintf(end.power.why_not, sizeof end.power.why_not,
                 "unknown, because the sweep was killed");
    }
    if (unit->server_runs > 0 &&
        unit->server_runs ==
            unit->done - unit->earlier_runs) { /* only if the sums cover all runs */
        end.server = unit->server_use;
        end.server.ready_s /= unit->server_runs;
    }
    for (size_t i = 0; more && status == 0 && i < more->count; i++)
        tch_warn(&r.warnings, more->item[i].code, more->item[i].advice, "%s", more->item[i].text);
    if (extra && status == 0) {
        r.counts = extra->counts;
        extra->counts = (struct tch_counts){0};
    }
    if (status == 0)
        status = tch_run_complete(&r, &rec, &end, sweep->plan->run.trace, err);
    tch_recorded_release(&rec);
    tch_result_release(&r);
    unit->closed = status == 0;
    return status;
}

/* Writes failure.txt beside run.json, with the reason and the end of the output. */
static int fail_unit(struct tch_sweep *sweep, struct tch_sweep_unit *unit,
                     const struct tch_buf *why, tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, unit->folder, "failure.txt", err);

    if (status == 0)
        status = tch_file_replace(path, why->data, why->len, false, err);
    if (status == 0)
        status = complete_unit(sweep, unit, "failed", NULL, err);
    unit->state = TCH_UNIT_FAILED;
    sweep->runs_done += unit->total - unit->done;
    return status;
}

/*
 * One run.
 */

static int make_folder(struct tch_sweep *sweep, const struct tch_unit_plan *p, size_t i,
                       tacho_error *err)
{
    struct tch_run_plan whole = p->run;
    struct tch_surroundings s = {0};
    struct tch_folder folder;
    int status = tch_unit_config(&s, sweep, i, err);

    whole.runs = sweep->units[i].total - sweep->units[i].done;
    if (status == 0)
        status = tch_run_create_folder(&folder, &whole, sweep->id, &s, err);
    free(s.config);
    free(s.config_canonical);
    if (status == 0 && !(sweep->units[i].folder = strdup(folder.path)))
        status = tch_fail_memory(err);
    return status;
}

static void add_costs(struct tch_sweep *sweep, struct tch_sweep_unit *unit, struct tch_run *run)
{
    unit->polls += run->items[0].timeline.polls;
    unit->polls_ns += run->items[0].timeline.polls_ns;
    if (run->meter.origin.idle.seconds == 0)
        run->meter.origin.idle = sweep->power.idle;
    sweep->power = run->meter.origin;
    sweep->idle_tried = true;
    if (run->server_use.ready_s > 0) {
        unit->server_runs++;
        unit->server_use.ready_s += run->server_use.ready_s;
        unit->server_use.cpu_ns += run->server_use.cpu_ns;
        unit->server_use.energy_j += run->server_use.energy_j;
        unit->server_use.peak_rss_bytes =
            fmax(unit->server_use.peak_rss_bytes, run->server_use.peak_rss_bytes);
    }
}

/* Makes one run. A missing program or a failing --prepare fails that cell alone; running out of
   memory stops the sweep. Returns 1 when the run was made or the cell failed (then `why` has the
   reason), 0 when asked to stop. */
static int make_run(struct tch_sweep *sweep, struct tch_unit_plan *p, const struct tch_step *step,
                    const struct tch_sweep_watch *watch, struct tch_buf *why, tacho_error *err)
{
    struct tch_sweep_unit *unit = &sweep->units[step->unit];
    struct tch_run_watch run_watch = {.stop = watch->stop};
    struct tch_run run;
    int status = tch_run_resume(&run, &p->run, unit->folder, step->run - 1, step->pair - 1, err);

    run.left_running = sweep->left_running;
    if (status == 0)
        status = tch_run_measure(&run, &run_watch, err);
    sweep->left_running = run.left_running;
    if (run.items)
        add_costs(sweep, unit, &run);
    if (status == 0)
        status = tch_run_timeline_close(&run.items[0].timeline, err);
    if (status < 0 && status != TACHO_ENOMEM) {
        tch_buf_adds(why, err->message);
        status = 1;
    } else if (status == 0 && run.state == TCH_RUN_FAILED) {
        tch_run_describe_failure(why, &run);
        tch_buf_addc(why, '\n');
        tch_run_last_words(&run, LAST_LINES, why);
        status = 1;
    } else if (status == 0) {
        status = run.state == TCH_RUN_COMPLETE;
    }
    tch_run_release(&run);
    return status;
}

/* Makes one step of a block. Returns 1 to continue, 0 when asked to stop. */
static int make_step(struct tch_sweep *sweep, const struct tch_step *step,
                     const struct tch_sweep_watch *watch, tacho_error *err)
{
    struct tch_sweep_unit *unit = &sweep->units[step->unit];
    uint64_t begin = tch_now_ns();
    struct tch_unit_plan p;
    struct tch_buf why;
    int status = tch_unit_plan_init(&p, sweep, step->unit, err);

    tch_buf_init(&why, FAILURE_MAX);
    if (status == 0 && !unit->folder)
        status = make_folder(sweep, &p, step->unit, err);
    if (status == 0)
        status = make_run(sweep, &p, step, watch, &why, err);
    if (status > 0 && why.len > 0) {
        if (fail_unit(sweep, unit, &why, err) < 0)
            status = err->code;
    } else if (status > 0) {
        unit->done = step->run;
        unit->last_ns = tch_now_ns() - begin;
        sweep->runs_done++;
    }
    if (status > 0 && watch->step)
        watch->step(watch->ctx, sweep, step->unit, why.len > 0 ? why.data : NULL);
    tch_buf_release(&why);
    tch_unit_plan_release(&p);
    return status;
}

static int run_block(struct tch_sweep *sweep, const struct tch_order *order, uint64_t block,
                     struct tch_step *steps, const struct tch_sweep_watch *watch, tacho_error *err)
{
    int status = tch_order_block(order, block, steps, err);

    if (status < 0)
        return status;
    status = 1;
    for (size_t i = 0; i < order->steps && status > 0; i++) {
        const struct tch_sweep_unit *unit = &sweep->units[steps[i].unit];

        if (unit->state == TCH_UNIT_FAILED || steps[i].run <= unit->done)
            continue;
        status = told_to_stop(watch) ? 0 : make_step(sweep, &steps[i], watch, err);
    }
    return status;
}

static int run_parts(struct tch_sweep *sweep, struct tch_step *steps,
                     const struct tch_sweep_watch *watch, tacho_error *err)
{
    int status = 1;

    for (size_t i = 0; i < sweep->parts.count; i++) {
        const struct tch_part *part = &sweep->parts.part[i];

        for (uint64_t block = 0; block < part->blocks && status > 0; block++)
            status = run_block(sweep, &part->order, block, steps, watch, err);
    }
    return status;
}

/* Extra runs of each unit for flamegraphs and counts, after all other runs. */

static bool wants_extra(const struct tch_sweep *sweep, const struct tch_sweep_unit *unit)
{
    return (sweep->plan->run.flame || sweep->plan->run.counts) && unit->state != TCH_UNIT_FAILED &&
           !unit->closed && unit->done >= unit->total;
}

/* Makes the extra runs of a unit. A missing flamegraph does not fail the cell; the caller reports
   its reason from *err. Running out of memory does fail. */
static int make_extra(const struct tch_sweep *sweep, size_t i, struct tch_unit_plan *p,
                      const struct tch_sweep_watch *watch, struct extra *ret, tacho_error *err)
{
    const struct tch_sweep_unit *unit = &sweep->units[i];
    struct tch_run_watch run_watch = {.stop = watch->stop};
    struct tch_run run;
    int status;

    p->run.flame = sweep->plan->run.flame;
    p->run.counts = sweep->plan->run.counts;
    status = tch_run_resume(&run, &p->run, unit->folder, unit->total, 0, err);
    if (status < 0)
        goto out;
    status = tch_run_extras(&run, &run_watch, err);
    if (status != 0)
        goto out;
    ret->counts = run.items[0].result.counts;
    run.items[0].result.counts = (struct tch_counts){0};
    if (run.items[0].flame_error.message[0]) {
        *err = run.items[0].flame_error;
        status = err->code;
    } else if (run.server_flame_error.message[0]) {
        *err = run.server_flame_error;
        status = err->code;
    } else {
        ret->warnings = run.items[0].result.warnings;
    }
out:
    tch_run_release(&run);
    return status;
}

/* Makes the extra runs of a unit and completes it. Returns 1 to continue, 0 when asked to stop. */
static int end_by_extra(struct tch_sweep *sweep, size_t i, const struct tch_sweep_watch *watch,
                        tacho_error *err)
{
    struct tch_unit_plan p;
    struct extra extra = {.warnings = {.count = 0}};
    int status = tch_unit_plan_init(&p, sweep, i, err);

    if (status == 0) {
        status = make_extra(sweep, i, &p, watch, &extra, err);
        if (told_to_stop(watch)) {
            status = 0;
        } else if (status != TACHO_ENOMEM) {
            if (status < 0 && sweep->flames_missing++ == 0)
                sweep->flame_error = *err;
            status =
                complete_unit(sweep, &sweep->units[i], "complete", &extra, err) < 0 ? err->code : 1;
        }
    }
    tch_counts_release(&extra.counts);
    tch_unit_plan_release(&p);
    return status;
}

static int make_extras(struct tch_sweep *sweep, const struct tch_sweep_watch *watch,
                       tacho_error *err)
{
    int status = 1;

    for (size_t i = 0; i < sweep->cells + sweep->baselines && status > 0; i++)
        if (wants_extra(sweep, &sweep->units[i])) {
            status = told_to_stop(watch) ? 0 : end_by_extra(sweep, i, watch, err);
            if (status > 0 && watch->step)
                watch->step(watch->ctx, sweep, i, NULL);
        }
    return status;
}

static bool all_done(const struct tch_sweep *sweep)
{
    bool done = sweep->runs_done >= sweep->runs_total;

    for (size_t i = 0; i < sweep->cells + sweep->baselines && done; i++)
        done = !wants_extra(sweep, &sweep->units[i]);
    return done;
}

int tch_sweep_measure(struct tch_sweep *sweep, const struct tch_sweep_watch *watch,
                      tacho_error *err)
{
    const struct tch_run_plan *plan = &sweep->plan->run;
    struct tch_step *steps;
    int status;

    if (all_done(sweep))
        return 0;
    steps = calloc(tch_parts_steps(&sweep->parts), sizeof *steps);
    if (!steps)
        return tch_fail_memory(err);
    status = tch_run_hook(plan, "setup", plan->setup, watch->stop, err);
    sweep->interrupted = status < 0 && err->system_errno == ECANCELED;
    if (sweep->interrupted) {
        status = 0;
    } else if (status == 0) {
        status = run_parts(sweep, steps, watch, err);
        if (status > 0)
            status = make_extras(sweep, watch, err);
        sweep->interrupted = status == 0;
        if (tch_run_hook(plan, "cleanup", plan->cleanup, watch->stop, status < 0 ? NULL : err) <
                0 &&
            status > 0)
            status = TACHO_EIO;
    }
    free(steps);
    return status < 0 ? status : 0;
}

int tch_sweep_finish(struct tch_sweep *sweep, tacho_error *err)
{
    int result = 0;

    for (size_t i = 0; i < sweep->cells + sweep->baselines; i++) {
        struct tch_sweep_unit *unit = &sweep->units[i];

        if (unit->state == TCH_UNIT_FAILED || unit->done < unit->total ||
            (sweep->interrupted && wants_extra(sweep, unit)))
            continue;
        unit->state = TCH_UNIT_COMPLETE;
        if (!unit->closed) {
            int status = complete_unit(sweep, unit, "complete", NULL, err);

            if (status < 0)
                result = status;
        }
    }
    return result;
}
