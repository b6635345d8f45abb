/* tacho gate: run what tacho.yaml lists, judge it, say so to everyone. */
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cmds.h"
#include "cli/run/run_options.h"
#include "cmd_gate_parts.h"

/* --- What it would do --- */

static void add_budgets(struct tch_buf *b, const struct tch_bench *bench)
{
    for (size_t i = 0; i < bench->budget_count; i++) {
        const struct tch_budget *budget = &bench->budgets[i].budget;

        tch_buf_addf(b, "  %-10s %s", i == 0 ? "budgets" : "", bench->budgets[i].name);
        if (!isnan(budget->tolerance))
            tch_buf_addf(b, " may be worse by %g %%", 100 * budget->tolerance);
        if (!isnan(budget->max))
            tch_buf_addf(b, "%s its %s may be at most %g", isnan(budget->tolerance) ? "" : ",",
                         tch_statistic_name(budget->quantile), budget->max);
        tch_buf_adds(b, bench->budgets[i].required ? ", required\n" : "\n");
    }
}

static int dry_run(const struct tch_gate *g, const struct gate_options *o)
{
    const char *build = o->build ? o->build : o->settings.build;
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    if (o->against)
        tch_buf_addf(&b,
                     "would check '%s' out into a git worktree below '%s', run '%s' there and in "
                     "'%s', and run both sides in turns\n\n",
                     o->against, o->out, build, o->root);
    else if (build)
        tch_buf_addf(&b, "would run '%s' in '%s'\n\n", build, o->root);
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_gate_bench *bench = &g->benches[i];
        char path[PATH_MAX];
        tacho_error err;

        tch_buf_addf(&b, "%s\n  %-10s %s\n  %-10s %s\n", bench->bench->name, "command",
                     bench->bench->line, "in", bench->plan.cwd);
        if (bench->bench->plan.runs > 0)
            tch_buf_addf(&b, "  %-10s %llu, up to %llu where it is not clear, %u look%s\n", "runs",
                         (unsigned long long)bench->bench->plan.runs,
                         (unsigned long long)bench->bench->plan.max_runs, bench->looks,
                         bench->looks == 1 ? "" : "s");
        else
            tch_buf_addf(&b, "  %-10s until the median is known to within %g %%, up to %llu\n",
                         "runs", 100 * bench->bench->plan.precision,
                         (unsigned long long)bench->bench->plan.max_runs);
        add_budgets(&b, bench->bench);
        if (!o->against && tch_gate_baseline_path(g, bench, path, &err) == 0)
            tch_buf_addf(&b, "  %-10s %s%s\n", "baseline", path,
                         access(path, R_OK) == 0 ? "" : " (not there yet)");
    }
    return cli_print(&b);
}

/* --- What it does --- */

static int name_sides(struct tch_gate *g, const struct gate_options *o, const struct against *a,
                      struct args *args)
{
    struct tch_findings *f = &g->findings;
    char before[256];
    char *words = cli_join_words(args->words);
    struct tch_buf b;
    tacho_error err;
    int status;

    if (o->against)
        snprintf(before, sizeof before, "%.100s (%.12s)", o->against, a->commit);
    else
        snprintf(before, sizeof before, "the baselines of %.200s", g->machine_class);
    status = tch_findings_set(&f->a_name, before, &err);
    if (status == 0)
        status = tch_findings_set(&f->b_name, o->against ? "the working tree" : "now", &err);
    tch_buf_init(&b, 1 << 20);
    tch_buf_addf(&b, "tacho gate%s%s", words && words[0] ? " " : "", words ? words : "");
    if (status == 0)
        status = tch_findings_set(&f->reproduce, b.data, &err);
    tch_buf_release(&b);
    free(words);
    if (status < 0)
        cli_complain(NULL, "%s", err.message);
    return status < 0 ? EXIT_WORK : EXIT_OK;
}

