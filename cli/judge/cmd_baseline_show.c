/* tacho baseline show. */
#include <math.h>

#include "cli/cmds.h"
#include "cli/core/table.h"
#include "cmd_baseline_parts.h"
#include "kit/stats/session.h"
#include "kit/text/human_number.h"

static void show_occasions(struct tch_buf *out, const struct term *term,
                           const struct tch_baseline *b)
{
    static const struct column columns[] = {{.title = ""},
                                            {.title = "occasion"},
                                            {.title = "at"},
                                            {.title = "commit"},
                                            {.title = "command", .fit = FIT_CUT}};
    struct table t;

    cli_table_init(&t, term, columns, 5);
    for (size_t i = 0; i < b->count; i++) {
        const struct tch_occasion *o = &b->occasions[i];
        bool is = strcmp(o->id, b->reference) == 0;
        char commit[32];

        cli_table_add(&t, GREEN, is ? "*" : "");
        cli_table_add(&t, PLAIN, o->id);
        cli_table_add(&t, PLAIN, o->at);
        tch_occasion_commit(o, commit, sizeof commit);
        cli_table_add(&t, o->dirty ? YELLOW : PLAIN, commit);
        cli_table_add(&t, PLAIN, o->command);
    }
    cli_table_print(&t, out);
    cli_table_release(&t);
}

/* Finds the quantity that "stage:decode.attention_us:p95" is a statistic of. */
static void find_quantity(const char *kept, struct tch_metric *q)
{
    const char *colon = strrchr(kept, ':');
    char name[TCH_METRIC_TEXT];
    double quantile;
    int len =
        colon && tch_statistic_find(colon + 1, &quantile) ? (int)(colon - kept) : (int)strlen(kept);

    snprintf(name, sizeof name, "%.*s", len, kept);
    (void)tch_metric_find(name, q);
}

static void show_metrics(struct tch_buf *out, const struct term *term, const struct tch_baseline *b)
{
    static const struct column columns[] = {{.title = "metric"},
                                            {.title = "reference", .right = true},
                                            {.title = "latest", .right = true},
                                            {.title = "runs", .right = true},
                                            {.title = "spread of occasions", .right = true}};
    const struct tch_occasion *reference = tch_baseline_find(b, "reference");
    const struct tch_occasion *latest = tch_baseline_find(b, "latest");
    bool few = tch_baseline_occasions(b) < 3;
    struct table t;

    cli_table_init(&t, term, columns, 5);
    for (size_t i = 0; reference && i < reference->count; i++) {
        const struct tch_kept *kept = &reference->kept[i];
        const struct tch_kept *last = tch_occasion_values(latest, kept->name, 0.5);
        struct tch_metric q = {.unit = TCH_PLAIN, .spread = TCH_SESSION_SPREAD};

        find_quantity(kept->name, &q);
        cli_table_add(&t, PLAIN, kept->name);
        tch_add_value(cli_table_cell(&t, PLAIN), q.unit, tch_kept_median(kept));
        tch_add_value(cli_table_cell(&t, PLAIN), q.unit, last ? tch_kept_median(last) : NAN);
        cli_table_addf(&t, PLAIN, "%zu", kept->count);
        cli_table_addf(&t, few ? DIM : PLAIN, "%.2g %%%s",
                       100 * tch_baseline_spread(b, kept->name, 0.5, q.spread),
                       few ? " (assumed)" : "");
    }
    cli_table_print(&t, out);
    cli_table_release(&t);
}

static int show_baseline(struct tch_baseline *b, const char *path, const struct args *args)
{
    struct tch_buf out;

    (void)path;
    tch_buf_init(&out, BASELINE_OUT_MAX);
    if (args->json) {
        tch_baseline_format(&out, b);
    } else {
        tch_buf_addf(&out, "%s on %s\n\n", b->bench, b->machine_class);
        show_occasions(&out, &args->out, b);
        tch_buf_addc(&out, '\n');
        show_metrics(&out, &args->out, b);
    }
    return cli_print(&out);
}

static int run_show(struct args *args)
{
    return cli_with_baseline(args, false, show_baseline);
}

static const struct arg bench_arg[] = {
    {.name = "BENCH", .help = "name of the bench", .complete = COMPLETE_BENCH},
    {.name = NULL},
};

const struct cmd cmd_baseline_show = {
    .name = "show",
    .summary = "show the occasions of a baseline and how much they differ",
    .usage = "tacho baseline show [OPTIONS] BENCH",
    .opts = cli_baseline_place_opts,
    .args = bench_arg,
    .json = true,
    .run = run_show,
};
