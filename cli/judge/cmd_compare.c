/* tacho compare: compares run folders side by side. */
#include "base/fail.h"
#include "cli/cmds.h"
#include "cli/run/run_options.h"
#include "cli/run/run_view.h"
#include "compare_parts.h"
#include "kit/text/human_number.h"
#include "verdict_view.h"

/* Adds the metrics of --metric. */
static int add_metrics(const struct compare *c, struct tch_report_run *run, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < c->metric_count && status == 0; i++)
        status = tch_recorded_add_metric(&run->result, run->folder, c->metrics[i].name, err);
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

        if (cli_open_run(run, args->operands[i], c->folders[i]) != EXIT_OK)
            return EXIT_WORK;
        if (add_metrics(c, run, &err) < 0) {
            cli_complain(&err, "cannot compare the run '%s'", args->operands[i]);
            return EXIT_WORK;
        }
        if (tch_report_nothing(&run->result)) {
            cli_complain(NULL, "cannot compare the run '%s': %s", args->operands[i],
                         tch_report_nothing(&run->result));
            return EXIT_WORK;
        }
    }
    return EXIT_OK;
}

static bool is_unknown(const struct tch_result *r)
{
    return strcmp(r->machine_class, "unknown") == 0;
}

int cli_compare_check_machine(struct compare *c, const struct tch_result *a,
                              const struct tch_result *b)
{
    if (is_unknown(a) || is_unknown(b)) {
        tch_findings_note(&c->findings,
                          "the machine of %s is not known; if they are different machines, that "
                          "alone may cause the differences",
                          !is_unknown(b)   ? "A"
                          : !is_unknown(a) ? "B"
                                           : "both sides");
        return EXIT_OK;
    }
    if (strcmp(a->machine_class, b->machine_class) == 0)
        return EXIT_OK;
    if (!c->force) {
        cli_complain(NULL,
                     "'%s' and '%s' were run on different machine classes, \"%s\" and "
                     "\"%s\"; --force compares them anyway",
                     a->name, b->name, a->machine_class, b->machine_class);
        return EXIT_WORK;
    }
    tch_findings_note(&c->findings,
                      "DIFFERENT MACHINES: '%s' and '%s' were not run on the same "
                      "machine class; the machine alone may cause the differences",
                      a->name, b->name);
    return EXIT_OK;
}

static int check_machines(struct compare *c)
{
    int status = EXIT_OK;

    for (size_t i = 1; i < c->count && status == EXIT_OK; i++)
        status = cli_compare_check_machine(c, &c->runs[0].result, &c->runs[i].result);
    return status;
}

static int compare_with_first(struct compare *c, size_t i, tacho_error *err)
{
    const struct tch_result *a = &c->runs[0].result;
    const struct tch_result *b = &c->runs[i].result;
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
                           "-c",    c->runs[0].result.command.line,
                           "-c",    c->runs[1].result.command.line,
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
        tch_compare_note_layouts(&c->findings, c->count > 2 ? c->runs[i].result.name : "",
                                 &c->runs[0].result, &c->runs[i].result, c->rows[i - 1],
                                 c->rows[i] - c->rows[i - 1],
                                 "tacho run --layouts 20 --relink LINE -c A -c B");
}

static void add_side(struct tch_buf *b, const struct tch_result *r)
{
    tch_buf_addf(b, "%s, %zu run%s, %s", r->name, r->run_count, tch_plural(r->run_count),
                 r->started_at);
}

static int name_sides(struct compare *c, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, 1 << 16);
    add_side(&b, &c->runs[0].result);
    status = b.failed ? tch_fail_memory(err) : tch_findings_set(&c->findings.a_name, b.data, err);
    tch_buf_clear(&b);
    for (size_t i = 1; i < c->count; i++) {
        tch_buf_adds(&b, i > 1 ? "; " : "");
        add_side(&b, &c->runs[i].result);
        if (tch_results_paired(&c->runs[0].result, &c->runs[i].result))
            tch_buf_adds(&b, " (in pairs with A)");
    }
    if (status == 0)
        status = tch_findings_set(&c->findings.b_name, b.data, err);
    if (b.failed)
        status = tch_fail_memory(err);
    tch_buf_release(&b);
    return status;
}