static void note_missing(struct tch_gate *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (!g->how.against && !g->benches[i].has_baseline)
            tch_findings_note(
                &g->findings,
                "%s has no baseline on this kind of machine (%s) yet; 'tacho baseline "
                "save' makes one, to be committed; or compare with another commit: "
                "tacho gate --against REF --build CMD",
                g->benches[i].bench->name, g->machine_class);
        else if (!g->how.against && g->benches[i].baseline.count < 3)
            tch_findings_note(
                &g->findings,
                "%s: the baseline has seen %zu occasion%s, so that how much occasions "
                "differ is assumed more than known; more of 'tacho baseline save' on "
                "other days narrow that",
                g->benches[i].bench->name, g->benches[i].baseline.count,
                g->benches[i].baseline.count == 1 ? "" : "s");
}

/* Each baseline that is missing is a warning; with --require-baseline it is a failure. */
static int check_baselines(const struct tch_gate *g, const struct gate_options *o)
{
    if (!g->no_baseline || !o->require_baseline)
        return EXIT_OK;
    for (size_t i = 0; i < g->count; i++)
        if (!g->benches[i].has_baseline)
            cli_complain(
                NULL,
                "'%s' has no baseline for %s; run 'tacho baseline save' on such a machine and "
                "commit the file",
                g->benches[i].bench->name, g->machine_class);
    return EXIT_CHECK;
}

static int save(struct tch_gate *g, const struct gate_options *o)
{
    tacho_error err;

    if (!o->save || g->findings.verdict == TCH_FAIL)
        return EXIT_OK;
    if (tch_gate_save(g, false, &err) == 0)
        return EXIT_OK;
    cli_complain(&err, "cannot save the baseline");
    return EXIT_WORK;
}

static int exit_status(const struct tch_gate *g, const struct gate_options *o)
{
    if (g->findings.verdict == TCH_FAIL)
        return EXIT_CHECK;
    if (o->fail_on_warn && (g->findings.verdict > TCH_PASS || (g->no_baseline && !o->against)))
        return EXIT_WARN;
    return EXIT_OK;
}

static int run_open_gate(struct tch_gate *g, const struct gate_options *o, const struct against *a,
                         struct args *args)
{
    int status = check_baselines(g, o);

    note_missing(g);
    if (status == EXIT_OK)
        status = name_sides(g, o, a, args);
    if (status == EXIT_OK)
        status = cli_gate_measure(g, args);
    if (status == EXIT_OK)
        status = cli_gate_report(g, o, args);
    if (status == EXIT_OK)
        status = save(g, o);
    return status == EXIT_OK ? exit_status(g, o) : status;
}

