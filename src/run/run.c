/* The loop: warm up, run in turn, stop when it is enough. Opening and ending are run_open.c's. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_write.h"
#include "recorded.h"
#include "summary.h"

enum { LINE_MAX_BYTES = 256 << 20 };

static bool told_to_stop(const struct tch_run_watch *watch)
{
    return watch->stop && *watch->stop != 0;
}

/* What they print is for people, so it goes to standard error. */
int tch_run_hook(const struct tch_run_plan *plan, const char *what, const char *line,
                 tacho_error *err)
{
    const char *argv[] = {"sh", "-c", line, NULL};
    struct tch_spawn spec = {
        .argv = argv,
        .extra_env = plan->env,
        .cwd = plan->cwd,
        .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_FD, .fd = STDERR_FILENO}},
    };
    struct tch_spawn_end end;
    pid_t pid;
    int status;

    if (!line)
        return 0;
    status = tch_spawn(&spec, &pid, err);
    if (status == 0)
        status = tch_spawn_wait(pid, &end, err);
    if (status == 0 && end.status != 0)
        status = tch_fail(err, TACHO_EIO, 0, "--%s failed: '%.80s' ended with %s %d", what, line,
                          WIFSIGNALED(end.status) ? "signal" : "status",
                          WIFSIGNALED(end.status) ? WTERMSIG(end.status) : WEXITSTATUS(end.status));
    return status;
}

/* The output that was kept of the run before goes, but not from a file of the user's. */
static int clear_output(const struct tch_run *run, struct tch_run_item *item, tacho_error *err)
{
    item->out_from = 0;
    if (item->out_fd < 0)
        return 0;
    if (run->plan->output == TCH_IO_WRITE)
        item->out_from = lseek(item->out_fd, 0, SEEK_END);
    else if (ftruncate(item->out_fd, 0) < 0)
        return tch_fail_errno(err, errno, "cannot clear the output of the last run");
    return 0;
}

static int find_metrics(const struct tch_run *run, const struct tch_run_item *item,
                        struct tch_run_sample *sample, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    int status = 0;

    if (plan->metric_count == 0)
        return 0;
    if (item->out_fd >= 0)
        status = tch_metrics_find(plan->metrics, plan->metric_count, item->out_fd, item->out_from,
                                  "standard output", sample->metrics, err);
    if (status == 0 && item->err_fd >= 0)
        status = tch_metrics_find(plan->metrics, plan->metric_count, item->err_fd, 0,
                                  "standard error", sample->metrics, err);
    return status;
}

/* At most a tenth of a second, so that Ctrl-C is seen. */
static uint64_t time_to(uint64_t due)
{
    uint64_t now = tch_now_ns();
    uint64_t left = due > now ? due - now : 0;

    return left < 100000000u ? left : 100000000u;
}

/* The next multiple of the interval; those that were missed are left out. */
static uint64_t next_due(uint64_t due, uint64_t interval)
{
    uint64_t now = tch_now_ns();

    return now < due + interval ? due + interval : now - (now - due) % interval + interval;
}

/* Looking takes at most a hundredth of one CPU: where a look is dear there are fewer. */
static uint64_t spared(uint64_t interval, uint64_t cost)
{
    return interval > 100 * cost ? interval : 100 * cost;
}

static int look_at_server(struct tch_run *run)
{
    int alive = tch_run_server_look(&run->server);

    tch_run_server_power(&run->server, tch_run_meter_joules(&run->meter), false);
    return alive;
}

/* Until the command ends, or the user has enough: then it is ended. */
static int await(struct tch_run *run, size_t index, const struct tch_run_watch *watch,
                 struct tch_run_sample *sample, tacho_error *err)
{
    struct tch_run_timeline *timeline = &run->items[index].timeline;
    uint64_t interval = run->plan->interval_ns;
    uint64_t due = tch_now_ns() + interval;
    bool aborted = false;
    int status;

    for (;;) {
        if (told_to_stop(watch) && !aborted) {
            tch_spawner_abort(run->spawner);
            aborted = true;
        }
        /* A signal between the look above and the wait is seen when the wait is over. */
        status = tch_spawner_wait(run->spawner, time_to(due), sample, err);
        if (status > 0)
            break;
        if (status < 0 && err->system_errno != EINTR)
            return status;
        if (status == 0 && tch_now_ns() >= due) {
            tch_run_meter_look(&run->meter, tch_spawner_child(run->spawner), timeline, sample);
            if (run->plan->server)
                (void)look_at_server(run);
            due = next_due(due, spared(interval, run->meter.last_ns));
        }
    }
    tch_run_meter_end(&run->meter, timeline, sample);
    return aborted ? 0 : 1;
}

