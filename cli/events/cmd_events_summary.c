/* tacho events summary: shows where the time went, by event and stage. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/core/bars.h"
#include "cli/core/table.h"
#include "cli/core/text.h"
#include "cmd_events_parts.h"
#include "kit/event/event_json.h"
#include "kit/event/event_stages_sum.h"
#include "kit/text/human_number.h"

enum { OUT_MAX = 64 << 20, BAR = 16 };

struct summary {
    struct args *args;
    const char *only;
    const char *by;
    unsigned jobs;
    /* One per thread; the first is the sum in the end. */
    struct tch_stages stages[TCH_SCAN_THREADS];
    struct tch_scan_counts total;
};

static int read_file(struct summary *s, const char *path)
{
    void *workers[TCH_SCAN_THREADS];
    const struct tch_scan scan = {.threads = s->jobs, .workers = workers, .event = tch_stages_add};
    struct tch_scan_counts counts;

    for (unsigned i = 0; i < s->jobs; i++)
        workers[i] = &s->stages[i];
    if (cli_events_scan(path, scan, &counts) != EXIT_OK)
        return EXIT_WORK;
    cli_events_add_counts(&s->total, &counts);
    return EXIT_OK;
}

static void add_cell_time(struct table *t, double us)
{
    if (us < 0) /* not a valid duration, but the file contains it */
        cli_table_addf(t, PLAIN, "%.4g us", us);
    else
        tch_add_value(cli_table_cell(t, PLAIN), TCH_NS, us * 1000);
}

static void add_cell_count(struct table *t, double count)
{
    cli_table_addf(t, PLAIN, "%.6g", count);
}

static void add_row(struct table *t, struct tch_stage *stage, double group_total, bool bars)
{
    void (*add_cell)(struct table *, double) = stage->is_count ? add_cell_count : add_cell_time;
    struct tch_stage_summary sum;
    double share;
    char mem[128];
    struct tch_buf b;

    tch_stage_summarise(stage, &sum);
    cli_table_add(t, PLAIN, stage->name);
    cli_table_addf(t, PLAIN, "%" PRIu64, stage->count);
    add_cell(t, sum.total);
    add_cell(t, sum.mean);
    add_cell(t, sum.p50);
    add_cell(t, sum.p95);
    add_cell(t, sum.p99);
    add_cell(t, sum.max);
    if (stage->is_count)
        return;
    share = sum.total / group_total;
    tch_buf_init_on(&b, mem, sizeof mem, sizeof mem - 1);
    if (isfinite(share) && share >= 0)
        tch_add_percent(&b, share);
    cli_table_add(t, PLAIN, b.data);
    if (bars) {
        tch_buf_clear(&b);
        cli_add_bar(&b, t->term, group_total > 0 ? fmin(share, 1) : 0, BAR);
        cli_table_add(t, CYAN, b.data);
    }
}

/* Adds the table of a group's times or of its counts; nothing if there are no such values. */
static void add_table(struct tch_buf *b, const struct args *args, struct tch_stage_group *g,
                      bool counts, double group_total)
{
    static const struct column times[] = {
        {.title = "stage", .fit = FIT_CUT}, {.title = "count", .right = true},
        {.title = "total", .right = true},  {.title = "mean", .right = true},
        {.title = "p50", .right = true},    {.title = "p95", .right = true},
        {.title = "p99", .right = true},    {.title = "max", .right = true},
        {.title = "share", .right = true},  {.title = ""},
    };
    static const struct column numbers[] = {
        {.title = "count of", .fit = FIT_CUT}, {.title = "count", .right = true},
        {.title = "total", .right = true},     {.title = "mean", .right = true},
        {.title = "p50", .right = true},       {.title = "p95", .right = true},
        {.title = "p99", .right = true},       {.title = "max", .right = true},
    };
    bool bars = args->out.is_tty;
    size_t shown = 0;
    size_t zero = 0;
    struct table t;

    cli_table_init(&t, &args->out, counts ? numbers : times, counts ? 8 : bars ? 10 : 9);
    t.indent = 2;
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_stage *stage = &g->stages[i];

        if (stage->is_count != counts)
            continue;
        if (stage->sum == 0 && stage->max == 0) {
            zero++; /* some programs write all stages in every event, used or not */
            continue;
        }
        add_row(&t, &g->stages[i], group_total, bars);
        shown++;
    }
    if (shown > 0)
        cli_table_print(&t, b);
    if (zero > 0)
        tch_buf_addf(b, "  %zu %s are always 0 and not shown; --json lists them\n", zero,
                     counts ? "counts" : "stages");
    cli_table_release(&t);
}

static bool has_histogram(const struct tch_stage_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->stages[i].histogram)
            return true;
    return false;
}

