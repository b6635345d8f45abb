/* The spans that programs recorded, summed up by name. */
#include "base/fail.h"
#include "base/xml.h"
#include "kit/run/run_trace.h"
#include "kit/run/value.h"
#include "lib/trace/recording_file.h"
#include "plot.h"
#include "report_parts.h"

enum { SPANS_KEPT = 1024, SPANS_SHOWN = 15, NAME_SIZE = 80 };

struct span {
    char name[NAME_SIZE];
    uint64_t count;
    double total;
    double longest;
};

struct spans {
    struct span *list; /* SPANS_KEPT of them */
    size_t count;
    const struct tch_recording *recording;
    size_t unread; /* recordings that make no sense */
};

static struct span *find_span(struct spans *s, const struct tch_rec_name *site)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%.*s", (int)(site->name_len < 79 ? site->name_len : 79),
             site->name);
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    if (s->count == SPANS_KEPT)
        return NULL;
    memcpy(s->list[s->count].name, name, sizeof name);
    return &s->list[s->count++];
}

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct spans *s = ctx;
    struct span *span;
    double ns;

    if (e->seen != TCH_SEEN_END)
        return 0;
    span = find_span(s, tch_rec_site(s->recording, e->id));
    if (!span)
        return 0;
    ns = (double)(e->ns - e->begin_ns);
    span->count++;
    span->total += ns;
    span->longest = ns > span->longest ? ns : span->longest;
    return 0;
}

static int take_recording(const char *path, void *ctx, tacho_error *err)
{
    struct spans *s = ctx;
    struct tch_recording r;
    int status = tch_recording_open(&r, path, err);

    s->unread += status == TACHO_EPARSE;
    if (status < 0)
        return status == TACHO_EPARSE ? 0 : status;
    s->recording = &r;
    status = tch_recording_walk(&r, see, s, err);
    tch_recording_close(&r);
    return status;
}

static int by_total(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;

    return x->total < y->total ? 1 : x->total > y->total ? -1 : strcmp(x->name, y->name);
}

static void add_spans(struct tch_buf *b, const struct spans *s)
{
    tch_buf_adds(b, "<h2>Top spans of the trace</h2>\n<div class=\"wide\"><table><tr><th>span</th>"
                    "<th>times</th><th>total</th><th>mean</th><th>longest</th></tr>\n");
    for (size_t i = 0; i < s->count && i < SPANS_SHOWN; i++) {
        const struct span *span = &s->list[i];

        tch_buf_adds(b, "<tr><td>");
        tch_xml_adds(b, span->name);
        tch_buf_addf(b, "</td><td>%llu</td><td>", (unsigned long long)span->count);
        tch_add_value(b, TCH_NS, span->total);
        tch_buf_adds(b, "</td><td>");
        tch_add_value(b, TCH_NS, span->total / (double)span->count);
        tch_buf_adds(b, "</td><td>");
        tch_add_value(b, TCH_NS, span->longest);
        tch_buf_adds(b, "</td></tr>\n");
    }
    tch_buf_adds(b, "</table></div>\n");
}

int tch_part_spans(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    struct spans s = {.list = calloc(SPANS_KEPT, sizeof *s.list)};
    int status;

    if (!s.list)
        return tch_fail(err, TACHO_ENOMEM, 0, "no memory for the spans");
    status = tch_run_each_recording(run->folder, take_recording, &s, err);
    qsort(s.list, s.count, sizeof *s.list, by_total);
    if (status == 0 && s.count > 0)
        add_spans(b, &s);
    if (status == 0 && s.unread > 0)
        tch_buf_addf(b, "<p class=\"sub\">%zu of the recordings in iter/ cannot be read.</p>\n",
                     s.unread);
    free(s.list);
    return status;
}
