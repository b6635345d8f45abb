/* Writes the documents tacho.trace.*.v1: summaries, comparisons, validations, files and
   recordings. */
#include "trace_json.h"

#include <math.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "lib/trace/recording_walk.h"

enum { TEXT_MAX = 1 << 20 }; /* limit of a name in bytes */

const char *const tch_trace_summary_by_names[] = {"name", "category", "track", NULL};

void tch_model_add_kind(struct tch_buf *b, const struct tch_model *m)
{
    static const char *const names[] = {
        [TCH_KIND_CHROME_ARRAY] = "Chrome JSON (array)",
        [TCH_KIND_CHROME_OBJECT] = "Chrome JSON (object)",
        [TCH_KIND_JSON_LINES] = "JSON lines",
        [TCH_KIND_PERFETTO] = "Perfetto",
        [TCH_KIND_RECORDING] = "recording",
        [TCH_KIND_CSV] = "CSV of spans",
        [TCH_KIND_FOLDED] = "folded stacks",
        [TCH_KIND_BABELTRACE] = "text of babeltrace2",
    };

    tch_buf_adds(b, names[m->kind]);
    if (m->compressed)
        tch_buf_adds(b, ", gzip");
}

static void put_kind(struct tch_buf *b, const struct tch_model *m)
{
    char mem[64];
    struct tch_buf kind;

    tch_buf_init_on(&kind, mem, sizeof mem, sizeof mem - 1);
    tch_model_add_kind(&kind, m);
    tch_json_put_text(b, "format", kind.data);
    tch_buf_release(&kind);
}

static void put_i64(struct tch_buf *b, const char *key, int64_t value)
{
    tch_json_key(b, key);
    tch_json_i64(b, value);
}

/* Adds the counts that tacho.trace.summary.v1 and tacho.trace.file.v1 share. */
static void put_other_counts(struct tch_buf *b, const struct tch_model *m)
{
    tch_json_put_u64(b, "flows", m->by_kind[TCH_EV_FLOW]);
    tch_json_put_u64(b, "async", m->by_kind[TCH_EV_ASYNC]);
    tch_json_put_u64(b, "ignored", m->ignored.count);
    tch_json_put_u64(b, "bad", m->bad.count);
    tch_json_put_u64(b, "dropped", m->dropped);
    tch_json_put_u64(b, "mismatched", m->mismatched);
    tch_json_put_bool(b, "truncated", m->cut);
}

static void put_summary_row(struct tch_buf *b, const struct tch_trace_summary *s,
                            const struct tch_trace_summary_row *row, struct tch_buf *text)
{
    tch_buf_clear(text);
    tch_trace_summary_add_key(s, row, text);
    tch_json_begin_object(b);
    tch_json_key(b, tch_trace_summary_by_names[s->by]);
    tch_json_string(b, text->data, text->len);
    tch_json_put_u64(b, "count", row->count);
    tch_json_put_u64(b, "mismatched", row->mismatched);
    tch_json_put_u64(b, "total_ns", row->total);
    tch_json_put_u64(b, "self_ns", row->self);
    tch_json_put_f64(b, "mean_ns", (double)row->sum / (double)row->count);
    tch_json_put_u64(b, "min_ns", row->min);
    tch_json_put_u64(b, "p50_ns", row->p50);
    tch_json_put_u64(b, "p95_ns", row->p95);
    tch_json_put_u64(b, "p99_ns", row->p99);
    tch_json_put_u64(b, "max_ns", row->max);
    put_i64(b, "max_ts_ns", row->max_ts);
    tch_json_end_object(b);
}

