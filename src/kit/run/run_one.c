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
#include "run_import.h"

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
   earlier run cannot print into it. A file of --command-output is kept. The output of the run
   begins at the end of that file, where such a process could still print. */
static int renew_outputs(const struct tch_run *run, uint32_t index, tacho_error *err)
{
    struct tch_run_item *item = &run->items[index];
    bool own = run->plan->output != TCH_IO_WRITE;
    int status = 0;

    item->out_from = 0;
    if (!tch_run_reads_output(run->plan) || item->out_fd < 0)
        return 0;
    if (!own && run->left_running)
        return tch_fail(
            err, TACHO_EINVAL, 0,
            "an earlier run left processes running that may print into '%s', where "
            "metrics are read; remove --command-output, so that each run has its own file",
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
    if (run->plan->server) {
        (void)tch_run_server_poll(&run->server);
        tch_run_server_power(&run->server, tch_run_meter_joules(&run->meter), false);
    }
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
    run->left_running |= sample->run.left_running;
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
    if (run->plan->server)
        tch_run_server_begin_run(&run->server, tch_run_meter_joules(&run->meter),
                                 tch_run_meter_dropped(&run->meter));
    return tch_spawner_begin(run->spawner, jobs, count, err);
}

bool tch_run_acceptable(struct tch_run *run, size_t index, const struct tch_run_sample *sample)
{
    if (tch_result_run_ok(&sample->run) || run->plan->allow_nonzero)
        return true;
    run->state = TCH_RUN_FAILED;
    run->stopped = sample->run.timed_out ? "timeout" : "failed";
    run->bad = *sample;
    run->bad_index = index;
    return false;
}

/* Writes the last run's line of samples.jsonl, unless the spawner did. */
static int write_log(const struct tch_run *run, size_t index, tacho_error *err)
{
    const struct tch_run_item *item = &run->items[index];
    char mem[2048];
    struct tch_buf b;
    int status;

    if (run->targets[index].log_fd >= 0)
        return 0;
    tch_buf_init_on(&b, mem, sizeof mem, LINE_MAX_BYTES);
    tch_result_write_run(&b, &item->result, item->result.run_count - 1);
    tch_buf_addc(&b, '\n');
    if (b.failed)
        status = tch_fail_memory(err);
    else
        status = tch_write_all(item->log_fd, "samples.jsonl", b.data, b.len, err);
    tch_buf_release(&b);
    return status;
}

/* Sets the metrics of the last run that the command printed. */
static int set_printed(struct tch_result *r, const struct tch_run_plan *plan,
                       const struct tch_found_numbers *found, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < plan->metric_count; i++) {
        struct tch_column *c = &r->columns[TCH_FIELDS + i]; /* in the order of the plan */

        for (size_t k = 0; k < found[i].values.n && status == 0; k++)
            status = tch_column_add(c, r->run_count - 1, found[i].values.v[k], err);
        if (found[i].values.n == 0 && !c->refused[0])
            memcpy(c->refused, found[i].refused, sizeof c->refused);
    }
    return status;
}

static int find_printed(const struct tch_run *run, struct tch_result *r,
                        const struct tch_run_outputs *outputs, const struct tch_run_watch *watch,
                        tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    struct tch_found_numbers *found = calloc(plan->metric_count + 1, sizeof *found);
    int status = found ? 0 : tch_fail_memory(err);

    if (status == 0)
        status = tch_metric_rules_find(plan->metrics, plan->metric_count, outputs, watch->stop,
                                       found, err);
    if (status == 0)
        status = set_printed(r, plan, found, err);
    for (size_t i = 0; found && i < plan->metric_count; i++)
        tch_values_release(&found[i].values);
    free(found);
    return status;
}

/* Adds a run to the result: its values, its checks, its line of the log. Returns 1 to continue, 0
   to stop. */
static int keep_run(struct tch_run *run, size_t index, const struct tch_run_sample *sample,
                    const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_run_item *item = &run->items[index];
    struct tch_run_outputs outputs = {.fd = {item->out_fd, item->err_fd}, .from = item->out_from};
    int status = tch_result_add_run(&item->result, &sample->run, err);

    if (status < 0)
        return status;
    tch_result_set_fields(&item->result, sample->field);
    if (tch_run_reads_output(run->plan))
        status = find_printed(run, &item->result, &outputs, watch, err);
    if (status == 0 && run->plan->import && tch_result_run_ok(&sample->run))
        status = tch_run_import(&item->result, &outputs, err);
    if (status == 0)
        status = tch_result_run_ok(&sample->run)
                     ? tch_run_check(run, index, &outputs, watch->stop, err)
                     : 1;
    if (status > 0 &&
        (write_log(run, index, err) < 0 || tch_run_hook_at(run, index, TCH_HOOK_CONCLUDE, err) < 0))
        status = err->code;
    if (status <= 0)
        tch_result_drop_run(&item->result); /* a run that did not pass is not a result */
    return status;
}

int tch_run_collect(struct tch_run *run, const struct tch_job *job,
                    const struct tch_run_watch *watch, tacho_error *err)
{
    struct tch_run_sample sample;
    bool served;
    int status = tch_run_await(run, job->index, watch, &sample, err);

    if (status <= 0)
        return status;
    sample.run.layout = run->layout;
    served = !run->plan->server ||
             tch_run_server_end_run(&run->server, tch_run_meter_joules(&run->meter),
                                    tch_run_meter_dropped(&run->meter), sample.field);
    status = keep_run(run, job->index, &sample, watch, err);
    if (status <= 0)
        return status;
    if (!served)
        return tch_fail(err, TACHO_EIO, 0,
                        "the server has exited; see server.log in the run folder");
    return tch_run_acceptable(run, job->index, &sample);
}

int tch_run_check_recorded(struct tch_run *run, tacho_error *err)
{
    for (size_t i = 0; i < run->plan->command_count; i++) {
        struct tch_run_item *item = &run->items[i];
        struct tch_result *r = &item->result;

        if (!tch_recorded_is_asked(r) || run->plan->commands[i].earlier || r->run_count == 0 ||
            r->runs[0].run != 1 || !tch_result_run_ok(&r->runs[0]))
            continue;
        if (tch_recorded_read(&item->recorded, r, err) < 0)
            return err->code;
        for (size_t k = TCH_FIELDS; k < r->column_count; k++) {
            const struct tch_metric *m = &r->columns[k].metric;

            if (m->asked && m->source != TCH_FROM_OUTPUT && isnan(r->columns[k].value[0]))
                return tch_recorded_missing(m->name, item->folder.path, 1, err);
        }
    }
    return 0;
}
