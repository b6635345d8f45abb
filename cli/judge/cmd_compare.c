/* tacho compare: compares run folders side by side. */
#include <errno.h>
#include <math.h>

#include "base/human_number.h"
#include "base/number.h"
#include "cli/cmds.h"
#include "cli/core/opt.h"
#include "cli/run/run_options.h"
#include "cli/run/run_view.h"
#include "kit/judge/calibration.h"
#include "kit/judge/run_compare.h"
#include "kit/report/report.h"
#include "kit/report/verdict_formats.h"
#include "kit/run/recorded_metric.h"
#include "verdict_view.h"

enum { LOWER, HIGHER }; /* ids of options */

enum { BUDGETS_MOST = 64, RUNS_MOST = 16 };

static const char *const format_names[] = {"table", "md", "json", "csv", NULL};

static const struct tch_verdict_format *const formats[] = {NULL, &tch_verdict_md, &tch_verdict_json,
                                                           &tch_verdict_csv};

struct compare {
    struct tch_named_budget budgets[BUDGETS_MOST];
    char *names[BUDGETS_MOST]; /* owned */
    size_t budget_count;
    struct {
        const char *name;
        bool higher;
    } directions[BUDGETS_MOST];
    size_t direction_count;
    double min_effect;
    double alpha;
    int format;
    const char *html;
    bool equivalent;
    bool raw;
    bool force;
    bool fail_on_warn;

    struct tch_metric metrics[TCH_METRICS_MOST];
    size_t metric_count;
    struct tch_report_run runs[RUNS_MOST];
    char folders[RUNS_MOST][PATH_MAX];
    size_t rows[RUNS_MOST]; /* number of findings before and after the rows of a run */
    size_t count;
    struct tch_calibration calibration; /* calibration of their bench; empty: there is none */
    struct tch_findings findings;
};

/* Parses "5%" or "0.05". Refuses "5", which is 500 % and probably a typing error. */
static bool parse_share(const char *text, double *ret)
{
    size_t len = strlen(text);
    bool percent = len > 0 && text[len - 1] == '%';
    double value;

    if (tch_parse_f64_n(text, len - percent, &value) < 0 || !isfinite(value) || value < 0 ||
        (!percent && value > 1))
        return false;
    *ret = percent ? value / 100 : value;
    return true;
}

/* Parses "5%" for all metrics judged by default, or "memory=2%" for one. */
static int take_tolerance(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;
    const char *equals = strrchr(args->value, '='); /* the name of a span may contain '=' */
    const char *share = equals ? equals + 1 : args->value;
    struct tch_named_budget *budget = &c->budgets[c->budget_count];

    (void)opt;
    if (c->budget_count == BUDGETS_MOST)
        return cli_wrong_usage(args, "there can be at most %d tolerances", BUDGETS_MOST);
    *budget = (struct tch_named_budget){.budget = tch_budget_default};
    if (!parse_share(share, &budget->budget.tolerance) || equals == args->value)
        return cli_wrong_usage(
            args, "--tolerance needs a share such as 5%% or memory=2%%, not '%s'", args->value);
    if (equals) {
        c->names[c->budget_count] = strndup(args->value, (size_t)(equals - args->value));
        if (!c->names[c->budget_count])
            return cli_no_memory();
        budget->name = c->names[c->budget_count];
    }
    c->budget_count++;
    return EXIT_OK;
}

static int take_min_effect(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    (void)opt;
    if (!parse_share(args->value, &c->min_effect))
        return cli_wrong_usage(args, "--min-effect needs a share such as 2%%, not '%s'",
                               args->value);
    return EXIT_OK;
}

static int take_alpha(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    (void)opt;
    if (!parse_share(args->value, &c->alpha) || c->alpha <= 0 || c->alpha > 0.5)
        return cli_wrong_usage(args, "--alpha needs a probability such as 5%% or 0.01, not '%s'",
                               args->value);
    return EXIT_OK;
}

