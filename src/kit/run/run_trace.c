/* trace.json of a run folder. */
#include "run_trace.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include <tacho/csv.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "lib/trace/recording_convert.h"

enum { FLUSH_AT = 1 << 20, OUR_PID = 0 };

struct writing {
    struct tch_replace file;
    struct tch_buf b; /* begins with "[" or a line feed: then no comma is wanted */
    double origin_ns; /* CLOCK_MONOTONIC */
    double unix_ns;   /* the same moment, since 1970 */
    tacho_error *err;
};

/* The writer puts no comma behind a line feed. */
static void begin_event(struct writing *w, const char *name, size_t len, const char *phase,
                        double ns, uint64_t pid, uint64_t tid)
{
    tch_buf_adds(&w->b, ",\n");
    tch_json_begin_object(&w->b);
    tch_json_key(&w->b, "name");
    tch_json_string(&w->b, name, len);
    tch_json_key(&w->b, "ph");
    tch_json_text(&w->b, phase);
    tch_json_key(&w->b, "ts");
    tch_json_f64(&w->b, ns / 1e3);
    tch_json_key(&w->b, "pid");
    tch_json_u64(&w->b, pid);
    tch_json_key(&w->b, "tid");
    tch_json_u64(&w->b, tid);
}

static int flush(struct writing *w)
{
    int status = tch_replace_write(&w->file, w->b.data, w->b.len, w->err);

    tch_buf_clear(&w->b);
    return status;
}

static int end_event(struct writing *w)
{
    tch_json_end_object(&w->b);
    if (w->b.failed)
        return tch_fail(w->err, TACHO_ENOMEM, 0, "no memory for the trace");
    return w->b.len >= FLUSH_AT ? flush(w) : 0;
}

static void begin_name(struct writing *w, const char *kind, uint64_t pid, const char *name)
{
    begin_event(w, kind, strlen(kind), "M", 0, pid, 0);
    tch_json_key(&w->b, "args");
    tch_json_begin_object(&w->b);
    tch_json_key(&w->b, "name");
    tch_json_text(&w->b, name);
    tch_json_end_object(&w->b);
}

static int write_runs(struct writing *w, const struct tch_receipt *r)
{
    for (size_t i = 0; i < r->samples.count; i++) {
        const struct tch_run_sample *s = &r->samples.items[i];
        char name[32];

        snprintf(name, sizeof name, "run %llu", (unsigned long long)s->run);
        begin_event(w, name, strlen(name), "X", (double)s->start_ns - w->origin_ns, OUR_PID, 0);
        tch_json_key(&w->b, "dur");
        tch_json_f64(&w->b, s->field[TCH_WALL] / 1e3);
        tch_json_key(&w->b, "args");
        tch_run_sample_write(&w->b, s, &r->samples);
        if (end_event(w) < 0)
            return w->err->code;
    }
    return 0;
}

static int write_counter(struct writing *w, const char *name, uint64_t timestamp_us,
                         const char *key, double value)
{
    begin_event(w, name, strlen(name), "C", (double)timestamp_us * 1e3 - w->unix_ns, OUR_PID, 0);
    tch_json_key(&w->b, "args");
    tch_json_begin_object(&w->b);
    tch_json_key(&w->b, key);
    tch_json_f64(&w->b, value);
    tch_json_end_object(&w->b);
    return end_event(w);
}

static int take_memory(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)err;
    return write_counter(ctx, "memory", row->as.memory.timestamp_us, "resident bytes",
                         (double)row->as.memory.peak_rss_bytes);
}

static int take_power(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)err;
    return write_counter(ctx, "power", row->as.power.timestamp_us, "watts", row->as.power.watts);
}

/* A line that a kill has cut ends the rows, and that is all. */
static int write_csv(struct writing *w, const char *folder, const char *name, int kind,
                     tacho_csv_row_fn *take)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, name, w->err);

    if (status < 0 || access(path, F_OK) < 0)
        return status;
    status = tacho_csv_read(path, kind, take, w, w->err);
    return status == TACHO_EPARSE ? 0 : status;
}

/* What the program recorded. */

static int write_recording(const char *path, void *ctx, tacho_error *err)
{
    struct writing *w = ctx;
    struct tch_recording r;
    int status = tch_recording_open(&r, path, err);

    if (status == TACHO_EPARSE)
        return 0; /* no recording, or cut before it began */
    if (status < 0)
        return status;
    status = flush(w);
    if (status == 0)
        status = tch_chrome_add(&r, &w->file, (uint64_t)w->origin_ns, err);
    tch_recording_close(&r);
    return status;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int recordings_in(const char *path, bool top, tch_run_recording_fn *each, void *ctx,
                         tacho_error *err)
{
    struct dirent **names;
    int n = scandir(path, &names, is_shown, alphasort);
    int status = 0;

    for (int i = 0; i < n; i++) {
        char full[PATH_MAX];

        if (status == 0)
            status = tch_folder_at(full, path, names[i]->d_name, err);
        if (status == 0 && top)
            status = recordings_in(full, false, each, ctx, err);
        else if (status == 0 && tch_trace_is_recording(full))
            status = each(full, ctx, err);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return status;
}

int tch_run_each_recording(const char *folder, tch_run_recording_fn *each, void *ctx,
                           tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, "iter", err);

    return status < 0 ? status : recordings_in(path, true, each, ctx, err);
}

static double head_number(const struct tch_receipt *r, const char *key)
{
    size_t len = 0;
    const char *raw = tch_receipt_raw(r, key, &len);
    struct tch_json_value value = {.type = TCH_JSON_NUMBER, .text = raw, .len = len};

    return raw && len > 0 && *raw >= '0' && *raw <= '9' ? tch_json_to_f64(&value) : 0;
}

static int write_all(struct writing *w, const struct tch_receipt *r, const char *folder)
{
    int status;

    tch_buf_adds(&w->b, "[");
    begin_name(w, "process_name", OUR_PID, r->name);
    status = end_event(w);
    w->b.data[1] = ' '; /* the comma before the first */
    if (status == 0)
        status = write_runs(w, r);
    if (status == 0)
        status = write_csv(w, folder, "memory.csv", TACHO_CSV_MEMORY, take_memory);
    if (status == 0)
        status = write_csv(w, folder, "power.csv", TACHO_CSV_POWER, take_power);
    if (status == 0)
        status = tch_run_each_recording(folder, write_recording, w, w->err);
    tch_buf_adds(&w->b, "\n]\n");
    return status < 0 ? status : flush(w);
}

int tch_run_trace(const struct tch_receipt *r, const char *folder, tacho_error *err)
{
    struct writing w = {
        .origin_ns = head_number(r, "started_monotonic_ns"),
        .unix_ns = head_number(r, "started_unix_ns"),
        .err = err,
    };
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, "trace.json", err);

    if (status == 0)
        status = tch_replace_open(&w.file, path, err);
    if (status < 0)
        return status;
    tch_buf_init(&w.b, 1 << 30);
    status = write_all(&w, r, folder);
    tch_buf_release(&w.b);
    if (status == 0)
        return tch_replace_commit(&w.file, err);
    tch_replace_abort(&w.file);
    return status;
}