static int run_with(const struct gate_options *o, struct args *args)
{
    struct against a = {0};
    struct tch_gate g = {0};
    struct tch_gate_how how = {
        .root = o->root, .out = o->out, .only = o->only, .runs = o->runs, .max_runs = o->max_runs};
    tacho_error err;
    int status = EXIT_OK;

    if (o->against && !o->dry_run)
        status = cli_against_checkout(&a, o, args);
    if (status == EXIT_OK && !o->dry_run)
        status = cli_gate_build(o, args);
    if (o->against)
        how.against = o->dry_run ? o->root : a.root;
    how.plan_only = o->dry_run;
    if (status == EXIT_OK && tch_gate_open(&g, &o->settings, &how, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    } else if (status == EXIT_OK) {
        status = o->dry_run ? dry_run(&g, o) : run_open_gate(&g, o, &a, args);
    }
    tch_gate_close(&g);
    cli_against_remove(&a, o->root);
    return status;
}

static int run_gate(struct args *args)
{
    struct gate_options *o = cli_gate_options_new();
    int status;

    if (!o)
        return EXIT_WORK;
    status = cli_set_opts(args, o, NULL);
    if (status == EXIT_OK)
        status = cli_gate_read_settings(o);
    if (status == EXIT_OK && o->against && !o->build && !o->settings.build)
        status =
            cli_wrong_usage(args, "--against needs to know how to build: --build 'CMD', or 'build' "
                                  "in the settings; --build true where there is nothing to build");
    if (status == EXIT_OK)
        status = run_with(o, args);
    tch_settings_release(&o->settings);
    free(o);
    return status;
}

static const struct opt opts[] = {
    {.name = "against",
     .arg = "REF",
     .help = "compare with this commit, built beside ours and run in turns with it",
     CLI_TEXT(struct gate_options, against)},
    GATE_COMMON_OPTS,
    {.name = "require-baseline",
     .help = "fail when a bench has no baseline; else that is a warning",
     CLI_FLAG(struct gate_options, require_baseline)},
    {.name = "save",
     .help = "unless it fails, add what was measured to the baselines as an occasion",
     CLI_FLAG(struct gate_options, save)},
    {.name = "flame-on-regression",
     .help = "on FAIL profile both sides and draw what changed",
     CLI_FLAG(struct gate_options, flame)},
    {.name = "md",
     .arg = "FILE",
     .help = "a comment for a pull request",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, md)},
    {.name = "junit",
     .arg = "FILE",
     .help = "JUnit XML, a test case a budget",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, junit)},
    {.name = "prometheus",
     .arg = "FILE",
     .help = "gauges in Prometheus's text format",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, prometheus)},
    {.name = "json-file",
     .arg = "FILE",
     .help = "the verdict as JSON, tacho.verdict.v1; --json prints it",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, json)},
    {.name = "badge",
     .arg = "FILE",
     .help = "an SVG badge with the verdict",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, badge)},
    {.name = "html",
     .arg = "FILE",
     .help = "the page with distributions (default OUT/gate.html)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, html)},
    {.name = "link",
     .arg = "URL",
     .help = "where that page can be seen, for the comment",
     CLI_TEXT(struct gate_options, link)},
    {.name = "dry-run",
     .help = "say what would be run, and run nothing",
     CLI_FLAG(struct gate_options, dry_run)},
    {.name = "fail-on-warn",
     .help = "end with 3 when something is WARN, INCONCLUSIVE or has no baseline",
     CLI_FLAG(struct gate_options, fail_on_warn)},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho gate init", "Write a tacho.yaml to start from, and CI workflows."},
    {"tacho gate --against origin/main --build 'make -j'",
     "Is this tree slower than main? Both are built, and run in turns."},
    {"tacho baseline save && git add .tacho && tacho gate", "Against a stored baseline."},
    {"tacho gate --against HEAD~1 --md comment.md --junit gate.xml --flame-on-regression",
     "In CI: a comment, test results, and flamegraphs when it fails."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a budget FAILs, or with --require-baseline there is no baseline"},
    {EXIT_WARN, "with --fail-on-warn: something is WARN, INCONCLUSIVE or has no baseline"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct cmd *const subs[] = {&cmd_gate_init, NULL};

const struct cmd cmd_gate = {
    .name = "gate",
    .summary = "run what tacho.yaml lists, judge it against baselines or another commit, for CI",
    .usage = "tacho gate [OPTIONS]\ntacho gate init",
    .about =
        "Runs the benches of tacho.yaml and says PASS, WARN, FAIL or INCONCLUSIVE of each budget, "
        "with an interval. FAIL means beyond doubt: over everything that one report judges, a "
        "wrong FAIL comes up in at most 5 % of reports.\n"
        "\n"
        "Best is --against: that commit is built in a git worktree and both sides are run in "
        "turns, so that the machine's mood cancels out. A stored baseline, made by 'tacho baseline "
        "save', is from another day; what days differ by is allowed for, so less is found.\n"
        "\n"
        "What is not clear is run again, twice as often, up to max_runs; the looks are planned "
        "ahead and share the chance of a wrong FAIL. What fails before the last look must fail at "
        "the next one as well.",
    .opts = opts,
    .examples = examples,
    .exits = exits,
    .subs = subs,
    .json = true,
    .runs_alone = true,
    .run = run_gate,
};
