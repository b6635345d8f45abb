/* Writes trace.json of a run folder. */
#include "run_trace.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/sink.h"
#include "kit/file/found_file.h"
#include "kit/recorded/recorded_traces.h"
#include "kit/result/run_folder.h"
#include "kit/trace/trace_read.h"
#include "lib/measure/csv_columns.h"
#include "lib/measure/csv_read.h"
#include "lib/trace/chrome_writer.h"
#include "lib/trace/recording_convert.h"
#include "lib/trace/recording_events.h"

enum {
    OUR_PID = 0,
    PID_STEP = 1000000, /* step to the next number tried for a pid that is taken */
};

struct writing {
    struct tch_model m;
    struct tch_sink out;
    struct tch_chrome chrome;
    struct tch_buf args;
    double origin_ns; /* start of the run, CLOCK_MONOTONIC */
    double unix_ns;   /* the same moment, in ns since 1970 */
    const struct tch_result *r;
    uint64_t *runs; /* run of each process */
    size_t run_room;
    tacho_error *err;
};

/* Writes an event of the run itself, with the arguments in w->args. */
static int add_event(struct writing *w, struct tch_ev *ev, const char *name)
{
    ev->name = tch_model_text(&w->m, name, strlen(name));
    ev->track = tch_model_track(&w->m, OUR_PID, 0);
    if (ev->name == TCH_INTERN_NONE || ev->track == TCH_INTERN_NONE || w->args.failed)
        return tch_fail_memory(w->err);
    ev->args = w->args.data;
    ev->args_len = (uint32_t)w->args.len;
    return tch_chrome_add(&w->chrome, ev);
}

static int write_runs(struct writing *w, const struct tch_result *r)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < r->run_count; i++) {
        const struct tch_result_run *s = &r->runs[i];
        struct tch_ev ev = {.kind = TCH_EV_SPAN,
                            .phase = 'X',
                            .ts = (int64_t)((double)s->start_ns - w->origin_ns),
                            .dur = (int64_t)tch_result_value(r, TCH_WALL, i)};
        char name[32];

        snprintf(name, sizeof name, "run %llu", (unsigned long long)s->run);
        tch_buf_clear(&w->args);
        tch_result_write_run(&w->args, r, i);
        status = add_event(w, &ev, name);
    }
    return status;
}

static int write_counter(struct writing *w, const char *name, uint64_t timestamp_us,
                         const char *key, double value)
{
    struct tch_ev ev = {.kind = TCH_EV_COUNTER,
                        .phase = 'C',
                        .ts = (int64_t)((double)timestamp_us * 1e3 - w->unix_ns)};

    tch_buf_clear(&w->args);
    tch_json_begin_object(&w->args);
    tch_json_put_f64(&w->args, key, value);
    tch_json_end_object(&w->args);
    return add_event(w, &ev, name);
}

static int add_memory_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)err;
    return write_counter(ctx, "memory", row->as.memory.timestamp_us, "resident bytes",
                         (double)row->as.memory.peak_rss_bytes);
}

static int add_power_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    char name[160]; /* such as "power (rapl:package-0:measured)" */

    (void)err;
    snprintf(name, sizeof name, "power (%.*s)", (int)row->as.power.source_len,
             row->as.power.source);
    return write_counter(ctx, name, row->as.power.timestamp_us, "watts", row->as.power.watts);
}

/* Writes the rows of a CSV file as counters. Stops without an error at a line that a kill
   truncated. */
static int write_csv(struct writing *w, const char *folder, const char *name,
                     enum tacho_csv_kind kind, tacho_csv_row_fn *take)
{
    int fd = tch_found_open(folder, name, w->err);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    status = tch_csv_read_fd(fd, name, kind, take, w, w->err);
    return status == TACHO_EPARSE ? 0 : status;
}

/* Recordings and traces of the program. */

