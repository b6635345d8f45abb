/* Adds the spans that programs recorded, summed up by name. */
#include "base/array.h"
#include "base/fail.h"
#include "base/intern.h"
#include "kit/recorded/recorded_traces.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "kit/trace/trace_summary.h"
#include "plot.h"
#include "report_parts.h"

enum { SPANS_SHOWN = 15, NAME_SIZE = 80 };

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
    tch_buf_adds(b, "<h2>Top spans of the trace</h2>\n<div class=\"wide\"><table><tr><th>span</th>"
                    "<th>times</th><th>total</th><th>mean</th><th>longest</th></tr>\n");
    for (size_t i = 0; i < s->names.count && i < SPANS_SHOWN; i++) {
        const struct span *span = &s->list[i];
        char name[NAME_SIZE];

        snprintf(name, sizeof name, "%s", tch_intern_text(&s->names, span->name));
        tch_buf_adds(b, "<tr><td>");
        tch_xml_adds(b, name);
        tch_buf_addf(b, "</td><td>%llu</td><td>", (unsigned long long)span->count);
        tch_add_value(b, TCH_NS, (double)span->total);
        tch_buf_adds(b, "</td><td>");
        tch_add_value(b, TCH_NS, (double)span->sum / (double)span->count);
        tch_buf_adds(b, "</td><td>");
        tch_add_value(b, TCH_NS, (double)span->longest);
        tch_buf_adds(b, "</td></tr>\n");
    }
    tch_buf_adds(b, "</table></div>\n");
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
