/* tacho trace summary: shows where the time of a trace went. */
#include <string.h>

#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cli/core/text.h"
#include "cmd_trace_parts.h"
#include "kit/text/human_number.h"
#include "kit/trace/trace_json.h"
#include "trace_text.h"

enum { OUT_MAX = 256 << 20, TOP_DEFAULT = 20, TRACKS_SHOWN = 10 };

struct options {
    const char *path;
    enum tch_trace_summary_by by;
    uint64_t top;
    bool fail_on_warn;
};

static void add_table(struct tch_buf *b, const struct tch_trace_summary *s, const struct options *o,
                      const struct term *term)
{
    const struct column columns[] = {
        {.title = tch_trace_summary_by_names[s->by], .fit = FIT_CUT},
        {.title = "count", .right = true},
        {.title = "total", .right = true},
        {.title = "self", .right = true},
        {.title = "mean", .right = true},
        {.title = "p50", .right = true},
        {.title = "p95", .right = true},
        {.title = "p99", .right = true},
        {.title = "max", .right = true},
    };
    struct table t;

    cli_table_init(&t, term, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < s->row_count && i < o->top; i++) {
        const struct tch_trace_summary_row *row = &s->rows[i];
        struct tch_buf *key = cli_table_cell(&t, PLAIN);

        tch_trace_summary_add_key(s, row, key);
        if (key->len == 0)
            tch_buf_adds(key, "(none)");
        if (row->mismatched > 0)
            tch_buf_addf(key, " (%llu mismatched)", (unsigned long long)row->mismatched);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_COUNT, (double)row->count);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->total);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->self);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->sum / (double)row->count);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->p50);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->p95);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->p99);
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, (double)row->max);
    }
    cli_table_print(&t, b);
    if (s->row_count > o->top)
        tch_buf_addf(b, "... and %zu more; --top %zu shows all\n", s->row_count - o->top,
                     s->row_count);
    cli_table_release(&t);
}

static void add_stretches(struct table *t, const struct tch_stretch *list, int64_t first)
{
    struct tch_buf *text = cli_table_cell(t, PLAIN);

    for (size_t i = 0; i < TCH_SUMMARY_LONGEST && list[i].dur > 0; i++) {
        tch_buf_adds(text, i > 0 ? ", " : "");
        tch_add_value(text, TCH_NS, (double)list[i].dur);
        tch_buf_adds(text, " at ");
        tch_add_value(text, TCH_NS, (double)(list[i].ts - first));
    }
    tch_buf_adds(text, text->len > 0 ? "" : "-");
}

static void add_tracks(struct tch_buf *b, const struct tch_trace_summary *s,
                       const struct term *term)
{
    static const struct column columns[] = {
        {.title = "track", .fit = FIT_CUT}, {.title = "spans", .right = true},
        {.title = "busy", .right = true},   {.title = "longest stretches"},
        {.title = "longest gaps"},
    };
    struct table t;

    cli_table_init(&t, term, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < s->track_count && i < TRACKS_SHOWN; i++) {
        const struct tch_trace_summary_track *track = &s->tracks[i];

        tch_model_add_track_name(&s->model, track->track, cli_table_cell(&t, PLAIN));
        tch_add_value(cli_table_cell(&t, PLAIN), TCH_COUNT, (double)track->spans);
        tch_add_percent(cli_table_cell(&t, PLAIN),
                        s->last > s->first ? (double)track->busy / (double)(s->last - s->first)
                                           : 1);
        add_stretches(&t, track->busiest, s->first);
        add_stretches(&t, track->gaps, s->first);
    }
    cli_table_print(&t, b);
    if (s->track_count > TRACKS_SHOWN)
        tch_buf_addf(b, "... and %zu more; --by track sums them up\n",
                     s->track_count - TRACKS_SHOWN);
    cli_table_release(&t);
}

