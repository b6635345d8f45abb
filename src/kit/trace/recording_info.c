/* What is in a recording, counted, and the document tacho.trace.info.v1. */
#include "recording_info.h"

#include <time.h>

#include "base/json_write.h"

static int count_event(void *ctx, const struct tch_seen_event *e)
{
    struct tch_recording_counts *f = ctx;

    if (e->seen == TCH_SEEN_OTHER && e->kind != TCH_REC_THREAD && e->kind != TCH_REC_THREAD_NAME &&
        e->kind != TCH_REC_PROCESS_NAME)
        f->others++;
    if (e->seen != TCH_SEEN_UNFINISHED && e->ns > f->last_ns)
        f->last_ns = e->ns;
    return 0;
}

int tch_recording_count(struct tch_recording *r, struct tch_recording_counts *counts,
                        tacho_error *err)
{
    *counts = (struct tch_recording_counts){0};
    return tch_recording_walk(r, count_event, counts, err);
}

uint64_t tch_recording_duration(const struct tch_recording *r, const struct tch_recording_counts *f)
{
    return f->last_ns > r->clock.first.ns ? f->last_ns - r->clock.first.ns : 0;
}

uint32_t tch_recording_names(const struct tch_recording *r)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->sites.count; i++)
        count += r->sites.list[i].name != NULL;
    return count;
}

void tch_recording_add_start(struct tch_buf *b, const struct tch_recording *r)
{
    time_t seconds = (time_t)(r->head.wall_ns / 1000000000);
    struct tm tm;
    char text[32];

    if (gmtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        tch_buf_adds(b, text);
}

void tch_recording_json(struct tch_buf *b, const struct tch_recording *r,
                        const struct tch_recording_counts *f)
{
    const struct tch_rec_header *head = &r->head;
    bool tsc = head->clock == TCH_REC_CLOCK_TSC;
    char mem[64];
    struct tch_buf text;

    tch_buf_init_on(&text, mem, sizeof mem, sizeof mem - 1);
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.info.v1");
    tch_json_put_text(b, "file", r->path);
    tch_json_put_u64(b, "bytes", r->size);
    tch_json_put_text(b, "program", head->program);
    tch_json_put_u64(b, "pid", head->pid);
    tch_json_put_u64(b, "parent_pid", head->parent);
    tch_json_put_text(b, "boot_id", head->boot_id);
    tch_recording_add_start(&text, r);
    tch_json_put_text(b, "started", text.data);
    tch_json_put_u64(b, "duration_ns", tch_recording_duration(r, f));
    tch_json_put_bool(b, "ended_in_order", head->ended != 0);
    tch_json_put_text(b, "clock", tsc ? "tsc" : "monotonic");
    tch_json_put_bool(b, "clock_calibrated_now", r->clock_from_reader);
    tch_json_put_u64(b, "threads", r->threads);
    tch_json_put_u64(b, "names", tch_recording_names(r));
    tch_json_put_u64(b, "records", r->records);
    tch_json_put_u64(b, "spans", r->spans);
    tch_json_put_u64(b, "unfinished_spans", r->unfinished);
    tch_json_put_u64(b, "other_events", f->others);
    tch_json_put_u64(b, "dropped_records", head->dropped);
    tch_buf_clear(&text);
    tch_add_reasons(&text, head->reasons);
    tch_json_put_text(b, "dropped_why", text.data);
    tch_json_put_u64(b, "spans_cut_by_a_gap", r->lost_begins);
    tch_json_put_u64(b, "ends_without_begin", r->lost_ends);
    tch_json_put_u64(b, "texts_cut", head->cut);
    tch_json_put_u64(b, "damaged_records", r->damaged);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
    tch_buf_release(&text);
}