/* Returns the iteration in a path, such as "0002" in ".../iter/0002/trace.tacho". */
static const char *iteration_of(const char *path, size_t *len)
{
    const char *end = strrchr(path, '/'), *start = end;

    while (start > path && start[-1] != '/')
        start--;
    *len = (size_t)(end - start);
    return start;
}

/* Returns a hash of the iteration, which distinguishes the recordings of two runs. */
static uint64_t run_of(const char *path)
{
    size_t len;
    const char *iteration = iteration_of(path, &len);

    return tch_hash(iteration, len);
}

/* Chooses a pid for a process of a run. Every run has its own processes: a pid that another run has
   used, as in a container, gets another number. */
static int choose_pid(struct writing *w, uint64_t run, uint32_t *pid)
{
    for (;; *pid += PID_STEP) {
        uint32_t count = tch_model_process_count(&w->m);
        uint32_t process = tch_model_process(&w->m, *pid);

        if (process == TCH_INTERN_NONE ||
            tch_array_reserve_zero(&w->runs, &w->run_room, (size_t)process + 1) < 0)
            return tch_fail_memory(w->err);
        if (process == count)
            w->runs[process] = run;
        if (w->runs[process] == run)
            return 0;
    }
}

static int write_recording(const char *path, void *ctx, tacho_error *err)
{
    struct writing *w = ctx;
    struct tch_recording r;
    uint64_t run = run_of(path);
    int status = tch_recording_open(&r, path, err);

    if (status == TACHO_EPARSE)
        return 0; /* not a recording, or truncated before its first record */
    if (status < 0)
        return status;
    status = choose_pid(w, run, &r.head.pid);
    if (status == 0)
        status =
            tch_recording_events(&(struct tch_recording_source){.r = &r,
                                                                .m = &w->m,
                                                                .form = TCH_REC_FOR_CHROME,
                                                                .origin = (uint64_t)w->origin_ns,
                                                                .put_pid = r.head.pid,
                                                                .flow_scope = run},
                                 tch_chrome_add, &w->chrome, err);
    tch_recording_close(&r);
    return status;
}

/* A Chrome trace that a program wrote to FERRUM_TRACE_OUT. Its times count from an unknown moment
   soon after the start of the program. They are shown from the start of the run. */
struct chrome_trace {
    struct writing *w;
    struct tch_model m;
    uint64_t run;
    int64_t shift_ns;
};

/* Returns the same track in the trace of the run folder, or TCH_INTERN_NONE. */
static uint32_t copy_track(const struct chrome_trace *t, uint32_t track)
{
    uint32_t pid = (uint32_t)tch_model_pid(&t->m, track);

    if (choose_pid(t->w, t->run, &pid) < 0)
        return TCH_INTERN_NONE;
    return tch_model_track(&t->w->m, pid, t->m.tracks[track].tid);
}

static uint32_t copy_trace_text(const struct chrome_trace *t, uint32_t text)
{
    const char *copy = text > 0 ? tch_intern_text(&t->m.texts, text) : "";

    return tch_model_text(&t->w->m, copy, strlen(copy));
}

static int add_chrome_event(void *ctx, const struct tch_ev *ev)
{
    struct chrome_trace *t = ctx;
    struct tch_ev copy = *ev;

    copy.ts += t->shift_ns;
    copy.name = copy_trace_text(t, ev->name);
    copy.category = copy_trace_text(t, ev->category);
    copy.track = copy_track(t, ev->track);
    if (ev->kind == TCH_EV_FLOW || ev->kind == TCH_EV_ASYNC)
        copy.id ^= t->run; /* equal ids of two runs are not related */
    if (copy.name == TCH_INTERN_NONE || copy.category == TCH_INTERN_NONE ||
        copy.track == TCH_INTERN_NONE)
        return tch_fail_memory(t->w->err);
    return tch_chrome_add(&t->w->chrome, &copy);
}