static void put_stretches(struct tch_buf *b, const char *key, const struct tch_stretch *list)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < TCH_SUMMARY_LONGEST && list[i].dur > 0; i++) {
        tch_json_begin_object(b);
        put_i64(b, "ts_ns", list[i].ts);
        put_i64(b, "dur_ns", list[i].dur);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

static void put_track(struct tch_buf *b, const struct tch_trace_summary *s,
                      const struct tch_trace_summary_track *t, struct tch_buf *text)
{
    const struct tch_trace_track *track = &s->model.tracks[t->track];

    tch_buf_clear(text);
    tch_model_add_track_name(&s->model, t->track, text);
    tch_json_begin_object(b);
    tch_json_key(b, "track");
    tch_json_string(b, text->data, text->len);
    tch_json_put_u64(b, "pid", s->model.processes[track->process].pid);
    tch_json_put_u64(b, "tid", track->tid);
    tch_json_put_u64(b, "spans", t->spans);
    put_i64(b, "first_ns", t->first);
    put_i64(b, "last_ns", t->last);
    tch_json_put_u64(b, "busy_ns", t->busy);
    put_stretches(b, "longest_busy_periods", t->busiest);
    put_stretches(b, "longest_gaps", t->gaps);
    tch_json_end_object(b);
}

void tch_trace_summary_json(struct tch_buf *b, const struct tch_trace_summary *s, const char *path,
                            size_t top)
{
    const struct tch_model *m = &s->model;
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.summary.v1");
    tch_json_put_text(b, "file", path);
    put_kind(b, m);
    tch_json_put_u64(b, "bytes", m->bytes);
    tch_json_put_u64(b, "events", m->events);
    tch_json_put_u64(b, "spans", s->spans);
    tch_json_put_u64(b, "unfinished", s->unfinished);
    tch_json_put_u64(b, "ends_without_begin", s->lone_ends);
    tch_json_put_u64(b, "overlaps", s->overlaps);
    tch_json_put_u64(b, "counters", m->by_kind[TCH_EV_COUNTER]);
    tch_json_put_u64(b, "instants", m->by_kind[TCH_EV_INSTANT]);
    put_other_counts(b, m);
    tch_json_put_bool(b, "sorted_by_reader", s->sorted);
    put_i64(b, "first_ns", s->first);
    put_i64(b, "last_ns", s->last);
    tch_json_put_text(b, "by", tch_trace_summary_by_names[s->by]);
    tch_json_key(b, "rows");
    tch_json_begin_array(b);
    for (size_t i = 0; i < s->row_count && i < top; i++)
        put_summary_row(b, s, &s->rows[i], &text);
    tch_json_end_array(b);
    tch_json_put_u64(b, "rows_left_out", s->row_count > top ? s->row_count - top : 0);
    tch_json_key(b, "tracks");
    tch_json_begin_array(b);
    for (size_t i = 0; i < s->track_count; i++)
        put_track(b, s, &s->tracks[i], &text);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
    tch_buf_release(&text);
}

/* Returns the verdict about a row. */
const char *tch_compare_verdict(const struct tch_compare_row *row)
{
    if (row->side[0].count == 0)
        return "new";
    if (row->side[1].count == 0)
        return "gone";
    if (!(row->ratio.level > 0))
        return "too few";
    return row->ratio.low > 1 ? "slower" : row->ratio.high < 1 ? "faster" : "no difference seen";
}

bool tch_compare_in_both(const struct tch_compare_row *row)
{
    return row->side[0].count > 0 && row->side[1].count > 0;
}

static void put_side(struct tch_buf *b, const char *key, const struct tch_compare_side *side)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    tch_json_put_u64(b, "count", side->count);
    tch_json_put_u64(b, "total_ns", side->total);
    tch_json_end_object(b);
}

static void put_number(struct tch_buf *b, const char *key, bool is, double value)
{
    tch_json_key(b, key);
    if (is && isfinite(value))
        tch_json_f64(b, value);
    else
        tch_json_null(b);
}

static void put_compare_row(struct tch_buf *b, const struct tch_trace_comparison *c,
                            const struct tch_compare_row *row)
{
    bool interval = tch_compare_in_both(row) && row->ratio.level > 0;

    tch_json_begin_object(b);
    tch_json_key(b, "name");
    tch_json_string(b, tch_intern_text(&c->texts, row->name), tch_intern_len(&c->texts, row->name));
    put_side(b, "a", &row->side[0]);
    put_side(b, "b", &row->side[1]);
    put_number(b, "ratio", tch_compare_in_both(row), row->ratio.estimate);
    put_number(b, "ratio_low", interval, row->ratio.low);
    put_number(b, "ratio_high", interval, row->ratio.high);
    tch_json_put_text(b, "verdict", tch_compare_verdict(row));
    tch_json_end_object(b);
}

void tch_trace_comparison_json(struct tch_buf *b, const struct tch_trace_comparison *c,
                               char *const *paths, size_t top)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.compare.v1");
    tch_json_put_text(b, "a", paths[0]);
    tch_json_put_text(b, "b", paths[1]);
    tch_json_put_f64(b, "confidence", 0.95);
    tch_json_key(b, "rows");
    tch_json_begin_array(b);
    for (size_t i = 0; i < c->count && i < top; i++)
        put_compare_row(b, c, &c->rows[i]);
    tch_json_end_array(b);
    tch_json_put_u64(b, "rows_left_out", c->count > top ? c->count - top : 0);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

/* Returns the number of known places. Only text files have byte offsets. */
size_t tch_finding_places(const struct tch_validation *v, const struct tch_finding *f)
{
    if (!tch_kind_has_offsets(v->model.kind) || f == &v->found[TCH_FOUND_DROPPED])
        return 0;
    return f->places.count < TCH_PLACES ? f->places.count : TCH_PLACES;
}