static int write_page(const struct compare *c)
{
    struct tch_verdict_flame flames[RUNS_MOST];
    char titles[RUNS_MOST][256];
    tacho_error err;

    for (size_t i = 1; i < c->count; i++) {
        snprintf(titles[i], sizeof titles[i], "%.100s against %.100s", c->runs[i].result.name,
                 c->runs[0].result.name);
        flames[i - 1] = (struct tch_verdict_flame){
            .title = titles[i], .before = c->runs[0].folder, .now = c->runs[i].folder};
    }
    if (tch_verdict_save_page(c->html, &c->findings, flames, c->count > 0 ? c->count - 1 : 0,
                              &err) == 0)
        return EXIT_OK;
    cli_complain(NULL, "%s", err.message);
    return EXIT_WORK;
}

static int print_findings(const struct compare *c, const struct args *args)
{
    struct tch_buf b;

    if (c->html && write_page(c) != EXIT_OK)
        return EXIT_WORK;
    if (c->writer)
        return cli_print_findings(c->writer, &c->findings);
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
        cli_complain(NULL, "%s", c->findings.problems[i].text);
}

static int compare_runs(struct compare *c)
{
    tacho_error err;
    int status = check_machines(c);
    int code = 0;

    cli_compare_read_calibration(c);
    for (size_t i = 1; i < c->count && code == 0 && status == EXIT_OK; i++)
        code = compare_with_first(c, i, &err);
    if (status == EXIT_OK && code == 0)
        code = name_sides(c, &err);
    if (status == EXIT_OK && code == 0)
        code = tch_findings_judge(&c->findings, c->alpha, &err);
    if (status == EXIT_OK && code == 0) {
        cli_compare_note_unseen(c);
        note_layouts(c);
        note_sessions(c);
    }
    if (code < 0) {
        cli_complain(&err, "cannot compare");
        status = EXIT_WORK;
    }
    return status;
}

/* Prints the findings. Returns the exit status of the command. */
static int finish(struct compare *c, const struct args *args)
{
    int status;

    note_unjudged(c);
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
    tch_findings_init(&c->findings, "compare");
    status = cli_compare_parse(c, args);
    if (status == EXIT_OK && cli_compare_is_sets(args)) {
        status = cli_compare_sets(c, args);
    } else if (status == EXIT_OK) {
        status = open_runs(c, args);
        if (status == EXIT_OK)
            status = compare_runs(c);
    }
    if (status == EXIT_OK)
        status = finish(c, args);
    for (size_t i = 0; i < c->count; i++)
        tch_report_close(&c->runs[i]);
    for (size_t i = 0; i < c->budget_count; i++)
        free(c->names[i]);
    for (size_t i = 0; i < c->metric_count; i++)
        tch_metric_rule_release(&c->metrics[i]);
    tch_findings_release(&c->findings);
    tch_calibration_release(&c->calibration);
    free(c);
    return status;
}

static const struct arg operands[] = {
    {.name = "A",
     .help = "the old side: a run folder, or a set: a folder with many runs, or a result file of "
             "another tool",
     .complete = COMPLETE_RUN},
    {.name = "B",
     .help = "run folders to compare with A, or one set",
     .many = true,
     .complete = COMPLETE_RUN},
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
    {"tacho compare --changed old.json new.json",
     "Compare all benchmarks in result files of another tool, and print what changed."},
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
        "A set is a folder with many runs, such as tacho-out, or a file that tacho import can "
        "read. "
        "Benchmarks of two sets are matched by name. The table is ordered from worst to best. A "
        "change is called one if it is significant after correction for the number of rows. "
        "The geometric mean of a metric has an interval that allows for errors which all "
        "benchmarks of a session share.\n"
        "\n"
        "Metrics are wall, cpu, user, system, memory, tree_memory, energy, server_cpu, "
        "server_memory, server_energy, throughput, "
        "instructions, cycles and so on, those of tacho run --metric, memory.CATEGORY and "
        "stage:EVENT.STAGE of programs that record their memory and profile events. A tolerance "
        "without METRIC applies to wall, cpu, memory, energy, throughput, instructions, memory "
        "categories and the times of stages.",
    .opts = cli_compare_opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_compare,
    .files = files,
};
