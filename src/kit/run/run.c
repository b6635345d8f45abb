/* The main loop: warms up, interleaves the commands, and stops when there are enough runs.
   run_one.c makes a single run. */
#include "run.h"

#include <errno.h>
#include <math.h>

#include <tacho/flame.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/result/summary.h"
#include "kit/stats/random.h"

static int warm_up(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_run_sample sample;
    int status = 1;

    for (uint64_t i = 0; i < run->plan->warmup * run->plan->command_count && status > 0; i++) {
        struct tch_job job = {.index = (uint32_t)(i % run->plan->command_count)};

        status = tch_run_begin(run, &job, 1, err);
        if (status == 0)
            status = tch_run_await(run, job.index, watch, &sample, err);
        if (status > 0 && tch_run_hook_at(run, job.index, TCH_HOOK_CONCLUDE, err) < 0)
            return err->code;
        run->bad_warmup = status > 0 && !tch_run_acceptable(run, job.index, &sample);
        if (run->bad_warmup)
            return 0;
    }
    return status;
}

/* Removes the files that programs recorded in warm-up runs. */
static void forget_uncounted(const struct tch_run *run)
{
    for (size_t i = 0; i < run->plan->command_count; i++)
        tch_found_clear(run->items[i].folder.path, "iter/0000");
}

/* Returns the i-th run, counted from 0 over all commands. A round runs every command once, in an
   order drawn for this round alone. For any two commands a fair coin decides which one runs first.
   The test of pairs (kit/stats/flip.h) relies on these coins. */
static struct tch_job nth_job(const struct tch_run *run, uint64_t i)
{
    uint64_t count = run->plan->command_count;
    uint64_t round = i / count + 1;
    uint64_t pair = run->pairs_before + round;
    uint64_t state = run->plan->order_seed ^ pair * 0xD1342543DE82EF95u;
    uint32_t order[TCH_COMMANDS_MAX];

    for (uint32_t k = 0; k < count; k++)
        order[k] = k;
    tch_random_shuffle(&state, order, count);
    return (struct tch_job){
        .pair = pair,
        .index = order[i % count],
        .run = (uint32_t)(run->runs_before + round),
    };
}

/* Returns how many runs to request at once, from the i-th on: as many as take 50 ms, at most up to
   the next check of the precision. Returns 1 if tacho has something to do between two runs. */
static size_t batch_size(const struct tch_run *run, uint64_t i)
{
    const struct tch_run_plan *plan = run->plan;
    uint64_t count = plan->command_count;
    uint64_t rounds = i / count;
    uint64_t most = plan->runs > 0 ? plan->runs : plan->max_runs;
    uint64_t n = 1;

    if (tch_run_hook_line(plan, 0, TCH_HOOK_PREPARE) ||
        tch_run_hook_line(plan, 0, TCH_HOOK_CONCLUDE) || tch_run_reads_runs(plan) ||
        run->meter.power || count > TCH_JOBS_MAX / 2)
        return 1;
    if (rounds > 0) {
        uint64_t each = (tch_now_ns() - run->begin_ns) / rounds + 1;

        while (n < 50000000u / each && (n + 1) * count <= TCH_JOBS_MAX && rounds + n < most &&
               (plan->runs > 0 || !tch_precision_check_due(rounds + n, most)))
            n++;
    }
    return (size_t)(n * count);
}

/* Makes `count` runs from the i-th on. Returns 1 to continue, 0 to stop. */
static int run_batch(struct tch_run *run, uint64_t i, size_t count,
                     const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_job jobs[TCH_JOBS_MAX] = {0};
    int status = 1;

    for (size_t j = 0; j < count; j++)
        jobs[j] = nth_job(run, i + j);
    if (tch_run_begin(run, jobs, count, err) < 0)
        return err->code;
    for (size_t j = 0; j < count && status > 0; j++)
        status = tch_run_collect(run, &jobs[j], watch, err);
    /* The first round is over and the second has not begun: reading disturbs no run. */
    if (status > 0 && i + count == run->plan->command_count && tch_run_check_recorded(run, err) < 0)
        return err->code;
    if (status < 0)
        tch_spawner_cancel(run->spawner);
    return status;
}

/* Returns whether the median of every command is precise enough. */
static bool is_precise(const struct tch_run *run)
{
    size_t n = run->items[0].result.run_count;
    double *wall = malloc((n + 1) * sizeof *wall);
    bool enough = wall != NULL;

    for (size_t i = 0; i < run->plan->command_count && enough; i++) {
        struct tch_summary s;
        size_t ok = tch_result_field(&run->items[i].result, TCH_WALL, wall);

        enough = tch_summary_of(wall, ok, run->alpha, &s, NULL) == 0 &&
                 tch_summary_precision(&s) <= run->plan->precision;
    }
    free(wall);
    return enough;
}

