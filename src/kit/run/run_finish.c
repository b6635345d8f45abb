/* Finishes a run: completes the results, and describes a failed run. */
#include "run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/recorded/recorded_load.h"
#include "kit/recorded/recorded_merge.h"
#include "kit/recorded/recorded_traces.h"
#include "kit/result/advise.h"
#include "kit/result/costs.h"
#include "process/exit_text.h"
#include "run_trace.h"

enum { LAST_WORDS = 4096 };

static int stop_at_first(const char *path, void *ctx, tacho_error *err)
{
    (void)path;
    (void)ctx;
    (void)err;
    return 1;
}

/* Completes a run folder. tacho may be killed at any time. Until run.json is complete, the log and
   all parts stay, so `tacho report` can start from them again. */
int tch_run_complete(struct tch_result *r, struct tch_recorded *rec,
                     const struct tch_result_end *end, bool trace, tacho_error *err)
{
    const char *folder = rec->folder;
    int status = tch_recorded_read(rec, r, err);

    if (status < 0)
        return status;
    status = tch_recorded_finish(rec, r, err);
    if (status < 0)
        return status;
    status = tch_recorded_merge(folder, &r->warnings, err);
    if (status < 0)
        return status;
    /* A program that recorded spans gets a trace even if nobody asked for one. */
    if (trace || tch_recorded_each_recording(folder, stop_at_first, NULL, err) > 0 ||
        tch_recorded_each_chrome(folder, stop_at_first, NULL, err) > 0) {
        status = tch_run_trace(r, folder, err);
        if (status < 0)
            return status;
    }
    status = tch_result_end(r, end, err);
    if (status < 0)
        return status;
    tch_costs_advise(&r->warnings, &r->costs, tch_result_wall(r));
    status = tch_result_save(r, folder, err);
    if (status < 0)
        return status;
    tch_found_remove(folder, "samples.jsonl");
    return tch_recorded_remove_parts(folder, err);
}

int tch_run_finish(struct tch_run *run, tacho_error *err)
{
    static const char *const states[] = {
        [TCH_RUN_COMPLETE] = "complete",
        [TCH_RUN_INTERRUPTED] = "interrupted",
        [TCH_RUN_FAILED] = "failed",
    };
    uint64_t spawner_ns = tch_spawner_cpu_ns(run->spawner);
    struct tch_result_end end = {
        .state = states[run->state],
        .stopped = run->stopped ? run->stopped : "error",
        .ended_unix_ns = tch_wall_ns(),
        .tacho_cpu_ns = (double)(spawner_ns + tch_clock_read(CLOCK_PROCESS_CPUTIME_ID)),
        .server = run->server_use,
        .power = run->meter.origin,
    };
    struct tch_machine_state after;
    int result = 0;

    tch_machine_read(&after);
    for (size_t i = 0; i < run->plan->command_count; i++) {
        struct tch_run_timeline *timeline = &run->items[i].timeline;
        struct tch_result *r = &run->items[i].result;
        int status = tch_run_timeline_close(timeline, err);

        end.polls = timeline->polls;
        end.polls_cpu_ns = (double)timeline->polls_ns;
        if (status == 0)
            status = tch_advise(r, err);
        if (timeline->missed > 0)
            tch_warn(
                &r->warnings, "poll-failed",
                "rows of memory.csv are missing, and the peak of the tree may be too low; check "
                "how /proc is mounted",
                "%llu of %llu polls of the command failed: %.120s",
                (unsigned long long)timeline->missed, (unsigned long long)timeline->polls,
                timeline->why.message);
        tch_run_check_layouts(run, i);
        tch_advise_machine(&r->warnings, &run->before, &after);
        if (status == 0)
            status = tch_run_complete(r, &run->items[i].recorded, &end, run->plan->trace, err);
        if (status < 0)
            result = status;
    }
    return result;
}

int tch_run_recover(struct tch_result *r, const char *folder, tacho_error *err)
{
    struct tch_result_end end = tch_recorded_end(TCH_RUN_KILLED);
    struct tch_recorded rec;
    struct stat st;
    int fd = tch_found_open(folder, "samples.jsonl", err);
    int status;

    if (fd < 0)
        return fd;
    tch_recorded_init(&rec, folder);
    if (stat(folder, &st) < 0)
        status = tch_fail_errno(err, errno, "cannot read '%s'", folder);
    else if (st.st_uid != geteuid())
        status = tch_fail(err, TACHO_EINVAL, 0, "'%s' belongs to another user", folder);
    else if (tch_file_lock(fd, 0) < 0 && errno == EWOULDBLOCK)
        status = tch_fail(err, TACHO_EINVAL, 0, "'%s' is in use", folder);
    else
        status = tch_run_complete(r, &rec, &end, false, err);
    tch_recorded_release(&rec);
    close(fd);
    return status;
}

void tch_run_describe_failure(struct tch_buf *b, const struct tch_run *run)
{
    const struct tch_run_sample *bad = &run->bad;
    char how[TCH_EXIT_TEXT];

    if (run->bad_check[0])
        tch_buf_addf(b, "did not pass its check: %s", run->bad_check);
    else if (bad->run.timed_out)
        tch_buf_addf(b, "exceeded its timeout after %.3g s", bad->field[TCH_WALL] / 1e9);
    else
        tch_buf_adds(b, tch_exit_text(bad->run.status, "was killed by", "failed with", how));
    tch_buf_adds(b, run->bad_warmup ? " in a warm-up run" : "");
}

void tch_run_last_words(const struct tch_run *run, unsigned lines, struct tch_buf *b)
{
    const struct tch_run_item *item = &run->items[run->bad_index];
    int fd = run->bad_check[0] ? item->out_fd : item->err_fd;
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    char text[LAST_WORDS];
    ssize_t n;
    size_t from;

    if (size <= 0)
        return;
    n = pread(fd, text, sizeof text, size > LAST_WORDS ? size - LAST_WORDS : 0);
    if (n <= 0)
        return;
    if (text[n - 1] == '\n')
        n--;
    for (from = (size_t)n; from > 0; from--)
        if (text[from - 1] == '\n' && --lines == 0)
            break;
    tch_buf_add(b, text + from, (size_t)n - from);
}
