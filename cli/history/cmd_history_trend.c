/* tacho history trend: one row per series. */
#include <math.h>

#include "cli/cmds.h"
#include "cli/core/bars.h"
#include "cli/core/table.h"
#include "history_parts.h"

enum { OUT_MAX = 1 << 26, SPARK = 24 };

static void add_spark(struct table *t, const struct tch_history *h)
{
    double values[SPARK];
    size_t count = h->points.count < SPARK ? h->points.count : SPARK;

    for (size_t i = 0; i < count; i++)
        values[i] = h->points.items[h->points.count - count + i].median;
    cli_add_spark(cli_table_cell(t, PLAIN), t->term, values, count);
}

static void add_last_shift(struct table *t, const struct tch_history *h)
{
    static const enum paint paints[] = {GREEN, PLAIN, RED};
    const struct tch_shift *last;

    if (h->shifts.count == 0) {
        cli_table_add(t, PLAIN, "-");
        cli_table_add(t, PLAIN, "");
        return;
    }
    last = &h->shifts.items[h->shifts.count - 1];
    tch_history_add_size(cli_table_cell(t, paints[1 + tch_history_direction(h, last)]), h, last);
    tch_history_add_place(cli_table_cell(t, PLAIN), h, last);
}

static int add_row(void *ctx, const struct tch_history *h, const struct tch_commit_order *order)
{
    struct table *t = ctx;
    size_t n = h->points.count;
    const struct tch_metric *m = &h->series->metric;

    (void)order;
    if (n == 0)
        return EXIT_OK;
    cli_table_add(t, BOLD, h->series->bench);
    cli_table_add(t, PLAIN, m->title);
    add_spark(t, h);
    tch_add_value(cli_table_cell(t, PLAIN), m->unit, h->points.items[n - 1].median * m->scale);
    cli_table_addf(t, PLAIN, "%zu", n);
    add_last_shift(t, h);
    return EXIT_OK;
}

static int run_trend(struct args *args)
{
    static const struct column columns[] = {{.title = "bench", .fit = FIT_CUT},
                                            {.title = "metric"},
                                            {.title = "trend", .keep = KEEP_IF_ROOM},
                                            {.title = "now", .right = true},
                                            {.title = "points", .right = true},
                                            {.title = "last shift"},
                                            {.title = "at"}};
    struct table t;
    struct tch_buf b;
    int status;

    cli_table_init(&t, &args->out, columns, sizeof columns / sizeof *columns);
    status = cli_history_each(args, false, add_row, &t);
    if (status == EXIT_OK && !args->json) {
        tch_buf_init(&b, OUT_MAX);
        cli_table_print(&t, &b);
        status = cli_print(&b);
    }
    cli_table_release(&t);
    return status;
}

static const struct example examples[] = {
    {"tacho history trend", "Show all benches: how they moved, and their last shift."},
    {NULL, NULL},
};

const struct cmd cmd_history_trend = {
    .name = "trend",
    .summary = "show one row per bench and metric, with its last shift",
    .usage = "tacho history trend [OPTIONS] [BENCH[.METRIC]]",
    .opts = cli_history_opts,
    .args = cli_history_args,
    .examples = examples,
    .json = true,
    .run = run_trend,
};
