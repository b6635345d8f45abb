/* tacho history show: the points and shifts of a series. */
#include "cli/cmds.h"
#include "cli/core/bars.h"
#include "cli/core/table.h"
#include "history_parts.h"

enum { OUT_MAX = 1 << 26, LAST = 30, SPARK = 60, SHORT_HASH = 9 };

static void add_point(struct table *t, const struct tch_history *h, size_t i,
                      const struct tch_commit_order *order)
{
    const struct tch_store_point *p = &h->points.items[i];
    const struct tch_metric *m = &h->series->metric;
    const struct tch_shift *shift = NULL;
    char time[TCH_TIME_TEXT];

    for (size_t s = 0; s < h->shifts.count; s++)
        if (h->shifts.items[s].at == i)
            shift = &h->shifts.items[s];
    tch_utc_text(time, (uint64_t)p->started_ns);
    cli_table_addf(t, PLAIN, "%.*s", SHORT_HASH, p->commit);
    cli_table_add(t, DIM, time);
    tch_add_value(cli_table_cell(t, PLAIN), m->unit, p->median * m->scale);
    if (shift)
        tch_history_add_size(cli_table_cell(t, tch_history_direction(h, shift) > 0 ? RED : GREEN),
                             h, shift);
    else
        cli_table_add(t, PLAIN, "");
    cli_table_add(t, PLAIN, tch_commit_subject(order, p->commit));
}

/* Says what was left out. */
static void add_remarks(struct tch_buf *b, const struct tch_history *h, size_t shown)
{
    if (shown < h->points.count)
        tch_buf_addf(b, "  %zu earlier points are in --json\n", h->points.count - shown);
    if (h->off_branch > 0)
        tch_buf_addf(b, "  left out: %zu point%s at commits that are not on the branch\n",
                     h->off_branch, tch_plural(h->off_branch));
    if (h->dirty > 0)
        tch_buf_addf(b,
                     "  left out: %zu point%s with files that differed from the commit "
                     "(--dirty shows them)\n",
                     h->dirty, tch_plural(h->dirty));
    if (h->shifts.drift)
        tch_buf_adds(b, "  a steady drift describes this series better than its shifts\n");
}

static int print_series(void *ctx, const struct tch_history *h,
                        const struct tch_commit_order *order)
{
    static const struct column columns[] = {{.title = "commit"},
                                            {.title = "time", .keep = KEEP_IF_ROOM},
                                            {.title = "median", .right = true},
                                            {.title = "shift"},
                                            {.title = "subject", .fit = FIT_CUT}};
    const struct args *args = ctx;
    size_t n = h->points.count;
    size_t shown = n < LAST ? n : LAST;
    size_t sparks = n < SPARK ? n : SPARK;
    double values[SPARK];
    struct table t;
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    tch_buf_addf(&b, "%s, %s, %zu point%s on %s\n  ", h->series->bench, h->series->metric.title, n,
                 tch_plural(n),
                 *h->series->machine_class ? h->series->machine_class
                                           : "a machine "
                                             "that is "
                                             "not known");
    for (size_t i = 0; i < sparks; i++)
        values[i] = h->points.items[n - sparks + i].median;
    cli_add_spark(&b, &args->out, values, sparks);
    tch_buf_addc(&b, '\n');
    cli_table_init(&t, &args->out, columns, sizeof columns / sizeof *columns);
    t.indent = 2;
    for (size_t i = n; i > n - shown; i--)
        add_point(&t, h, i - 1, order);
    cli_table_print(&t, &b);
    cli_table_release(&t);
    add_remarks(&b, h, shown);
    return cli_print(&b);
}

static int run_show(struct args *args)
{
    return cli_history_each(args, true, print_series, args);
}

static const struct example examples[] = {
    {"tacho history show parse.wall", "Show the wall time of a bench, commit by commit."},
    {NULL, NULL},
};

const struct cmd cmd_history_show = {
    .name = "show",
    .summary = "show the points of a bench, the newest first",
    .usage = "tacho history show [OPTIONS] [BENCH[.METRIC]]",
    .opts = cli_history_opts,
    .args = cli_history_args,
    .examples = examples,
    .json = true,
    .run = run_show,
};