static void add_head(struct tch_buf *b, const struct tch_trace_summary *s)
{
    const struct tch_model *m = &s->model;

    tch_model_add_kind(b, m);
    tch_buf_adds(b, ", ");
    tch_add_value(b, TCH_BYTES, (double)m->bytes);
    tch_buf_adds(b, ", ");
    tch_add_value(b, TCH_NS, (double)(s->last - s->first));
    tch_buf_addf(b, ": %llu spans", (unsigned long long)s->spans);
    if (s->unfinished > 0)
        tch_buf_addf(b, ", %llu that never ended", (unsigned long long)s->unfinished);
    if (m->events > s->spans)
        tch_buf_addf(b, ", %llu counters, %llu instants, %llu flows, %llu async",
                     (unsigned long long)m->by_kind[TCH_EV_COUNTER],
                     (unsigned long long)m->by_kind[TCH_EV_INSTANT],
                     (unsigned long long)m->by_kind[TCH_EV_FLOW],
                     (unsigned long long)m->by_kind[TCH_EV_ASYNC]);
    tch_buf_adds(b, s->disordered ? "; sorted first, because its events are not in order of time\n"
                                  : "\n");
    if (s->overlaps > 0)
        tch_buf_addf(
            b,
            "%llu spans partly overlap others on their track; 'tacho trace validate' shows where\n",
            (unsigned long long)s->overlaps);
}

static void add_report(struct tch_buf *b, const struct tch_trace_summary *s,
                       const struct options *o, const struct term *term)
{
    add_head(b, s);
    if (s->spans == 0)
        return;
    if (s->track_count > 0) {
        tch_buf_addc(b, '\n');
        cli_trace_add_picture(b, s, term);
    }
    tch_buf_addc(b, '\n');
    add_table(b, s, o, term);
    if (s->track_count > 0) {
        tch_buf_addc(b, '\n');
        add_tracks(b, s, term);
    }
}

static int run_summary(struct args *args)
{
    struct tch_trace_summary s;
    struct tch_trace_read_options reading;
    struct trace_progress progress;
    struct options o = {.path = args->operands[0], .top = TOP_DEFAULT};
    struct tch_buf b;
    tacho_error err;
    int warnings, status = cli_set_opts(args, &o, NULL);

    if (status != EXIT_OK)
        return status;
    reading = cli_trace_reading(&progress, args, o.path, false);
    status = tch_trace_summary_make(&s, o.path, o.by, &reading, &err);
    cli_progress_end(&progress.progress);
    if (status < 0) {
        cli_complain(&err, "cannot summarise '%s'", o.path);
        status = EXIT_WORK;
        goto out;
    }
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_trace_summary_json(&b, &s, o.path, o.top);
    else
        add_report(&b, &s, &o, &args->out);
    status = cli_print(&b);
    warnings = cli_trace_warn_losses(&s.model, o.path);
    if (status == EXIT_OK && o.fail_on_warn && warnings > 0)
        status = EXIT_WARN;
out:
    tch_trace_summary_release(&s);
    return status;
}

static const struct opt opts[] = {
    {.name = "by",
     .arg = "WHAT",
     .help = "sum up the spans of each name, category or track (default name)",
     CLI_CHOICE(struct options, by, tch_trace_summary_by_names)},
    {.name = "top",
     .letter = 'n',
     .arg = "N",
     .help = "show N rows (default 20)",
     .set = CLI_SET(struct options, top, .kind = TCH_SET_U64, .least = 1, .most = 1000000000),
     .rule = "--top needs a number of rows"},
    {.name = "fail-on-warn",
     .help = "exit with 3 if anything was lost",
     CLI_FLAG(struct options, fail_on_warn)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE", .help = "the trace to read; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace summary trace.json", "List the names that took the most time."},
    {"tacho trace summary --by track --json trace.json.gz", "Print one row per thread as JSON."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WARN, "part of the trace was lost or damaged, and --fail-on-warn was given"},
    {0, NULL},
};

const struct cmd cmd_trace_summary = {
    .name = "summary",
    .summary = "show where the time went, by name, category or track",
    .usage = "tacho trace summary [--by WHAT] [--top N] [--json] FILE",
    .about =
        "Reads recordings and traces of any format that 'tacho trace convert' reads. 'total' is "
        "the time covered by spans of the row; where they are nested on one track, the time counts "
        "once. 'self' excludes the time of spans inside. Mean and percentiles describe single "
        "spans; percentiles come from a histogram and are accurate to 0.4 %. Async spans, which "
        "begin and end by an id, have rows of their own and do not count as work of a track. For "
        "each track, the summary also shows the share of time in which a span was open, and the "
        "longest stretches with and without a span.\n\nA file whose events are in order of time is "
        "read once, in memory that does not grow with the file. Any other file is sorted first, "
        "through a temporary file in TMPDIR.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_summary,
};