static int copy_track_names(struct chrome_trace *t)
{
    for (uint32_t i = 0; i < tch_model_track_count(&t->m); i++) {
        uint32_t track = copy_track(t, i);
        struct tch_model *m = &t->w->m;

        if (track == TCH_INTERN_NONE)
            return tch_fail_memory(t->w->err);
        m->tracks[track].name = copy_trace_text(t, t->m.tracks[i].name);
        m->processes[m->tracks[track].process].name =
            copy_trace_text(t, t->m.processes[t->m.tracks[i].process].name);
    }
    return 0;
}

/* Returns when the run of an iteration started, in nanoseconds from the origin. */
static int64_t run_start_ns(const struct writing *w, const char *path)
{
    size_t len;
    const char *iteration = iteration_of(path, &len);
    uint64_t number;

    if (tch_parse_u64_n(iteration, len, UINT64_MAX, &number) < 0)
        return 0;
    for (size_t i = 0; i < w->r->run_count; i++)
        if (w->r->runs[i].run == number)
            return (int64_t)((double)w->r->runs[i].start_ns - w->origin_ns);
    return 0;
}

static int write_chrome_trace(const char *path, void *ctx, tacho_error *err)
{
    static const struct tch_trace_read_options options = {.args = true};
    struct writing *w = ctx;
    struct chrome_trace t = {.w = w, .run = run_of(path), .shift_ns = run_start_ns(w, path)};
    int status;

    tch_model_init(&t.m);
    status = tch_model_read(&t.m, path, &options, add_chrome_event, &t, err);
    if (status == 0)
        status = copy_track_names(&t);
    tch_model_release(&t.m);
    /* A file that cannot be read stays in its folder, and the report says so. */
    return status == TACHO_ENOMEM || w->out.status < 0 ? status : 0;
}

static int write_all(struct writing *w, const struct tch_result *r, const char *folder)
{
    uint32_t process = tch_model_process(&w->m, OUR_PID);
    int status;

    if (process == TCH_INTERN_NONE)
        return tch_fail_memory(w->err);
    w->m.processes[process].name = tch_model_text(&w->m, r->name, strlen(r->name));
    if (w->m.processes[process].name == TCH_INTERN_NONE)
        return tch_fail_memory(w->err);
    tch_sink_add(&w->out, "[\n", 2);
    status = write_runs(w, r);
    if (status != 0)
        return status;
    status = write_csv(w, folder, "memory.csv", TACHO_CSV_MEMORY, add_memory_row);
    if (status != 0)
        return status;
    status = write_csv(w, folder, "power.csv", TACHO_CSV_POWER, add_power_row);
    if (status != 0)
        return status;
    status = tch_recorded_each_recording(folder, write_recording, w, w->err);
    if (status != 0)
        return status;
    status = tch_recorded_each_chrome(folder, write_chrome_trace, w, w->err);
    if (status != 0)
        return status;
    status = tch_chrome_names(&w->chrome);
    tch_sink_add(&w->out, "\n]\n", 3);
    return status;
}

int tch_run_trace(const struct tch_result *r, const char *folder, tacho_error *err)
{
    struct writing w = {
        .origin_ns = (double)r->started_monotonic_ns,
        .unix_ns = (double)r->started_unix_ns,
        .r = r,
        .err = err,
    };
    struct tch_replace file;
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, "trace.json", err);

    if (status == 0)
        status = tch_found_replace(&file, folder, "trace.json", path, err);
    if (status < 0)
        return status;
    tch_model_init(&w.m);
    tch_buf_init(&w.args, 1 << 30);
    tch_sink_init(&w.out, tch_sink_to_replace, &file, err);
    tch_chrome_init(&w.chrome, &w.m, &w.out, ",\n");
    status = write_all(&w, r, folder);
    if (tch_sink_end(&w.out) < 0 && status == 0)
        status = w.out.status;
    tch_chrome_release(&w.chrome);
    tch_buf_release(&w.args);
    free(w.runs);
    tch_model_release(&w.m);
    if (status == 0)
        return tch_replace_commit(&file, err);
    tch_replace_abort(&file);
    return status;
}