static void put_finding(struct tch_buf *b, const struct tch_validation *v,
                        const struct tch_finding *f, const struct tch_finding_text *text)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "kind", text->name);
    tch_json_put_text(b, "description", text->what);
    tch_json_put_bool(b, "lost", text->lost);
    tch_json_put_bool(b, "fixable", text->fixable);
    tch_json_put_u64(b, "count", f->places.count);
    tch_json_key(b, "offsets");
    tch_json_begin_array(b);
    for (size_t i = 0; i < tch_finding_places(v, f); i++)
        tch_json_u64(b, f->places.first[i]);
    tch_json_end_array(b);
    tch_json_put_text(b, "example", f->example);
    tch_json_end_object(b);
}

void tch_validation_json(struct tch_buf *b, const struct tch_validation *v, const char *path)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.validate.v1");
    tch_json_put_text(b, "file", path);
    put_kind(b, &v->model);
    tch_json_put_u64(b, "events", v->events);
    tch_json_put_bool(b, "lossy", tch_validation_loses(v));
    tch_json_key(b, "findings");
    tch_json_begin_array(b);
    for (int i = 0; i < TCH_FOUND_KINDS; i++)
        if (v->found[i].places.count > 0)
            put_finding(b, v, &v->found[i], tch_finding_text((enum tch_finding_kind)i));
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

void tch_trace_file_json(struct tch_buf *b, const struct tch_model *m, int64_t first, int64_t last,
                         const char *path)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.file.v1");
    tch_json_put_text(b, "file", path);
    put_kind(b, m);
    tch_json_put_u64(b, "bytes", m->bytes);
    put_i64(b, "first_ns", first);
    tch_json_put_u64(b, "duration_ns", (uint64_t)(last - first));
    tch_json_put_u64(b, "processes", tch_model_process_count(m));
    tch_json_put_u64(b, "tracks", tch_model_track_count(m));
    tch_json_put_u64(b, "texts", m->texts.count > 0 ? m->texts.count - 1 : 0);
    tch_json_put_u64(b, "events", m->events);
    tch_json_put_u64(b, "complete_spans", m->by_kind[TCH_EV_SPAN]);
    tch_json_put_u64(b, "begins", m->by_kind[TCH_EV_BEGIN]);
    tch_json_put_u64(b, "ends", m->by_kind[TCH_EV_END]);
    tch_json_put_u64(b, "instants", m->by_kind[TCH_EV_INSTANT]);
    tch_json_put_u64(b, "counters", m->by_kind[TCH_EV_COUNTER]);
    put_other_counts(b, m);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

/* Recordings. */

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

void tch_recording_json(struct tch_buf *b, const struct tch_recording *r,
                        const struct tch_recording_counts *f)
{
    const struct tch_rec_header *head = &r->head;
    bool tsc = head->clock == TCH_REC_CLOCK_TSC;
    char started[TCH_TIME_TEXT];
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
    tch_utc_text(started, head->wall_ns);
    tch_json_put_text(b, "started", started);
    tch_json_put_u64(b, "duration_ns", tch_recording_duration(r, f));
    tch_json_put_bool(b, "finished", head->ended != 0);
    tch_json_put_text(b, "clock", tsc ? "tsc" : "monotonic");
    tch_json_put_bool(b, "clock_calibrated_by_reader", r->clock_from_reader);
    tch_json_put_u64(b, "clock_faults", head->clock_faults);
    tch_json_put_u64(b, "threads", r->threads);
    tch_json_put_u64(b, "names", tch_recording_names(r));
    tch_json_put_u64(b, "records", r->records);
    tch_json_put_u64(b, "spans", r->spans);
    tch_json_put_u64(b, "unfinished_spans", r->unfinished);
    tch_json_put_u64(b, "other_events", f->others);
    tch_json_put_u64(b, "dropped_records", head->dropped);
    tch_add_reasons(&text, head->reasons);
    tch_json_put_text(b, "dropped_reasons", text.data);
    tch_json_put_u64(b, "spans_truncated_by_gaps", r->lost_begins);
    tch_json_put_u64(b, "ends_without_begin", r->lost_ends);
    tch_json_put_u64(b, "mismatched_spans", r->mismatched);
    tch_json_put_u64(b, "truncated_texts", head->cut);
    tch_json_put_u64(b, "damaged_records", r->damaged);
    tch_json_end_object(b);
    tch_json_line_end(b);
    tch_buf_release(&text);
}