/* Returns the minimum number of rounds, which are made even after the time limit. n > 0 rounds took
   `elapsed`. */
static uint64_t least_rounds(const struct tch_run_plan *plan, uint64_t n, double elapsed)
{
    double usual = elapsed / (double)n * TCH_RUNS_USUAL;

    if (plan->least_runs > 0)
        return plan->least_runs;
    return usual < (double)TCH_RUN_USUAL_NS * (double)plan->command_count ? TCH_RUNS_USUAL
                                                                          : TCH_RUNS_LEAST;
}

/* Returns the part of the time limit that has passed; 0 without a limit. */
static double time_share(const struct tch_run_plan *plan, double elapsed)
{
    double limit = (double)plan->max_time_ns * (double)plan->command_count;

    return limit > 0 ? elapsed / limit : 0;
}

/* Returns why to stop after n rounds, or NULL. */
static const char *stop_reason(const struct tch_run *run, uint64_t n)
{
    const struct tch_run_plan *plan = run->plan;
    double elapsed = (double)(tch_now_ns() - run->begin_ns);

    if (plan->runs > 0 && n >= plan->runs)
        return "runs";
    if (plan->runs == 0 && n >= plan->least_runs && tch_precision_check_due(n, plan->max_runs) &&
        is_precise(run))
        return "precise";
    if (plan->runs == 0 && n >= plan->max_runs)
        return "max-runs";
    if (time_share(plan, elapsed) >= 1 && n >= least_rounds(plan, n, elapsed))
        return "max-time";
    return NULL;
}

static double share_done(const struct tch_run *run, uint64_t n)
{
    const struct tch_run_plan *plan = run->plan;
    uint64_t most = plan->runs > 0 ? plan->runs : plan->max_runs;
    double runs = (double)n / (double)most;
    double elapsed = (double)(tch_now_ns() - run->begin_ns);
    double time = time_share(plan, elapsed);

    if (n > 0)
        time = fmin(time, (double)n / (double)least_rounds(plan, n, elapsed));
    return fmax(runs, time);
}

static int interrupted(struct tch_run *run)
{
    run->state = TCH_RUN_INTERRUPTED;
    run->stopped = "interrupted";
    return 0;
}

/* Returns whether the user stopped a hook, which is not a failure. */
static bool was_stopped(int status, const tacho_error *err)
{
    return status < 0 && err->system_errno == ECANCELED;
}

static int measure_all(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = tch_run_relink(run, run->pairs_before + 1, err);

    if (status == 0)
        status = warm_up(run, watch, err);
    forget_uncounted(run);
    run->begin_ns = tch_now_ns();
    for (uint64_t i = 0; status > 0;) {
        size_t batch = batch_size(run, i);

        status = tch_run_relink(run, nth_job(run, i).pair, err);
        if (status == 0)
            status = run_batch(run, i, batch, watch, err);
        i += batch;
        if (watch->step)
            watch->step(watch->ctx, run, share_done(run, i / run->plan->command_count));
        if (status > 0 && i % run->plan->command_count == 0)
            run->stopped = stop_reason(run, i / run->plan->command_count);
        if (run->stopped)
            break;
    }
    if (status == 0 && run->state != TCH_RUN_FAILED)
        return interrupted(run);
    return status < 0 ? status : 0;
}

/* Starts the server and waits until it is ready. It is measured from then on. */
static int start_server(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    const char *folder = run->items[0].folder.path;
    int status = tch_run_server_start(&run->server, run->plan, folder, err);

    run->waiting = true;
    if (watch->step)
        watch->step(watch->ctx, run, 0);
    if (status == 0)
        status = tch_run_server_await(&run->server, run->plan, watch->stop, err);
    run->waiting = false;
    if (status == 0 && run->meter.power) {
        tch_run_meter_begin(&run->meter);
        run->server.dropped = tch_run_meter_dropped(&run->meter);
        status = tch_run_server_power_begin(&run->server, folder, tch_run_meter_joules(&run->meter),
                                            err);
    }
    return status;
}

/* Stores what the server used during the runs. */
static void sum_up_server(struct tch_run *run)
{
    struct tch_run_server *s = &run->server;
    double joules = tch_run_meter_joules(&run->meter);
    bool known; /* as for a run: energy is missing when a reading failed */

    if (!s->tree)
        return;
    (void)tch_run_server_poll(s);
    tch_run_server_power(s, joules, true);
    known = s->power && !isnan(joules) && tch_run_meter_dropped(&run->meter) == s->dropped;
    run->server_use = (struct tch_result_server){
        .ready_s = s->ready_s,
        .cpu_ns = (double)(s->last.cpu_ns - s->begin_cpu_ns),
        .peak_rss_bytes = (double)s->peak_rss_bytes,
        .energy_j = known ? s->joules : NAN,
    };
}