static int take_session_spread(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    (void)opt;
    if (!parse_share(args->value, &c->findings.session_spread))
        return cli_wrong_usage(args, "--session-spread needs a share such as 1%% or 0.01, not '%s'",
                               args->value);
    return EXIT_OK;
}

static int take_quantile(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;
    size_t len = strlen(args->value);
    double *quantile = &c->findings.quantile;

    (void)opt;
    len -= len > 0 && args->value[len - 1] == '%';
    if (tch_parse_f64_n(args->value, len, quantile) < 0)
        *quantile = NAN;
    *quantile /= 100;
    if (!(*quantile > 0 && *quantile < 1))
        return cli_wrong_usage(
            args, "--quantile needs a percentage above 0 and below 100, such as 99, not '%s'",
            args->value);
    return EXIT_OK;
}

static int take_metric(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;
    tacho_error err;

    if (!tch_recorded_metric_is(args->value))
        return cli_wrong_value(args, opt->name,
                               "what the runs recorded: span:NAME, stage:EVENT.STAGE or "
                               "latency:NAME");
    if (c->metric_count == TCH_METRICS_MOST)
        return cli_wrong_usage(args, "there can be at most %d metrics", TCH_METRICS_MOST);
    if (tch_metric_init(&c->metrics[c->metric_count], args->value, &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    c->metric_count++;
    return EXIT_OK;
}

static int take_direction(void *into, const struct args *args, const struct opt *opt)
{
    struct compare *c = into;

    if (c->direction_count == BUDGETS_MOST)
        return cli_wrong_usage(args, "there can be at most %d directions", BUDGETS_MOST);
    c->directions[c->direction_count].name = args->value;
    c->directions[c->direction_count++].higher = opt->id == HIGHER;
    return EXIT_OK;
}

/* Applies directions and minimum effects to every tolerance, whatever the order of the options. */
static void complete_budgets(struct compare *c)
{
    for (size_t i = 0; i < c->budget_count; i++) {
        struct tch_named_budget *budget = &c->budgets[i];

        budget->budget.min_effect = c->min_effect;
        budget->budget.equivalent = c->equivalent;
        for (size_t k = 0; k < c->direction_count; k++)
            if (budget->name && strcmp(budget->name, c->directions[k].name) == 0) {
                budget->directed = true;
                budget->budget.higher = c->directions[k].higher;
            }
    }
}

/* Adds the metrics of --metric. The cost of recording is known only for runs that were made with
   them. */
static int add_metrics(const struct compare *c, struct tch_report_run *run, tacho_error *err)
{
    struct tch_receipt *r = &run->receipt;
    int status = 0;

    for (size_t i = 0; i < c->metric_count && status == 0; i++)
        status = tch_receipt_add_metric(r, run->folder, &c->metrics[i], err);
    if (status == 0 && c->metric_count > 0 && !tch_recording_counted(&r->recording))
        status = tch_recording_cost_find(&r->recording, &r->samples, run->folder, err);
    return status;
}

static int open_runs(struct compare *c, const struct args *args)
{
    if (args->count < 2 || args->count > RUNS_MOST)
        return cli_wrong_usage(args, "give 2 to %d runs to compare", RUNS_MOST);
    while (c->count < args->count) {
        size_t i = c->count++;
        struct tch_report_run *run = &c->runs[i];
        tacho_error err;

        if (tch_report_open(run, cli_run_folder(args->operands[i], c->folders[i]), &err) < 0) {
            cli_complain_of_folder(args->operands[i], &err);
            return EXIT_WORK;
        }
        if (add_metrics(c, run, &err) < 0) {
            cli_complain(&err, "cannot compare the run '%s'", args->operands[i]);
            return EXIT_WORK;
        }
        cli_warn_unfinished(args->operands[i], &run->receipt, run->life);
        if (tch_report_nothing(&run->receipt)) {
            cli_complain(NULL, "cannot compare the run '%s': %s", args->operands[i],
                         tch_report_nothing(&run->receipt));
            return EXIT_WORK;
        }
    }
    return EXIT_OK;
}

/* Refuses to compare runs of different machine classes, unless --force is given. */
static int check_machines(struct compare *c)
{
    for (size_t i = 1; i < c->count; i++) {
        const struct tch_receipt *a = &c->runs[0].receipt;
        const struct tch_receipt *b = &c->runs[i].receipt;
        size_t m = 0;
        size_t n = 0;
        const char *x = tch_receipt_raw(a, "machine_class", &m);
        const char *y = tch_receipt_raw(b, "machine_class", &n);

        if (m == n && (m == 0 || memcmp(x, y, m) == 0))
            continue;
        if (!c->force) {
            cli_complain(NULL,
                         "'%s' and '%s' were run on different machine classes, %.*s and %.*s; "
                         "--force compares them anyway",
                         a->name, b->name, (int)m, x ? x : "", (int)n, y ? y : "");
            return EXIT_WORK;
        }
        tch_findings_note(&c->findings,
                          "DIFFERENT MACHINES: '%s' and '%s' were not run on the same "
                          "machine class; the machine alone may cause the differences",
                          a->name, b->name);
    }
    return EXIT_OK;
}

/* Reads the calibration of a name, if there is one. An unreadable calibration is not used. */
static bool read_calibration_of(struct compare *c, const char *name)
{
    char machine_class[256];
    char path[PATH_MAX];
    tacho_error err = {0};

    tch_receipt_text(&c->runs[1].receipt, "machine_class", machine_class, sizeof machine_class);
    if (tch_baseline_path(path, TCH_CALIBRATIONS, name, machine_class, NULL) < 0)
        return false;
    if (tch_calibration_read(&c->calibration, path, name, machine_class, &err) == 0)
        return true;
    tch_calibration_release(&c->calibration);
    if (err.system_errno != ENOENT)
        tch_findings_note(&c->findings, "the calibration '%.150s' is not used: %.200s", path,
                          err.message);
    return false;
}

/* Reads the calibration of the first two runs. It knows which changes are too small to see. For two
   runs of one bench that were not interleaved, it knows how much sessions differ, too. */
static void read_calibration(struct compare *c)
{
    const struct tch_receipt *a = &c->runs[0].receipt;
    const struct tch_receipt *b = &c->runs[1].receipt;
    bool same = strcmp(a->name, b->name) == 0;

    if (c->force ||
        (!read_calibration_of(c, b->name) && (same || !read_calibration_of(c, a->name))))
        return;
    if (same && strcmp(a->command, b->command) == 0)
        c->findings.calibration = &c->calibration;
}

/* Notes tolerances that are smaller than the changes this machine can see in interleaved runs. */
static void note_unseen(struct compare *c)
{
    const struct tch_calibration_occasion *o =
        tch_calibration_latest(&c->calibration, c->runs[1].receipt.command);
    struct tch_unseen unseen = {0};
    char text[TCH_UNSEEN_TEXT];

    if (!o)
        o = tch_calibration_latest(&c->calibration, c->runs[0].receipt.command);
    for (size_t i = 0; o && i < c->rows[1]; i++) {
        const struct tch_about *about = &c->findings.about[i];

        if (about->ask == TCH_ASK_RATIO && about->paired && !about->exact)
            tch_unseen_add(&unseen, o, about->bench, &about->quantity, &about->budget,
                           c->findings.rows[i].b_count);
    }
    if (unseen.count == 0)
        return;
    tch_unseen_describe(&unseen, "tacho run -n", text);
    tch_findings_note(&c->findings, "%s", text);
}

static int compare_with_first(struct compare *c, size_t i, tacho_error *err)
{
    const struct tch_receipt *a = &c->runs[0].receipt;
    const struct tch_receipt *b = &c->runs[i].receipt;
    const char *bench = c->count > 2 ? b->name : "";
    size_t from = c->findings.count;
    int status = tch_findings_differences(&c->findings, a, b, err);

    if (strcmp(a->id, b->id) == 0)
        tch_findings_note(&c->findings,
                          "both sides are the same run, '%s', so nothing can differ; give two runs",
                          b->name);

    if (status == 0)
        status = tch_compare_runs(&c->findings, bench, a, b, c->budgets, c->budget_count, true,
                                  NULL, err);
    c->rows[i - 1] = from;
    c->rows[i] = c->findings.count;
    if (status == 0)
        tch_compare_note_recording(&c->findings, "", b);
    if (status == 0)
        status = tch_compare_events(&c->findings, bench, from, c->runs[0].folder, c->runs[i].folder,
                                    err);
    return status;
}

/* Notes the session spread, and the command that interleaves the first two runs. */
static void note_sessions(struct compare *c)
{
    const char *words[] = {"tacho", "run",
                           "-n",    "20",
                           "-c",    c->runs[0].receipt.command,
                           "-c",    c->runs[1].receipt.command,
                           NULL};
    char *line = cli_join_words((char **)words);

    if (line)
        tch_findings_note_sessions(&c->findings, line);
    else
        c->findings.lost = true;
    free(line);
}

static void note_layouts(struct compare *c)
{
    for (size_t i = 1; i < c->count; i++)
        tch_compare_note_layouts(&c->findings, c->count > 2 ? c->runs[i].receipt.name : "",
                                 &c->runs[0].receipt, &c->runs[i].receipt, c->rows[i - 1],
                                 c->rows[i] - c->rows[i - 1],
                                 "tacho run --layouts 20 --relink LINE -c A -c B");
}

static void add_side(struct tch_buf *b, const struct tch_receipt *r)
{
    tch_buf_addf(b, "%s, %zu run%s, %s", r->name, r->samples.count, tch_plural(r->samples.count),
                 r->started_at);
}

static int name_sides(struct compare *c, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, 1 << 16);
    add_side(&b, &c->runs[0].receipt);
    status = tch_findings_set(&c->findings.a_name, b.data, err);
    tch_buf_clear(&b);
    for (size_t i = 1; i < c->count; i++) {
        tch_buf_adds(&b, i > 1 ? "; " : "");
        add_side(&b, &c->runs[i].receipt);
        if (tch_runs_paired(&c->runs[0].receipt, &c->runs[i].receipt))
            tch_buf_adds(&b, " (in pairs with A)");
    }
    if (status == 0)
        status = tch_findings_set(&c->findings.b_name, b.data, err);
    tch_buf_release(&b);
    return status;
}

static int write_page(const struct compare *c)
{
    struct tch_verdict_flame flames[RUNS_MOST];
    char titles[RUNS_MOST][256];

    for (size_t i = 1; i < c->count; i++) {
        snprintf(titles[i], sizeof titles[i], "%.100s against %.100s", c->runs[i].receipt.name,
                 c->runs[0].receipt.name);
        flames[i - 1] = (struct tch_verdict_flame){
            .title = titles[i], .before = c->runs[0].folder, .now = c->runs[i].folder};
    }
    return cli_write_findings_page(c->html, &c->findings, flames, c->count - 1);
}

static int print_findings(const struct compare *c, const struct args *args)
{
    struct tch_buf b;

    if (c->html && write_page(c) != EXIT_OK)
        return EXIT_WORK;
    if (c->raw)
        return cli_write_findings(&tch_verdict_raw_csv, "-", &c->findings);
    if (args->json || c->format > 0)
        return cli_write_findings(args->json ? &tch_verdict_json : formats[c->format], "-",
                                  &c->findings);
    tch_buf_init(&b, TCH_REPORT_MAX);
    cli_add_findings(&b, &args->out, &c->findings);
    return cli_print(&b);
}

/* Reports a problem if a comparison with tolerances judged nothing: it must not look as if it had
   passed. */
static void note_unjudged(struct compare *c)
{
    tch_findings_doubt(&c->findings);
    if (c->budget_count > 0 && c->findings.verdict == TCH_NO_VERDICT &&
        c->findings.problem_count == 0)
        tch_findings_problem(&c->findings,
                             "nothing was judged: no metric with a tolerance was measured "
                             "on both sides; the notes give the reasons");
    for (size_t i = 0; i < c->findings.problem_count; i++)
        cli_complain(NULL, "%s", c->findings.problems[i]);
}

static int compare(struct compare *c, const struct args *args)
{
    tacho_error err;
    int status = check_machines(c);
    int code = 0;

    read_calibration(c);
    for (size_t i = 1; i < c->count && code == 0 && status == EXIT_OK; i++)
        code = compare_with_first(c, i, &err);
    if (status == EXIT_OK && code == 0)
        code = name_sides(c, &err);
    if (status == EXIT_OK && code == 0)
        code = tch_findings_judge(&c->findings, c->alpha, &err);
    if (status == EXIT_OK && code == 0) {
        note_unseen(c);
        note_layouts(c);
        note_sessions(c);
        note_unjudged(c);
    }
    if (code < 0) {
        cli_complain(&err, "cannot compare");
        status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = print_findings(c, args);
    if (status == EXIT_OK && c->findings.problem_count > 0 && c->findings.verdict != TCH_FAIL)
        return EXIT_UNJUDGED;
    return status == EXIT_OK ? cli_findings_status(&c->findings, c->fail_on_warn) : status;
}

static int run_compare(struct args *args)
{
    struct compare *c = calloc(1, sizeof *c);
    int status;

    if (!c)
        return cli_no_memory();
    c->alpha = TCH_ALPHA;
    c->min_effect = tch_budget_default.min_effect;
    tch_findings_init(&c->findings, "compare");
    status = cli_set_opts(args, c, NULL);
    complete_budgets(c);
    if (status == EXIT_OK && args->json && c->format > 0 && formats[c->format] != &tch_verdict_json)
        status = cli_wrong_usage(
            args, "--json means --format json; it cannot be combined with another format");
    if (status == EXIT_OK && c->equivalent && c->budget_count == 0)
        status = cli_wrong_usage(
            args, "--equivalent needs --tolerance, which says how far B may differ from A");
    if (status == EXIT_OK && c->raw && formats[c->format] != &tch_verdict_csv)
        status = cli_wrong_usage(args, "--raw needs --format csv");
    if (status == EXIT_OK)
        status = open_runs(c, args);
    if (status == EXIT_OK)
        status = compare(c, args);
    for (size_t i = 0; i < c->count; i++)
        tch_report_close(&c->runs[i]);
    for (size_t i = 0; i < c->budget_count; i++)
        free(c->names[i]);
    for (size_t i = 0; i < c->metric_count; i++)
        tch_metric_release(&c->metrics[i]);
    tch_findings_release(&c->findings);
    tch_calibration_release(&c->calibration);
    free(c);
    return status;
}

static const struct opt opts[] = {
    {.name = "tolerance",
     .letter = 't',
     .arg = "[METRIC=]P",
     .help = "judge: B may be at most P worse than A, such as 5%, in METRIC (default: in the usual "
             "metrics)",
     .take = take_tolerance},
    {.name = "equivalent",
     .help = "judge whether A and B are equivalent: B may be neither worse nor better by more than "
             "the tolerance",
     CLI_FLAG(struct compare, equivalent)},
    {.name = "min-effect",
     .arg = "P",
     .help = "ignore changes smaller than P (default 2%)",
     .take = take_min_effect},
    {.name = "alpha",
     .arg = "P",
     .help = "probability of a wrong FAIL in the whole report (default 5%)",
     .take = take_alpha},
    {.name = "session-spread",
     .arg = "P",
     .help = "assume that sessions differ by P, for runs that were not interleaved (default 2.6% "
             "for times, 0.65% for memory and instructions)",
     .take = take_session_spread},
    {.name = "quantile",
     .arg = "Q",
     .help = "compare the quantile Q within each run, such as 99, of metrics with several values "
             "per run (default 50; recorded latencies and stages: 50, 95 or 99)",
     .take = take_quantile},
    {.name = "metric",
     .letter = 'm',
     .arg = "RECORDED",
     .help = "compare span:NAME, stage:EVENT.STAGE or latency:NAME, with :total, :count, :mean, "
             ":p50, :p99 or :max, also of runs that were made without it",
     .take = take_metric},
    {.name = "higher-is-better",
     .arg = "METRIC",
     .help = "treat more of METRIC as better, for a metric of your own",
     .id = HIGHER,
     .take = take_direction},
    {.name = "lower-is-better",
     .arg = "METRIC",
     .help = "treat less of METRIC as better",
     .id = LOWER,
     .take = take_direction},
    {.name = "format",
     .letter = 'f',
     .arg = "FORMAT",
     .help = "print table, md, json or csv (default table)",
     CLI_CHOICE(struct compare, format, format_names)},
    {.name = "raw",
     .help = "csv: do not quote names that a spreadsheet takes for a formula",
     CLI_FLAG(struct compare, raw)},
    {.name = "html",
     .arg = "FILE",
     .help = "write a page with the runs' distributions and differential flamegraph",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct compare, html)},
    {.name = "force",
     .help = "compare runs of different machine classes",
     CLI_FLAG(struct compare, force)},
    {.name = "fail-on-warn",
     .help = "exit with 3 if a verdict is WARN or INCONCLUSIVE",
     CLI_FLAG(struct compare, fail_on_warn)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "A", .help = "run folder of the old side", .complete = COMPLETE_DIR},
    {.name = "B", .help = "run folders to compare with A", .many = true, .complete = COMPLETE_DIR},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho compare tacho-out/old/latest tacho-out/new/latest",
     "Compare two runs, metric by metric."},
    {"tacho compare -t 5% -t memory=1% before after",
     "Judge: times may be worse by 5 %, memory by 1 %."},
    {"tacho compare --quantile 99 -t latency=10% before after",
     "Judge the p99 of the latencies that each run recorded."},
    {"tacho compare --html compare.html before after", "Also write a page with pictures."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a metric with a tolerance FAILs"},
    {EXIT_WARN, "with --fail-on-warn: a verdict is WARN or INCONCLUSIVE"},
    {EXIT_UNJUDGED, "NOT JUDGED: no metric with a tolerance was measured on both sides"},
    {0, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/NAME/ID/", "A run folder: run.json (schema tacho.run.v1), report.html, CSV files, "
                           "flamegraphs, and values that the program recorded."},
    {"tacho-out/NAME/latest", "A link to the newest run of that name."},
    {NULL, NULL},
};

const struct cmd cmd_compare = {
    .name = "compare",
    .summary = "compare runs side by side, with intervals and verdicts",
    .usage = "tacho compare [OPTIONS] A B...",
    .about =
        "Prints, for every metric that both runs have, the medians, the change from A to B with "
        "its "
        "95 % interval, and how often a run of B is above a run of A. Interleaved runs (tacho run "
        "-c A -c B) are compared in pairs. For all other runs the interval allows for sessions "
        "that differ with nothing changed, so smaller changes are not found. Differences in "
        "configuration and environment come first.\n"
        "\n"
        "--tolerance judges metrics. FAIL: worse than the tolerance, with a probability of a wrong "
        "FAIL of at most --alpha in the whole report. PASS: the interval ends within the "
        "tolerance; B may be better by any amount, unless --equivalent is given. WARN: worse, but "
        "perhaps within the tolerance. INCONCLUSIVE: too uncertain to decide.\n"
        "\n"
        "Metrics are wall, cpu, user, system, memory, tree_memory, energy, throughput, "
        "instructions, cycles and so on, those of tacho run --metric, memory.CATEGORY and "
        "stage:EVENT.STAGE of programs that record their memory and profile events. A tolerance "
        "without METRIC applies to wall, cpu, memory, energy, throughput, instructions, memory "
        "categories and the times of stages.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_compare,
    .files = files,
};
