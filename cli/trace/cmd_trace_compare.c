/* tacho trace compare: compares the spans of two traces. */
#include <math.h>

#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cmd_trace_parts.h"
#include "kit/text/human_number.h"
#include "kit/trace/trace_json.h"
#include "trace_text.h"

enum { OUT_MAX = 256 << 20, TOP_DEFAULT = 20 };

static void add_side(struct table *t, const struct tch_compare_side *side)
{
    tch_add_value(cli_table_cell(t, PLAIN), TCH_COUNT, (double)side->count);
    tch_add_value(cli_table_cell(t, PLAIN), TCH_NS, side->count > 0 ? (double)side->total : NAN);
}

static void add_row(struct table *t, const struct tch_trace_comparison *c,
                    const struct tch_compare_row *row)
{
    const char *verdict = tch_compare_verdict(row);
    enum paint paint = verdict[0] == 's' ? RED : verdict[0] == 'f' ? GREEN : PLAIN;
    size_t len = tch_intern_len(&c->texts, row->name);

    tch_buf_add(cli_table_cell(t, PLAIN),
                len > 0 ? tch_intern_text(&c->texts, row->name) : "(none)",
                len > 0 ? len : strlen("(none)"));
    add_side(t, &row->side[0]);
    add_side(t, &row->side[1]);
    if (!tch_compare_in_both(row))
        cli_table_add(t, PLAIN, "");
    else if (row->ratio.level > 0)
        cli_table_addf(t, paint, "%.3f (%.3f to %.3f)", row->ratio.estimate, row->ratio.low,
                       row->ratio.high);
    else
        cli_table_addf(t, PLAIN, "%.3f", row->ratio.estimate);
    cli_table_add(t, paint, verdict);
}

static void add_report(struct tch_buf *b, const struct tch_trace_comparison *c, char *const *paths,
                       size_t top, const struct term *term)
{
    static const struct column columns[] = {{.title = "name", .fit = FIT_CUT},
                                            {.title = "count A", .right = true},
                                            {.title = "total A", .right = true},
                                            {.title = "count B", .right = true},
                                            {.title = "total B", .right = true},
                                            {.title = "duration B/A, 95 %"},
                                            {.title = "verdict"}};
    struct table t;

    tch_buf_addf(b, "A: %s, %llu spans\nB: %s, %llu spans\n\n", paths[0],
                 (unsigned long long)c->spans[0], paths[1], (unsigned long long)c->spans[1]);
    cli_table_init(&t, term, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < c->count && i < top; i++)
        add_row(&t, c, &c->rows[i]);
    cli_table_print(&t, b);
    if (c->count > top)
        tch_buf_addf(b, "... and %zu more; --top %zu shows all\n", c->count - top, c->count);
    cli_table_release(&t);
}

static int run_compare(struct args *args)
{
    struct tch_trace_comparison c;
    struct tch_buf b;
    tacho_error err;
    uint64_t top = TOP_DEFAULT;
    int status = cli_set_opts(args, &top, NULL);

    if (status != EXIT_OK)
        return status;
    if (tch_trace_compare(&c, args->operands[0], args->operands[1], &err) < 0) {
        cli_complain(&err, "cannot compare '%s' and '%s'", args->operands[0], args->operands[1]);
        status = EXIT_WORK;
        goto out;
    }
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_trace_comparison_json(&b, &c, args->operands, (size_t)top);
    else
        add_report(&b, &c, args->operands, (size_t)top, &args->out);
    status = cli_print(&b);
    for (int i = 0; i < 2; i++)
        cli_trace_warn_losses(&c.models[i], args->operands[i]);
out:
    tch_trace_comparison_release(&c);
    return status;
}

static const struct opt opts[] = {
    {.name = "top",
     .letter = 'n',
     .arg = "N",
     .help = "show N rows (default 20)",
     .set = &(const struct tch_setting){.kind = TCH_SET_U64, .least = 1, .most = 1000000000},
     .rule = "--top needs a number of rows"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "A", .help = "the trace to compare with (before)", .complete = COMPLETE_FILE},
    {.name = "B", .help = "the trace to examine (after)", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace compare before.json after.json", "Show what became slower and what is new."},
    {NULL, NULL},
};

const struct cmd cmd_trace_compare = {
    .name = "compare",
    .summary = "compare the spans of two traces, name by name",
    .usage = "tacho trace compare [--top N] [--json] A B",
    .about =
        "Prints, for each name, the number of spans and their total time in both traces, and the "
        "ratio B/A of the duration of one span with its 95 % interval. The interval is based on "
        "ranks of at most 100 spans per trace. Spans of one trace are not independent runs, so the "
        "interval describes these two traces only; another recording may differ more. Names whose "
        "total time changed most come first.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_compare,
};
