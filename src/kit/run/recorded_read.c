/* Reads the files that programs wrote in the folders of their runs. */
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/found_file.h"
#include "kit/event/event_scan.h"
#include "kit/event/event_stages.h"
#include "lib/measure/csv_columns.h"
#include "recorded.h"
#include "run_merge.h"

/* The state of reading one run. */
struct reading {
    const char *folder;
    struct tch_run_samples *samples;
    struct tch_run_sample *sample;
    struct tch_stages stages;
    struct tch_latencies wall, kernel;
};

/* --- Memory --- */

static int raise_peak(struct reading *r, const char *name, uint64_t bytes, tacho_error *err)
{
    size_t i = tch_recorded_find(r->samples, name);
    double peak = (double)bytes;

    if (i < r->sample->recorded_count && r->sample->recorded[i].p50 >= peak)
        return 0;
    return tch_recorded_set(r->samples, r->sample, name, &(struct tch_recorded){peak, peak, peak},
                            err);
}

/* Adds a row of memory.csv. A category that is 0 is one that the program does not use. */
static int add_memory_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } told[] = {{"kv_cache", row->as.memory.kv_cache_bytes},
                {"activation", row->as.memory.activation_bytes},
                {"temp_buffer", row->as.memory.temp_buffer_bytes}};

    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (told[i].bytes > 0 && raise_peak(ctx, told[i].name, told[i].bytes, err) < 0)
            return TACHO_ENOMEM;
    return 0;
}

static int add_detail_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    const tacho_csv_memory_detail *detail = &row->as.memory_detail;
    char name[sizeof TCH_RECORDED_MEMORY + 64];

    if (!tch_recorded_is_category(detail->key, detail->key_len) || detail->value == 0 ||
        detail->key_len > 63)
        return 0;
    snprintf(name, sizeof name, TCH_RECORDED_MEMORY "%.*s", (int)detail->key_len, detail->key);
    return raise_peak(ctx, name, detail->value, err);
}

static int read_csv(const char *name, enum tacho_csv_kind kind, tacho_csv_row_fn *add_row,
                    struct reading *r, tacho_error *err)
{
    int fd = tch_found_open(r->folder, name, err);
    int status = fd < 0 ? fd : tch_csv_read_fd(fd, name, kind, add_row, r, err);

    return status == TACHO_EPARSE ? 0 : status; /* truncated by a kill; read up to there */
}

/* --- Latencies --- */

static int add_latency(struct reading *r, uint64_t wall_ns, uint64_t kernel_ns, tacho_error *err)
{
    int status = tch_latencies_add(&r->wall, wall_ns, err);

    return status < 0 ? status : tch_latencies_add(&r->kernel, kernel_ns, err);
}

static int add_latency_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    return add_latency(ctx, row->as.latency_ns.wall_ns, row->as.latency_ns.kernel_ns, err);
}

static int add_latency_us_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    return add_latency(ctx, tch_latency_ns(row->as.latency.wall_time_us),
                       tch_latency_ns(row->as.latency.kernel_time_us), err);
}

static int set_latency(struct reading *r, const char *name, const struct tch_latencies *l,
                       tacho_error *err)
{
    tacho_latency_stats s;
    int status = tch_latencies_stats(l, &s, err);

    if (status < 0 || s.max == 0) /* nothing was recorded, or the time in the kernel is not known */
        return status;
    return tch_recorded_set(
        r->samples, r->sample, name,
        &(struct tch_recorded){tch_latencies_median(l, s.p50), (double)s.p95, (double)s.p99}, err);
}

/* --- Stages of events --- */

static int read_events(const char *name, struct reading *r, tacho_error *err)
{
    void *worker = &r->stages;
    const struct tch_scan scan = {.threads = 1, .workers = &worker, .event = tch_stages_add};
    struct tch_scan_counts counts;
    int fd = tch_found_open(r->folder, name, err);
    int status;

    if (fd < 0)
        return fd;
    status = tch_scan_fd(fd, name, &scan, &counts, err);
    close(fd);
    return status;
}

static int add_stages(struct reading *r, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < r->stages.count; i++)
        for (size_t k = 0; k < r->stages.groups[i].count && status == 0; k++) {
            const struct tch_stage_group *group = &r->stages.groups[i];
            struct tch_stage *stage = &r->stages.groups[i].stages[k];
            struct tch_stage_summary s;
            char name[TCH_RECORDED_TEXT];
            int n =
                snprintf(name, sizeof name, TCH_RECORDED_STAGE "%.*s.%.*s", (int)group->event_len,
                         group->event, (int)stage->name_len, stage->name);

            if (n < 0 || (size_t)n >= sizeof name)
                continue;
            tch_stage_summarise(stage, &s);
            status = tch_recorded_set(r->samples, r->sample, name,
                                      &(struct tch_recorded){s.p50, s.p95, s.p99}, err);
        }
    return status;
}

/* --- Runs --- */

static int read_part(void *ctx, const char *name, tacho_error *err)
{
    struct reading *r = ctx;
    const char *base = tch_base_name(name);
    int regular = tch_found_regular(r->folder, name, err);

    if (regular <= 0)
        return regular; /* 0: tch_run_merge() warns of it */
    if (tch_run_part_is(base, "memory.", ".csv"))
        return read_csv(name, TACHO_CSV_MEMORY, add_memory_row, r, err);
    if (tch_run_part_is(base, "memory-detail.", ".csv"))
        return read_csv(name, TACHO_CSV_MEMORY_DETAIL, add_detail_row, r, err);
    if (tch_run_part_is(base, "latency-ns.", ".csv"))
        return read_csv(name, TACHO_CSV_LATENCY_NS, add_latency_row, r, err);
    if (tch_run_part_is(base, "latency.", ".csv"))
        return read_csv(name, TACHO_CSV_LATENCY, add_latency_us_row, r, err);
    if (tch_run_part_is(base, "profile", ".jsonl"))
        return read_events(name, r, err);
    return 0;
}

static int read_run(struct reading *r, tacho_error *err)
{
    char name[32];
    int status;

    snprintf(name, sizeof name, "iter/%04llu", (unsigned long long)r->sample->run);
    tch_stages_init(&r->stages, NULL, NULL);
    status = tch_found_each(r->folder, name, read_part, r, err);
    if (status == 0)
        status = set_latency(r, TCH_RECORDED_LATENCY, &r->wall, err);
    if (status == 0)
        status = set_latency(r, TCH_RECORDED_LATENCY_KERNEL, &r->kernel, err);
    if (status == 0)
        status = add_stages(r, err);
    tch_latencies_release(&r->wall);
    tch_latencies_release(&r->kernel);
    tch_stages_release(&r->stages);
    return status;
}

int tch_recorded_read(struct tch_run_samples *samples, const char *folder, tacho_error *err)
{
    struct reading r = {.folder = folder, .samples = samples};
    int status = 0;

    for (size_t i = 0; i < samples->count && status == 0; i++) {
        r.sample = &samples->items[i];
        if (r.sample->recorded_count == 0)
            status = read_run(&r, err);
    }
    return status;
}