/* Before or after a run of one command, where that runs. */
static int run_hook(const struct tch_run *run, size_t index, const char *what, const char *line,
                    tacho_error *err)
{
    struct tch_run_plan plan = *run->plan;

    if (plan.commands[index].cwd)
        plan.cwd = plan.commands[index].cwd;
    return tch_run_hook(&plan, what, line, err);
}

/* What is to be done before a run. */
static int before_run(struct tch_run *run, const struct tch_job *job, tacho_error *err)
{
    int status = run_hook(run, job->index, "prepare", run->plan->prepare, err);

    return status == 0 ? clear_output(run, &run->items[job->index], err) : status;
}

static int begin(struct tch_run *run, const struct tch_job *jobs, size_t count, tacho_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (before_run(run, &jobs[i], err) < 0)
            return err->code;
    tch_run_meter_begin(&run->meter);
    return tch_spawner_begin(run->spawner, jobs, count, err);
}

/* Is it a run to go on after? */
static bool acceptable(struct tch_run *run, size_t index, const struct tch_run_sample *sample)
{
    if (tch_run_sample_ok(sample) || run->plan->allow_nonzero)
        return true;
    run->state = TCH_RUN_FAILED;
    run->stopped = sample->timed_out ? "timeout" : "failed";
    run->bad = *sample;
    run->bad_index = index;
    return false;
}

static int write_log(const struct tch_run_item *item, const struct tch_run_sample *sample,
                     tacho_error *err)
{
    char mem[2048];
    struct tch_buf b;
    int status;

    tch_buf_init_on(&b, mem, sizeof mem, LINE_MAX_BYTES);
    tch_run_sample_write(&b, sample, &item->receipt.samples);
    tch_buf_addc(&b, '\n');
    if (b.failed)
        status = tch_fail(err, TACHO_ENOMEM, 0, "no memory for a sample");
    else
        status = tch_write_all(item->log_fd, "samples.jsonl", b.data, b.len, err);
    tch_buf_release(&b);
    return status;
}

/* The end of one counted run. 1 to go on, 0 to stop. */
static int take_run(struct tch_run *run, const struct tch_job *job, uint64_t pair,
                    const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_run_item *item = &run->items[job->index];
    struct tch_run_sample *sample = tch_run_samples_next(&item->receipt.samples);
    int status;

    if (!sample)
        return tch_fail(err, TACHO_ENOMEM, 0, "no memory for a sample");
    sample->run = job->run;
    sample->pair = pair;
    status = await(run, job->index, watch, sample, err);
    if (status <= 0)
        return status;
    if (find_metrics(run, item, sample, err) < 0 || write_log(item, sample, err) < 0 ||
        run_hook(run, job->index, "conclude", run->plan->conclude, err) < 0)
        return err->code;
    item->receipt.samples.count++;
    if (run->plan->server && look_at_server(run) == 0)
        return tch_fail(err, TACHO_EIO, 0,
                        "the server has ended; see server.log in the run folder");
    return acceptable(run, job->index, sample);
}

static int warm_up(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_run_sample sample;
    int status = 1;

    for (uint64_t i = 0; i < run->plan->warmup * run->plan->command_count && status > 0; i++) {
        struct tch_job job = {.index = (uint32_t)(i % run->plan->command_count)};

        tch_run_sample_init(&sample);
        status = begin(run, &job, 1, err);
        if (status == 0)
            status = await(run, job.index, watch, &sample, err);
        if (status > 0 && run_hook(run, job.index, "conclude", run->plan->conclude, err) < 0)
            return err->code;
        run->bad_warmup = status > 0 && !acceptable(run, job.index, &sample);
        if (run->bad_warmup)
            return 0;
    }
    return status;
}

/* What programs recorded in runs that do not count. */
static void forget_uncounted(const struct tch_run *run)
{
    for (size_t i = 0; i < run->plan->command_count; i++) {
        char path[PATH_MAX];

        if (tch_folder_at(path, run->items[i].folder.path, "iter/0000", NULL) == 0)
            tch_folder_remove(path);
    }
}

