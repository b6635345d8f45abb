/* tacho history log: one row per shift, the newest first. */
#include <stdlib.h>

#include "base/array.h"
#include "cli/cmds.h"
#include "cli/core/table.h"
#include "history_parts.h"

enum { OUT_MAX = 1 << 26 };

/* The texts of a row, kept until all rows are known. */
struct row {
    int64_t at_ns;
    char *cells[5];
    int direction;
};

struct log {
    struct row *rows; /* grows by tch_array_extend() */
    size_t count;
};

static char *place_of(const struct tch_history *h, const struct tch_shift *s)
{
    struct tch_buf b;

    tch_buf_init(&b, 256);
    tch_history_add_place(&b, h, s);
    return tch_buf_take(&b);
}

static char *size_of(const struct tch_history *h, const struct tch_shift *s)
{
    struct tch_buf b;

    tch_buf_init(&b, 256);
    tch_history_add_size(&b, h, s);
    return tch_buf_take(&b);
}

/* Names causes other than the code, then the subject of the commit. */
static char *reason_of(const struct tch_history *h, const struct tch_shift *s,
                       const struct tch_commit_order *order)
{
    struct tch_history_cause cause = tch_history_cause(h, s);
    struct tch_buf b;

    tch_buf_init(&b, 1 << 16);
    if (h->shifts.drift)
        tch_buf_adds(&b, "drifts; ");
    if (cause.same_program)
        tch_buf_adds(&b, "same program; ");
    if (cause.environment)
        tch_buf_adds(&b, "environment changed; ");
    tch_buf_adds(&b, tch_commit_subject(order, h->points.items[s->at].commit));
    return tch_buf_take(&b);
}

static int add_shifts(void *ctx, const struct tch_history *h, const struct tch_commit_order *order)
{
    struct log *log = ctx;

    for (size_t i = 0; i < h->shifts.count; i++) {
        const struct tch_shift *s = &h->shifts.items[i];
        struct row *row;

        if (tch_array_extend(&log->rows, log->count) < 0)
            return cli_no_memory();
        row = &log->rows[log->count++];
        *row = (struct row){.at_ns = h->points.items[s->at].started_ns,
                            .direction = tch_history_direction(h, s),
                            .cells = {place_of(h, s), strdup(h->series->bench),
                                      strdup(h->series->metric.title), size_of(h, s),
                                      reason_of(h, s, order)}};
        for (size_t c = 0; c < 5; c++)
            if (!row->cells[c])
                return cli_no_memory();
    }
    return EXIT_OK;
}

static int newest_first(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;

    return (x->at_ns < y->at_ns) - (x->at_ns > y->at_ns);
}

static int print_log(struct log *log, const struct args *args)
{
    static const struct column columns[] = {{.title = "commits"},
                                            {.title = "bench"},
                                            {.title = "metric"},
                                            {.title = "change"},
                                            {.title = "at that point", .fit = FIT_CUT}};
    static const enum paint paints[] = {GREEN, PLAIN, RED};
    struct table t;
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    cli_table_init(&t, &args->out, columns, 5);
    if (log->count > 0)
        qsort(log->rows, log->count, sizeof *log->rows, newest_first);
    for (size_t i = 0; i < log->count; i++)
        for (size_t c = 0; c < 5; c++)
            cli_table_add(&t, c == 3 ? paints[1 + log->rows[i].direction] : PLAIN,
                          log->rows[i].cells[c]);
    if (log->count > 0)
        cli_table_print(&t, &b);
    else
        tch_buf_adds(&b, "no shifts\n");
    cli_table_release(&t);
    return cli_print(&b);
}

static int run_log(struct args *args)
{
    struct log log = {0};
    int status = cli_history_each(args, false, add_shifts, &log);

    if (status == EXIT_OK && !args->json)
        status = print_log(&log, args);
    for (size_t i = 0; i < log.count; i++)
        for (size_t c = 0; c < 5; c++)
            free(log.rows[i].cells[c]);
    free(log.rows);
    return status;
}

static const struct example examples[] = {
    {"tacho history log", "List the shifts of all benches, the newest first."},
    {"tacho history log --json parse | jq '.series[].shifts'", "Read those of one bench."},
    {NULL, NULL},
};

const struct cmd cmd_history_log = {
    .name = "log",
    .summary = "list where benches became faster or slower",
    .usage = "tacho history log [OPTIONS] [BENCH[.METRIC]]",
    .about =
        "A shift is a change of the level of a series. A series without any change shows one in "
        "1 % of cases when its whole history is analysed once. The commits of a shift are those "
        "that the data do not rule out, with 95 % confidence. Its size comes from the same data "
        "that showed it, so it tends to be too large: 'tacho gate --against' measures both "
        "commits again, interleaved.",
    .opts = cli_history_opts,
    .args = cli_history_args,
    .examples = examples,
    .json = true,
    .run = run_log,
};