/* Draws flamegraphs while the server still runs. A flamegraph that fails is reported later and does
   not fail the run. */
static int draw_flames(struct tch_run *run, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    size_t count = plan->command_count + (plan->server ? 1 : 0);

    for (size_t i = 0; i < count; i++) {
        size_t index = i < plan->command_count
                           ? i
                           : 0; /* the server is profiled while the first command runs */

        if (tch_run_hook_at(run, index, TCH_HOOK_PREPARE, err) < 0)
            return err->code;
        if (i < plan->command_count)
            (void)tch_run_flame(run, i, &run->items[i].result.warnings, &run->items[i].flame_error);
        else
            (void)tch_run_flame_server(run, &run->items[0].result.warnings,
                                       &run->server_flame_error);
        (void)tch_run_flame_excuse(i < plan->command_count ? &run->items[i].flame_error
                                                           : &run->server_flame_error,
                                   &run->items[index].result.warnings);
        if (tch_run_hook_at(run, index, TCH_HOOK_CONCLUDE, err) < 0)
            return err->code;
    }
    forget_uncounted(run);
    return 0;
}

static void stop_server(struct tch_run *run)
{
    if (run->plan->server)
        tch_run_server_stop(&run->server);
}

int tch_run_extras(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = run->plan->server ? start_server(run, watch, err) : 0;

    run->watch = watch;
    if (status == 0 && run->plan->flame)
        status = draw_flames(run, err);
    if (status == 0)
        status = tch_run_count(run, watch, err);
    else if (status > 0)
        status = interrupted(run);
    if (was_stopped(status, err))
        status = interrupted(run);
    run->watch = NULL;
    stop_server(run);
    return status;
}

/* Records the hashes of the program, after --setup, which may have built it. */
static int record_program(struct tch_run *run, size_t index, tacho_error *err)
{
    struct tch_run_item *item = &run->items[index];
    int status = tch_run_result_program(&item->result, run->plan, index, err);

    return status < 0 ? status : tch_result_save(&item->result, item->folder.path, err);
}

int tch_run_more(struct tch_run *run, uint64_t runs, const struct tch_run_watch *watch,
                 tacho_error *err)
{
    run->runs_before = run->pairs_before = run->items[0].result.run_count;
    run->stopped = NULL;
    run->plan->runs = runs;
    run->plan->warmup = 0;
    run->plan->max_time_ns = 0;
    run->plan->idle_ns = 0;
    return tch_run_measure(run, watch, err);
}

/* Does what precedes the runs. Returns 1 if the user stopped it. */
static int set_up(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = tch_run_meter_idle(&run->meter, run->plan, watch->stop);

    if (status != 0)
        return status;
    status = tch_run_hook_once(run, TCH_HOOK_SETUP, err);
    if (status != 0)
        return status;
    for (size_t i = 0; i < run->plan->command_count; i++) {
        if (!tch_run_hook_line(run->plan, i, TCH_HOOK_SETUP))
            continue;
        status = record_program(run, i, err); /* the hook may have built it */
        if (status != 0)
            return status;
    }
    return run->plan->server ? start_server(run, watch, err) : 0;
}

int tch_run_measure(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status;

    tch_machine_read(&run->before);
    run->watch = watch;
    status = set_up(run, watch, err);
    if (status == 0)
        status = measure_all(run, watch, err);
    else if (status > 0)
        status = interrupted(run);
    if (run->plan->server)
        sum_up_server(run);
    if (status == 0 && run->plan->flame && run->state == TCH_RUN_COMPLETE)
        status = draw_flames(run, err);
    if (status == 0 && run->state == TCH_RUN_COMPLETE)
        status = tch_run_count(run, watch, err);
    stop_server(run);
    if (was_stopped(status, err))
        status = interrupted(run);
    /* Measuring is over, so reading long files may use a CPU. */
    for (size_t i = 0; i < run->plan->command_count && status == 0; i++)
        status = tch_recorded_read(&run->items[i].recorded, &run->items[i].result, err);
    if (status < 0) {
        run->state = TCH_RUN_FAILED;
        run->stopped = "error";
        (void)tch_run_hook_once(run, TCH_HOOK_CLEANUP, NULL);
    } else {
        status = tch_run_hook_once(run, TCH_HOOK_CLEANUP, err);
    }
    run->watch = NULL;
    return status;
}
