/* Makes one run: waits and polls, finds metrics, writes its line of the log. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "recorded_metric.h"

enum { LINE_MAX_BYTES = 256 << 20 };

/* Replaces an unnamed file by a new one, under the same descriptor. */
static int replace_unnamed(const struct tch_run_item *item, const char *name, int number,
                           tacho_error *err)
{
    int fd, status = tch_run_open_unnamed(item->folder.path, name, &fd, err);

    if (status < 0)
        return status;
    if (dup3(fd, number, O_CLOEXEC) < 0)
        status = tch_fail_errno(err, errno, "cannot replace the output of the last run");
    close(fd);
    return status;
}

/* Gives each run whose output is read a file of its own, so that a process left running by an
   earlier run cannot print into it. A file of --output is kept. The output of the run begins at the
   end of that file, where such a process could still print. */
static int renew_outputs(const struct tch_run *run, uint32_t index, tacho_error *err)
{
    struct tch_run_item *item = &run->items[index];
    bool own = run->plan->output != TCH_IO_WRITE;
    int status = 0;

    item->out_from = 0;
    if (!tch_run_reads_output(run->plan) || item->out_fd < 0)
        return 0;
    if (!own && run->left_running)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "an earlier run left processes running that may print into '%s', where "
                        "metrics are read; remove --output, so that each run has its own file",
                        run->plan->output_path);
    if (own)
        status = replace_unnamed(item, ".stdout", item->out_fd, err);
    else
        item->out_from = lseek(item->out_fd, 0, SEEK_END);
    if (status == 0)
        status = replace_unnamed(item, ".stderr", item->err_fd, err);
    return status < 0
               ? status
               : tch_spawner_renew(run->spawner, index, own ? item->out_fd : -1, item->err_fd, err);
}

/* Returns the time left, at most 100 ms, so that Ctrl-C is noticed soon. */
static uint64_t time_to(uint64_t due)
{
    uint64_t now = tch_now_ns();
    uint64_t left = due > now ? due - now : 0;

    return left < 100000000u ? left : 100000000u;
}

static int poll_server(struct tch_run *run)
{
    int alive = tch_run_server_poll(&run->server);

    tch_run_server_power(&run->server, tch_run_meter_joules(&run->meter), false);
    return alive;
}

/* Polls the command if a poll is due. A run shorter than the interval is never polled. Polling uses
   at most 1 % of one CPU: when a poll is expensive, fewer are made. Returns when the next poll is
   due; missed polls are skipped. */
static uint64_t poll_when_due(struct tch_run *run, uint64_t due, struct tch_run_timeline *timeline)
{
    struct tch_run_meter *meter = &run->meter;
    uint64_t interval = run->plan->interval_ns;
    uint64_t first = tch_spawner_began_ns(run->spawner) + interval;
    uint64_t now;
    pid_t pid;

    if (due < first)
        due = first;
    if (tch_now_ns() < due)
        return due;
    pid = tch_spawner_child(run->spawner);
    tch_run_meter_poll(meter, pid, timeline);
    if (meter->tree_bytes > 0)
        tch_spawner_note_memory(run->spawner, pid, meter->tree_bytes, meter->peak_bytes);
    if (run->plan->server)
        (void)poll_server(run);
    if (interval < 100 * meter->last_ns)
        interval = 100 * meter->last_ns;
    now = tch_now_ns();
    return now < due + interval ? due + interval : now - (now - due) % interval + interval;
}

int tch_run_await(struct tch_run *run, size_t index, const struct tch_run_watch *watch,
                  struct tch_run_sample *sample, tacho_error *err)
{
    struct tch_run_timeline *timeline = &run->items[index].timeline;
    uint64_t interval = run->plan->interval_ns;
    uint64_t due = tch_spawner_began_ns(run->spawner) + interval;
    bool aborted = false;
    int status;

    for (;;) {
        if (watch->stop && *watch->stop != 0 && !aborted) {
            tch_spawner_abort(run->spawner);
            aborted = true;
        }
        /* A signal that arrives after this test is noticed after the wait. */
        status = tch_spawner_wait(run->spawner, time_to(due), sample, err);
        if (status > 0)
            break;
        if (status < 0 && err->system_errno == ECANCELED)
            return 0;
        if (status < 0 && err->system_errno != EINTR)
            return status;
        if (status == 0)
            due = poll_when_due(run, due, timeline);
    }
    run->left_running |= sample->left_running;
    tch_run_meter_end(&run->meter, timeline, sample);
    return 1;
}