static void add_group(struct tch_buf *b, const struct args *args, struct tch_stage_group *g,
                      const char *by)
{
    struct tch_buf title;
    bool is_stage;
    double total = tch_stage_group_total(g, &is_stage);

    tch_buf_init_part(&title, b);
    cli_add_clean(&title, g->event, args->out.utf8);
    if (by) {
        tch_buf_addc(&title, ' ');
        cli_add_clean(&title, by, args->out.utf8);
        tch_buf_addc(&title, '=');
        cli_add_clean(&title, g->by_len > 0 ? g->by : "(none)", args->out.utf8);
    }
    cli_add_painted(b, &args->out, BOLD, title.data);
    tch_buf_addf(b, ": %" PRIu64 " events", g->events);
    if (total > 0) {
        tch_buf_adds(b, ", ");
        tch_add_value(b, TCH_NS, total * 1000);
        tch_buf_adds(b, is_stage ? " in total (stage 'total')" : " in total (sum of the stages)");
    }
    tch_buf_addc(b, '\n');
    add_table(b, args, g, false, total);
    add_table(b, args, g, true, total);
    if (g->passed_over > 0)
        tch_buf_addf(b, "  %" PRIu64 " values that are not numbers were skipped\n", g->passed_over);
    if (has_histogram(g))
        tch_buf_addf(b, "  percentiles of stages with more than %d values are accurate to 0.4 %%\n",
                     TCH_STAGE_EXACT);
    tch_buf_release(&title);
}

static void add_text(struct tch_buf *b, const struct summary *s)
{
    const struct tch_stages *stages = &s->stages[0];

    for (size_t i = 0; i < stages->count; i++) {
        if (i > 0)
            tch_buf_addc(b, '\n');
        add_group(b, s->args, &stages->groups[i], stages->by);
    }
    if (stages->count == 0)
        tch_buf_adds(b, stages->only ? "no such event\n" : "no events\n");
    if (stages->left_out > 0)
        tch_buf_addf(b, "\n%" PRIu64 " values left out: more than %d different stages\n",
                     stages->left_out, TCH_STAGES_MOST);
}

static int print_summary(struct summary *s)
{
    struct tch_buf b;
    tacho_error err;

    for (unsigned i = 1; i < s->jobs; i++) {
        if (tch_stages_merge(&s->stages[0], &s->stages[i], &err) < 0) {
            cli_complain(NULL, "%s", err.message);
            return EXIT_WORK;
        }
    }
    tch_stages_sort(&s->stages[0]);
    tch_buf_init(&b, OUT_MAX);
    if (s->args->json)
        tch_events_summary_json(&b, &s->stages[0], &s->total);
    else
        add_text(&b, s);
    if (cli_print(&b) != EXIT_OK)
        return EXIT_WORK;
    return s->total.bad > 0 || s->total.torn > 0 ? EXIT_CHECK : EXIT_OK;
}

static int run_summary(struct args *args)
{
    struct summary *s = calloc(1, sizeof *s);
    int status;

    if (!s)
        return cli_no_memory();
    s->args = args;
    s->jobs = cli_events_default_jobs();
    status = cli_set_opts(args, s, NULL);
    for (unsigned i = 0; i < s->jobs; i++)
        tch_stages_init(&s->stages[i], s->only, s->by);
    for (size_t i = 0; i < args->count && status == EXIT_OK; i++)
        status = read_file(s, args->operands[i]);
    if (status == EXIT_OK)
        status = print_summary(s);
    for (unsigned i = 0; i < TCH_SCAN_THREADS; i++)
        tch_stages_release(&s->stages[i]);
    free(s);
    return status;
}

static const struct opt opts[] = {
    EVENTS_BY_OPT(struct summary, by),
    EVENTS_EVENT_OPT(struct summary, only),
    EVENTS_JOBS_OPT(struct summary, jobs),
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "the events to read; - for standard input",
     .many = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a line is invalid or torn; the others were summarised"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho events summary --event unified_prof --by items profile.jsonl",
     "Show the stages of unified_prof separately for each value of items."},
    {NULL, NULL},
};

const struct cmd cmd_events_summary = {
    .name = "summary",
    .summary = "show where the time went, by event and stage",
    .usage = "tacho events summary [--event E] [--by SHAPE_KEY] [--jobs N] [--json] FILE...",
    .about =
        "For each event and stage, shows the count, total, mean, median, 95th and 99th percentile "
        "(nearest rank), maximum, and share of the event's total; the most expensive come first. "
        "Nested stages are named a.b.c. The event's total is its stage 'total' if it has one, else "
        "the sum of its outermost stages.\n\nValues named ..._calls or ..._count are counts, not "
        "times, and are listed separately. Percentiles are exact up to 65536 values per stage, and "
        "accurate to 0.4 % beyond.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_summary,
};