/* The i-th run of all, from 0. A round is every command once, backwards every other time, so that
   what drifts hits all alike. */
static struct tch_job nth_job(const struct tch_run *run, uint64_t i, uint64_t *pair)
{
    uint64_t count = run->plan->command_count;
    uint64_t at = i % count;

    uint64_t round = i / count + 1;

    *pair = run->pairs_before + round;
    return (struct tch_job){
        .index = (uint32_t)(round % 2 == 1 ? at : count - 1 - at),
        .run = (uint32_t)(run->runs_before + round),
    };
}

/* How many runs to have made in one go, from the i-th on: as many as take a twentieth of a second,
   but not past the next look. Where something is to be done between two runs: one. */
static size_t batch_size(const struct tch_run *run, uint64_t i)
{
    const struct tch_run_plan *plan = run->plan;
    uint64_t count = plan->command_count;
    uint64_t rounds = i / count;
    uint64_t most = plan->runs > 0 ? plan->runs : plan->max_runs;
    uint64_t n = 1;

    if (plan->prepare || plan->conclude || plan->metric_count > 0 || run->meter.power ||
        count > TCH_JOBS_MAX / 2)
        return 1;
    if (rounds > 0) {
        uint64_t each = (tch_now_ns() - run->begin_ns) / rounds + 1;

        while (n < 50000000u / each && (n + 1) * count <= TCH_JOBS_MAX && rounds + n < most &&
               (plan->runs > 0 || !tch_run_look_now(rounds + n, most)))
            n++;
    }
    return (size_t)(n * count);
}

/* Some runs, from the i-th on. 1 to go on, 0 to stop. */
static int run_batch(struct tch_run *run, uint64_t i, size_t count,
                     const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_job jobs[TCH_JOBS_MAX] = {0};
    uint64_t pair;
    int status = 1;

    for (size_t j = 0; j < count; j++)
        jobs[j] = nth_job(run, i + j, &pair);
    if (begin(run, jobs, count, err) < 0)
        return err->code;
    for (size_t j = 0; j < count && status > 0; j++) {
        (void)nth_job(run, i + j, &pair);
        status = take_run(run, &jobs[j], pair, watch, err);
    }
    return status;
}

/* Is the median of every command known well enough? */
static bool precise(const struct tch_run *run)
{
    size_t n = run->items[0].receipt.samples.count;
    double *wall = malloc((n + 1) * sizeof *wall);
    bool enough = wall != NULL;

    for (size_t i = 0; i < run->plan->command_count && enough; i++) {
        struct tch_summary s;
        size_t ok = tch_run_samples_field(&run->items[i].receipt.samples, TCH_WALL, wall);

        enough = tch_summary_of(wall, ok, run->alpha, &s, NULL) == 0 &&
                 tch_summary_precision(&s) <= run->plan->precision;
    }
    free(wall);
    return enough;
}

/* Why to stop after n rounds, or NULL. */
static const char *enough(const struct tch_run *run, uint64_t n)
{
    const struct tch_run_plan *plan = run->plan;
    bool late = plan->max_time_ns > 0 && tch_now_ns() - run->begin_ns >= plan->max_time_ns;

    if (plan->runs > 0 && n >= plan->runs)
        return "runs";
    if (plan->runs == 0 && tch_run_look_now(n, plan->max_runs) && precise(run))
        return "precise";
    if (plan->runs == 0 && n >= plan->max_runs)
        return "max-runs";
    if (late && n >= plan->least_runs)
        return "max-time";
    return NULL;
}

static double share_done(const struct tch_run *run, uint64_t n)
{
    const struct tch_run_plan *plan = run->plan;
    uint64_t most = plan->runs > 0 ? plan->runs : plan->max_runs;
    double runs = (double)n / (double)most;
    double elapsed = (double)(tch_now_ns() - run->begin_ns);
    double least = (double)n / (double)plan->least_runs;
    double time = plan->max_time_ns > 0 ? elapsed / (double)plan->max_time_ns : 0;

    if (time > least)
        time = least;
    return runs > time ? runs : time;
}

static int interrupted(struct tch_run *run)
{
    run->state = TCH_RUN_INTERRUPTED;
    run->stopped = "interrupted";
    return 0;
}

