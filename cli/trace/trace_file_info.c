/* tacho trace info for every format except recordings. */
#include <stdio.h>

#include "cli/core/table.h"
#include "kit/text/human_number.h"
#include "kit/trace/trace_json.h"
#include "trace_text.h"

enum { OUT_MAX = 1 << 20 };

struct span_of_time {
    const struct tch_model *m;
    int64_t first, last;
};

static int add_event(void *ctx, const struct tch_ev *ev)
{
    struct span_of_time *t = ctx;

    if (t->m->events == 1 || ev->ts < t->first)
        t->first = ev->ts;
    if (t->m->events == 1 || ev->ts + ev->dur > t->last)
        t->last = ev->ts + ev->dur;
    return 0;
}

static void add_report(struct tch_buf *b, const struct tch_model *m, const struct span_of_time *s,
                       const char *kind, const struct term *term)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_CUT}};
    struct table t;

    cli_table_init(&t, term, columns, 2);
    cli_table_add_pair(&t, "format", "%s", kind);
    cli_table_add(&t, BOLD, "size");
    tch_add_value(cli_table_cell(&t, PLAIN), TCH_BYTES, (double)m->bytes);
    cli_table_add(&t, BOLD, "length");
    tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)(s->last - s->first));
    cli_table_add_pair(&t, "processes", "%u", (unsigned)tch_model_process_count(m));
    cli_table_add_pair(&t, "tracks", "%u", (unsigned)tch_model_track_count(m));
    cli_table_add_pair(&t, "spans", "%llu whole, %llu begins, %llu ends",
                       (unsigned long long)m->by_kind[TCH_EV_SPAN],
                       (unsigned long long)m->by_kind[TCH_EV_BEGIN],
                       (unsigned long long)m->by_kind[TCH_EV_END]);
    cli_table_add_pair(&t, "other events", "%llu instants, %llu counters, %llu flows, %llu async",
                       (unsigned long long)m->by_kind[TCH_EV_INSTANT],
                       (unsigned long long)m->by_kind[TCH_EV_COUNTER],
                       (unsigned long long)m->by_kind[TCH_EV_FLOW],
                       (unsigned long long)m->by_kind[TCH_EV_ASYNC]);
    if (m->ignored.count > 0)
        cli_table_add_pair(&t, "ignored", "%llu of kinds that viewers do not show",
                           (unsigned long long)m->ignored.count);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

int cli_trace_file_info(struct args *args, const char *path)
{
    struct tch_model m;
    struct span_of_time span = {.m = &m};
    struct tch_trace_read_options reading;
    struct trace_progress progress;
    struct tch_buf b, kind;
    tacho_error err;
    int status;

    tch_model_init(&m);
    reading = cli_trace_reading(&progress, args, path, false);
    status = tch_model_read(&m, path, &reading, add_event, &span, &err);
    cli_progress_end(&progress.progress);
    if (status < 0) {
        cli_complain(&err, "cannot read '%s'", path);
        status = EXIT_WORK;
    } else {
        tch_buf_init(&b, OUT_MAX);
        tch_buf_init_part(&kind, &b);
        tch_model_add_kind(&kind, &m);
        if (args->json)
            tch_trace_file_json(&b, &m, span.first, span.last, path);
        else
            add_report(&b, &m, &span, kind.data, &args->out);
        tch_buf_release(&kind);
        status = cli_print(&b);
        cli_trace_warn_losses(&m, path);
    }
    tch_model_release(&m);
    return status;
}