int tch_run_begin(struct tch_run *run, const struct tch_job *jobs, size_t count, tacho_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (tch_run_hook_at(run, jobs[i].index, TCH_HOOK_PREPARE, err) < 0 ||
            renew_outputs(run, jobs[i].index, err) < 0)
            return err->code;
    tch_run_meter_begin(&run->meter);
    return tch_spawner_begin(run->spawner, jobs, count, err);
}

bool tch_run_acceptable(struct tch_run *run, size_t index, const struct tch_run_sample *sample)
{
    if (tch_run_sample_ok(sample) || run->plan->allow_nonzero)
        return true;
    run->state = TCH_RUN_FAILED;
    run->stopped = sample->timed_out ? "timeout" : "failed";
    run->bad = *sample;
    run->bad_index = index;
    return false;
}

/* Writes the run's line of samples.jsonl, unless the spawner did. */
static int write_log(const struct tch_run *run, size_t index, const struct tch_run_sample *sample,
                     tacho_error *err)
{
    const struct tch_run_item *item = &run->items[index];
    char mem[2048];
    struct tch_buf b;
    int status;

    if (run->targets[index].log_fd >= 0)
        return 0;
    tch_buf_init_on(&b, mem, sizeof mem, LINE_MAX_BYTES);
    tch_run_sample_write(&b, sample, &item->receipt.samples);
    tch_buf_addc(&b, '\n');
    if (b.failed)
        status = tch_fail_memory(err);
    else
        status = tch_write_all(item->log_fd, "samples.jsonl", b.data, b.len, err);
    tch_buf_release(&b);
    return status;
}

static int find_metrics(const struct tch_run *run, struct tch_run_item *item,
                        const struct tch_run_outputs *outputs, struct tch_run_sample *sample,
                        const struct tch_run_watch *watch, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    struct tch_recorded_run in = {
        .folder = item->folder.path, .run = sample->run, .warnings = &item->receipt.warnings};
    int status = tch_run_reads_output(plan)
                     ? tch_metrics_find(plan->metrics, plan->metric_count, outputs, watch->stop,
                                        sample->metrics, err)
                     : 0;

    return status < 0 ? status
                      : tch_recorded_metrics_find(plan->metrics, plan->metric_count, &in,
                                                  sample->metrics, err);
}

/* Checks, after the first run, that the program records the metrics. */
static int check_recorded(const struct tch_run *run, size_t index,
                          const struct tch_run_sample *sample, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    struct tch_recorded_run in = {.folder = run->items[index].folder.path, .run = sample->run};
    int status = 0;

    if (sample->run != 1 || !tch_run_sample_ok(sample) || plan->commands[index].earlier)
        return 0;
    for (size_t i = 0; i < plan->metric_count && status == 0; i++)
        if (plan->metrics[i].source != TCH_METRIC_PRINTED && sample->metrics[i].n == 0)
            status = tch_recorded_metric_missing(&plan->metrics[i], &in, err);
    return status;
}

int tch_run_collect(struct tch_run *run, const struct tch_job *job,
                    const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_run_item *item = &run->items[job->index];
    struct tch_run_sample *sample = tch_run_samples_next(&item->receipt.samples);
    struct tch_run_outputs outputs = {.fd = {item->out_fd, item->err_fd}, .from = item->out_from};
    int status;

    if (!sample)
        return tch_fail_memory(err);
    status = tch_run_await(run, job->index, watch, sample, err);
    if (status <= 0)
        return status;
    sample->layout = run->layout;
    if (find_metrics(run, item, &outputs, sample, watch, err) < 0)
        return err->code;
    if (tch_run_sample_ok(sample)) {
        status = tch_run_check(run, job->index, &outputs, watch->stop, err);
        if (status <= 0)
            return status;
    }
    if (write_log(run, job->index, sample, err) < 0 ||
        tch_run_hook_at(run, job->index, TCH_HOOK_CONCLUDE, err) < 0)
        return err->code;
    item->receipt.samples.count++;
    if (run->plan->server && poll_server(run) == 0)
        return tch_fail(err, TACHO_EIO, 0,
                        "the server has exited; see server.log in the run folder");
    if (!tch_run_acceptable(run, job->index, sample))
        return 0;
    return check_recorded(run, job->index, sample, err) < 0 ? err->code : 1;
}
