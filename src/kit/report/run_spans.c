/* Adds the spans that programs recorded, summed up by name. */
#include "base/array.h"
#include "base/fail.h"
#include "base/intern.h"
#include "kit/recorded/recorded_traces.h"
#include "kit/text/table_forms.h"
#include "kit/trace/trace_summary.h"
#include "report_parts.h"

enum { SPANS_SHOWN = 15, NAME_MOST = 79 };

/* All spans of one name, over all recordings. */
struct span {
    uint32_t name;
    uint64_t count;
    uint64_t total, sum, longest; /* nanoseconds, as in a row of the summary */
};

struct spans {
    struct tch_intern names;
    struct span *list; /* indexed by the name's number until it is sorted */
    size_t room;
    size_t unread; /* recordings that cannot be read */
};

static int add_recording(const char *path, void *ctx, tacho_error *err)
{
    static const struct tch_trace_read_options options;
    struct spans *s = ctx;
    struct tch_trace_summary summary;
    int status = tch_trace_summary_make(&summary, path, TCH_BY_NAME, &options, err);

    if (status < 0 && status != TACHO_ENOMEM) {
        s->unread++;
        status = 0;
    }
    for (size_t i = 0; status == 0 && i < summary.row_count; i++) {
        const struct tch_trace_summary_row *row = &summary.rows[i];
        const struct tch_intern *texts = &summary.model.texts;
        uint32_t name = tch_intern_add(&s->names, tch_intern_text(texts, row->key),
                                       tch_intern_len(texts, row->key));
        struct span *span;

        if (name == TCH_INTERN_NONE ||
            tch_array_reserve_zero(&s->list, &s->room, (size_t)s->names.count) < 0) {
            status = tch_fail_memory(err);
            break;
        }
        span = &s->list[name];
        span->name = name;
        span->count += row->count;
        span->total += row->total;
        span->sum += row->sum;
        span->longest = row->max > span->longest ? row->max : span->longest;
    }
    tch_trace_summary_release(&summary);
    return status;
}

/* Orders names by total. Those with the same total stay in the order in which they were found. */
static int by_total(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;

    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return (x->name > y->name) - (x->name < y->name);
}

static void add_spans(struct tch_buf *b, const struct spans *s)
{
    static const struct tch_table_column columns[] = {{.title = "span"},
                                                      {.title = "times"},
                                                      {.title = "total"},
                                                      {.title = "mean"},
                                                      {.title = "longest"}};
    struct tch_table t;

    tch_buf_adds(b, "<h2>Top spans of the trace</h2>\n");
    tch_table_init(&t, b, tch_table_html, columns, 5);
    for (size_t i = 0; i < s->names.count && i < SPANS_SHOWN; i++) {
        const struct span *span = &s->list[i];

        tch_buf_addf(tch_table_cell(&t, TCH_TONE_PLAIN), "%.*s", NAME_MOST,
                     tch_intern_text(&s->names, span->name));
        tch_buf_addf(tch_table_cell(&t, TCH_TONE_PLAIN), "%llu", (unsigned long long)span->count);
        tch_table_value(&t, TCH_TONE_PLAIN, TCH_NS, (double)span->total);
        tch_table_value(&t, TCH_TONE_PLAIN, TCH_NS, (double)span->sum / (double)span->count);
        tch_table_value(&t, TCH_TONE_PLAIN, TCH_NS, (double)span->longest);
    }
    tch_table_end(&t);
}

int tch_part_spans(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    struct spans s = {0};
    int status = tch_recorded_each_recording(run->folder, add_recording, &s, err);

    if (status == 0)
        status = tch_recorded_each_chrome(run->folder, add_recording, &s, err);
    if (status == 0 && s.names.count > 0) {
        qsort(s.list, s.names.count, sizeof *s.list, by_total);
        add_spans(b, &s);
    }
    if (status == 0 && s.unread > 0)
        tch_buf_addf(b, "<p class=\"sub\">%zu of the recordings in iter/ cannot be read.</p>\n",
                     s.unread);
    tch_intern_release(&s.names);
    free(s.list);
    return status;
}
