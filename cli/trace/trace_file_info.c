/* What is in a trace, whatever wrote it. */
#include "trace_file_info.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/human_number.h"
#include "base/json_write.h"
#include "cli/core/table.h"
#include "trace_text.h"

enum { OUT_MAX = 1 << 20 };

struct span_of_time {
    const struct tch_model *m;
    int64_t first, last;
};

static int see(void *ctx, const struct tch_ev *ev)
{
    struct span_of_time *t = ctx;

    if (t->m->events == 1 || ev->ts < t->first)
        t->first = ev->ts;
    if (t->m->events == 1 || ev->ts + ev->dur > t->last)
        t->last = ev->ts + ev->dur;
    return 0;
}

static void add_json(struct tch_buf *b, const struct tch_model *m, const struct span_of_time *t,
                     const char *path, const char *kind)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.file.v1");
    tch_json_put_text(b, "file", path);
    tch_json_put_text(b, "format", kind);
    tch_json_put_u64(b, "bytes", m->bytes);
    tch_json_key(b, "first_ns");
    tch_json_i64(b, t->first);
    tch_json_put_u64(b, "duration_ns", (uint64_t)(t->last - t->first));
    tch_json_put_u64(b, "processes", tch_model_process_count(m));
    tch_json_put_u64(b, "tracks", tch_model_track_count(m));
    tch_json_put_u64(b, "texts", m->texts.count > 0 ? m->texts.count - 1 : 0);
    tch_json_put_u64(b, "events", m->events);
    tch_json_put_u64(b, "complete_spans", m->by_kind[TCH_EV_SPAN]);
    tch_json_put_u64(b, "begins", m->by_kind[TCH_EV_BEGIN]);
    tch_json_put_u64(b, "ends", m->by_kind[TCH_EV_END]);
    tch_json_put_u64(b, "instants", m->by_kind[TCH_EV_INSTANT]);
    tch_json_put_u64(b, "counters", m->by_kind[TCH_EV_COUNTER]);
    tch_json_put_u64(b, "flows", m->by_kind[TCH_EV_FLOW]);
    tch_json_put_u64(b, "async", m->by_kind[TCH_EV_ASYNC]);
    tch_json_put_u64(b, "ignored", m->ignored.count);
    tch_json_put_u64(b, "bad", m->bad.count);
    tch_json_put_u64(b, "dropped", m->dropped);
    tch_json_put_bool(b, "cut", m->cut);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}

static void add_row(struct table *t, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void add_row(struct table *t, const char *name, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cli_table_add(t, BOLD, name);
    cli_table_add(t, PLAIN, text);
}

static void add_report(struct tch_buf *b, const struct tch_model *m, const struct span_of_time *s,
                       const char *kind, const struct term *term)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_CUT}};
    char mem[64];
    struct tch_buf text;
    struct table t;

    cli_table_init(&t, term, columns, 2);
    add_row(&t, "format", "%s", kind);
    tch_buf_init_on(&text, mem, sizeof mem, sizeof mem - 1);
    tch_add_value(&text, TCH_BYTES, (double)m->bytes);
    add_row(&t, "size", "%s", text.data);
    tch_buf_clear(&text);
    tch_add_value(&text, TCH_NS, (double)(s->last - s->first));
    add_row(&t, "length", "%s", text.data);
    tch_buf_release(&text);
    add_row(&t, "processes", "%u", (unsigned)tch_model_process_count(m));
    add_row(&t, "tracks", "%u", (unsigned)tch_model_track_count(m));
    add_row(&t, "spans", "%llu whole, %llu begins, %llu ends",
            (unsigned long long)m->by_kind[TCH_EV_SPAN],
            (unsigned long long)m->by_kind[TCH_EV_BEGIN],
            (unsigned long long)m->by_kind[TCH_EV_END]);
    add_row(&t, "other events", "%llu instants, %llu counters, %llu flows, %llu async",
            (unsigned long long)m->by_kind[TCH_EV_INSTANT],
            (unsigned long long)m->by_kind[TCH_EV_COUNTER],
            (unsigned long long)m->by_kind[TCH_EV_FLOW],
            (unsigned long long)m->by_kind[TCH_EV_ASYNC]);
    if (m->ignored.count > 0)
        add_row(&t, "ignored", "%llu of kinds that no viewer shows",
                (unsigned long long)m->ignored.count);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

int cli_trace_file_info(struct args *args, const char *path)
{
    struct tch_model m;
    struct span_of_time span = {.m = &m};
    struct tch_read_options reading;
    struct trace_progress progress;
    struct tch_buf b, kind;
    tacho_error err;
    int status;

    tch_model_init(&m);
    reading = cli_trace_reading(&progress, args, path, false);
    status = tch_model_read(&m, path, &reading, see, &span, &err);
    cli_progress_end(&progress.progress);
    if (status < 0) {
        cli_complain(&err, "cannot look into '%s'", path);
        status = EXIT_WORK;
    } else {
        tch_buf_init(&b, OUT_MAX);
        tch_buf_init(&kind, 256);
        cli_trace_add_kind(&kind, &m);
        if (args->json)
            add_json(&b, &m, &span, path, kind.data);
        else
            add_report(&b, &m, &span, kind.data, &args->out);
        tch_buf_release(&kind);
        status = cli_print(&b);
        cli_trace_warn_losses(&m, path);
    }
    tch_model_release(&m);
    return status;
}