static int measure_all(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = warm_up(run, watch, err);

    forget_uncounted(run);
    run->begin_ns = tch_now_ns();
    for (uint64_t i = 0; status > 0;) {
        size_t batch = batch_size(run, i);

        status = run_batch(run, i, batch, watch, err);
        i += batch;
        if (watch->step)
            watch->step(watch->ctx, run, share_done(run, i / run->plan->command_count));
        if (status > 0 && i % run->plan->command_count == 0)
            run->stopped = enough(run, i / run->plan->command_count);
        if (run->stopped)
            break;
    }
    if (status == 0 && run->state != TCH_RUN_FAILED)
        return interrupted(run);
    return status < 0 ? status : 0;
}

/* Ready, and measured from now on. */
static int start_server(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    const char *folder = run->items[0].folder.path;
    int status = tch_run_server_start(&run->server, run->plan, folder, watch->stop, err);

    tch_spawner_guard(run->spawner, run->server.pid);
    if (status == 0 && run->meter.power) {
        tch_run_meter_begin(&run->meter);
        status = tch_run_server_power_begin(&run->server, folder, tch_run_meter_joules(&run->meter),
                                            err);
    }
    return status;
}

/* What it used while the runs went on. */
static void note_server(struct tch_run *run)
{
    struct tch_run_server *s = &run->server;

    run->server_energy_j = NAN;
    if (s->tree) {
        run->server_lived = tch_run_server_look(s) > 0;
        if (s->power) {
            tch_run_server_power(s, tch_run_meter_joules(&run->meter), true);
            run->server_energy_j = s->joules;
        }
        run->server_cpu_ns = (double)(s->last.cpu_ns - s->begin_cpu_ns);
        run->server_peak_bytes = (double)s->peak_rss_bytes;
        run->server_ready_s = s->ready_s;
    }
}

/* While the server still runs. A flamegraph that cannot be had is told, and is no failure. */
static int draw_flames(struct tch_run *run, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    size_t count = plan->command_count + (plan->server ? 1 : 0);

    for (size_t i = 0; i < count; i++) {
        if (tch_run_hook(plan, "prepare", plan->prepare, err) < 0)
            return err->code;
        if (i < plan->command_count)
            (void)tch_run_flame(run, i, &run->items[i].flame_error);
        else
            (void)tch_run_flame_server(run, &run->server_flame_error);
        if (tch_run_hook(plan, "conclude", plan->conclude, err) < 0)
            return err->code;
    }
    forget_uncounted(run);
    return 0;
}

static void stop_server(struct tch_run *run)
{
    if (!run->plan->server)
        return;
    tch_run_server_stop(&run->server);
    tch_spawner_guard(run->spawner, 0);
}

int tch_run_flames(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = run->plan->server ? start_server(run, watch, err) : 0;

    if (status == 0)
        status = draw_flames(run, err);
    else if (status > 0)
        status = interrupted(run);
    stop_server(run);
    return status;
}

int tch_run_more(struct tch_run *run, uint64_t runs, const struct tch_run_watch *watch,
                 tacho_error *err)
{
    run->runs_before = run->pairs_before = run->items[0].receipt.samples.count;
    run->stopped = NULL;
    run->plan->runs = runs;
    run->plan->warmup = 0;
    run->plan->max_time_ns = 0;
    return tch_run_measure(run, watch, err);
}

/* Now, when nothing is measured any more: reading long files takes a CPU. */
static int read_recorded(struct tch_run *run, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < run->plan->command_count && status == 0; i++)
        status = tch_recorded_read(&run->items[i].receipt.samples, run->items[i].folder.path, err);
    return status;
}

int tch_run_measure(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status;

    tch_machine_look(&run->before);
    status = tch_run_hook(run->plan, "setup", run->plan->setup, err);
    if (status == 0 && run->plan->server)
        status = start_server(run, watch, err);
    if (status == 0)
        status = measure_all(run, watch, err);
    else if (status > 0)
        status = interrupted(run);
    if (run->plan->server)
        note_server(run);
    if (status == 0 && run->plan->flame && run->state == TCH_RUN_COMPLETE)
        status = draw_flames(run, err);
    stop_server(run);
    if (status == 0)
        status = read_recorded(run, err);
    if (status < 0) {
        run->state = TCH_RUN_FAILED;
        run->stopped = "error";
        (void)tch_run_hook(run->plan, "cleanup", run->plan->cleanup, NULL);
    } else {
        status = tch_run_hook(run->plan, "cleanup", run->plan->cleanup, err);
    }
    return status;
}
