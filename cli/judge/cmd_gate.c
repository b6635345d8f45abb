/* tacho gate: runs the benches of tacho.yaml, judges them, and writes the results. */
#include <math.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secret.h"
#include "cli/cmds.h"
#include "cli/run/run_options.h"
#include "cmd_gate_parts.h"

/* --- --dry-run --- */

static void add_budgets(struct tch_buf *b, const struct tch_bench *bench)
{
    for (size_t i = 0; i < bench->budget_count; i++) {
        const struct tch_budget *budget = &bench->budgets[i].budget;
        bool relative = !isnan(budget->tolerance);
        char room[TCH_STATISTIC_TEXT];
        struct tch_metric q = {.unit = TCH_PLAIN};

        tch_buf_addf(b, "  %-10s %s", i == 0 ? "budgets" : "", bench->budgets[i].name);
        if (relative)
            tch_buf_addf(b, " may %s by %g %%", budget->equivalent ? "differ" : "be worse",
                         100 * budget->tolerance);
        if (!isnan(budget->max)) {
            (void)tch_bench_metric(bench, bench->budgets[i].name, &q);
            tch_buf_addf(b, "%s have a %s of at %s ", relative ? ", and must" : " must",
                         tch_statistic_name(budget->quantile, room),
                         budget->higher ? "least" : "most");
            tch_add_value(b, q.unit, budget->max);
        }
        tch_buf_adds(b, bench->budgets[i].required ? ", required\n" : "\n");
    }
}

static void add_check(struct tch_buf *b, const struct tch_run_plan *plan)
{
    char *line =
        plan->check_command ? tch_secret_masked_line(plan->check_command, plan->keep_env) : NULL;

    if (plan->check_output)
        tch_buf_addf(b, "  %-10s a line it prints matches '%s'\n", "check",
                     plan->check_output->text);
    if (line)
        tch_buf_addf(b, "  %-10s by '%s'\n", "check", line);
    free(line);
}

static int dry_run(const struct tch_gate *g, const struct gate_options *o)
{
    const char *build = o->build_shown;
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    if (o->against)
        tch_buf_addf(&b,
                     "would check '%s' out into a git worktree below '%s', run '%s' there and in "
                     "'%s', and run both sides interleaved\n\n",
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
            tch_buf_addf(&b, "  %-10s %llu, up to %llu while a verdict is open, %u %s\n", "runs",
                         (unsigned long long)bench->bench->plan.runs,
                         (unsigned long long)bench->bench->plan.max_runs, bench->planned,
                         bench->planned == 1 ? "analysis" : "analyses");
        else
            tch_buf_addf(&b, "  %-10s until the interval of the median is +-%g %%, up to %llu\n",
                         "runs", 100 * bench->bench->plan.precision,
                         (unsigned long long)bench->bench->plan.max_runs);
        add_check(&b, &bench->plan);
        add_budgets(&b, bench->bench);
        if (!o->against && tch_gate_baseline_path(g, bench, path, &err) == 0)
            tch_buf_addf(&b, "  %-10s %s%s\n", "baseline", path,
                         access(path, R_OK) == 0 ? "" : " (missing)");
    }
    return cli_print(&b);
}

/* --- Running --- */

/* Returns the command that repeats the gate, without the output files for CI. */
static char *reproduce(const struct gate_options *o)
{
    const char *words[16 + 2 * TCH_BENCHES_MOST] = {"tacho", "gate"};
    char runs[2][24];
    size_t n = 2;

    if (o->config)
        words[n++] = "-c", words[n++] = o->config;
    if (o->against)
        words[n++] = "--against", words[n++] = o->against;
    if (o->build)
        words[n++] = "--build", words[n++] = o->build_shown;
    for (size_t i = 0; i < o->only_count; i++)
        words[n++] = "-b", words[n++] = o->only[i];
    snprintf(runs[0], sizeof runs[0], "%llu", (unsigned long long)o->runs);
    snprintf(runs[1], sizeof runs[1], "%llu", (unsigned long long)o->max_runs);
    if (o->runs > 0)
        words[n++] = "-n", words[n++] = runs[0];
    if (o->max_runs > 0)
        words[n++] = "--max-runs", words[n++] = runs[1];
    words[n] = NULL;
    return cli_join_words((char **)words);
}

static int name_sides(struct tch_gate *g, const struct gate_options *o)
{
    struct tch_findings *f = &g->findings;
    char before[256];
    char now[96];
    char commit[32] = "";
    char *line = reproduce(o);
    tacho_error err;
    int status;

    for (size_t i = 0; i < g->count && !commit[0]; i++)
        if (g->benches[i].run.items)
            tch_result_commit(tch_gate_result(&g->benches[i]), commit, sizeof commit);
    snprintf(now, sizeof now, "%s%s%s%s", o->against ? "the working tree" : "now",
             commit[0] ? " (" : "", commit, commit[0] ? ")" : "");
    snprintf(before, sizeof before, "%s%.200s", o->against ? "" : "the baselines of ",
             o->against ? g->how.against_name : g->machine_class);
    status = line ? tch_findings_set(&f->reproduce, line, &err) : tch_fail_memory(&err);
    if (status == 0)
        status = tch_findings_set(&f->a_name, before, &err);
    if (status == 0)
        status = tch_findings_set(&f->b_name, now, &err);
    free(line);
    if (status < 0)
        cli_complain(NULL, "%s", err.message);
    return status < 0 ? EXIT_WORK : EXIT_OK;
}

/* With --require-baseline, reports each missing baseline as a problem. Returns whether one is
   missing. */
static bool lacks_baseline(struct tch_gate *g, const struct gate_options *o)
{
    bool lacks = false;

    for (size_t i = 0; i < g->count && o->require_baseline && !o->against; i++)
        if (!g->benches[i].has_baseline) {
            tch_findings_problem(
                &g->findings,
                "'%s' has no baseline for %s; run 'tacho baseline save' on such a machine and "
                "commit the file",
                g->benches[i].bench->name, g->machine_class);
            lacks = true;
        }
    for (size_t i = 0; i < g->findings.problem_count && lacks; i++)
        cli_complain(NULL, "%s", g->findings.problems[i].text);
    return lacks;
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

static int gate_status(const struct tch_gate *g, const struct gate_options *o, int status,
                       bool lacks)
{
    const struct tch_findings *f = &g->findings;

    if (f->verdict == TCH_FAIL || lacks)
        return EXIT_CHECK;
    if (status != EXIT_OK || f->problem_count > g->unjudged)
        return EXIT_WORK;
    if (f->problem_count > 0)
        return EXIT_UNJUDGED;
    return o->fail_on_warn && (f->verdict > TCH_PASS || g->no_baseline) ? EXIT_WARN : EXIT_OK;
}

#define INTERLEAVE "tacho gate --against REF --build CMD"

/* Warns of tolerances that cannot PASS with nothing changed. Call it before the first run. */
static void warn_of_blind(const struct tch_gate *g)
{
    struct tch_gate_blind blind;
    char more[40] = "";

    tch_gate_find_blind(g, &blind);
    if (blind.count == 0)
        return;
    if (blind.count > 1)
        snprintf(more, sizeof more, " (and %zu more)", blind.count - 1);
    cli_warn(
        "%s: a tolerance of %.3g %% for %s%s cannot PASS if nothing changed: against a baseline "
        "the interval is at least +-%.2g %%, however many runs are made, as sessions are "
        "assumed to differ by %.2g %% (--session-spread); set a tolerance above "
        "that in tacho.yaml, or interleave both sides: " INTERLEAVE,
        blind.bench, 100 * blind.tolerance, blind.title, more, 100 * blind.reach,
        100 * blind.spread);
}

/* Warns of tolerances that are smaller than the changes this machine can see. Call it before the
   first run. */
static void warn_of_unseen(const struct tch_gate *g)
{
    struct tch_unseen unseen;
    char text[TCH_UNSEEN_TEXT];

    tch_gate_find_unseen(g, &unseen);
    if (unseen.count == 0)
        return;
    tch_unseen_describe(&unseen, "--max-runs", text);
    cli_warn("%s", text);
}

/* Runs the gate and always writes its files, because CI shows them. problem: a failed checkout or
   build, which was printed when it happened; or "". */
static int run_open_gate(struct tch_gate *g, const struct gate_options *o, const struct against *a,
                         const char *problem, const struct args *args)
{
    bool lacks = lacks_baseline(g, o);
    bool nothing = false;
    int status = name_sides(g, o);
    bool runs = status == EXIT_OK && !g->how.plan_only && !lacks;
    int reported;

    if (a->tree.path[0] && o->only_count == 0)
        cli_gate_note_removed(g, &a->settings);
    if (runs && !args->quiet) {
        warn_of_blind(g);
        warn_of_unseen(g);
    }
    if (runs)
        status = cli_gate_measure(g, args);
    if (problem[0])
        tch_findings_problem(&g->findings, "%s", problem);
    if (runs) {
        nothing = status == EXIT_OK && cli_gate_note_unjudged(g);
        tch_findings_note_sessions(&g->findings, INTERLEAVE);
    }
    reported = cli_gate_report(g, o, args);
    if (status == EXIT_OK)
        status = reported;
    if (status == EXIT_OK && (g->findings.problem_count == 0 || nothing))
        status = save(g, o); /* the first occasion is saved, too */
    return gate_status(g, o, status, lacks);
}

/* Checks out and builds. A failure is described in `problem` ("": none) and in `how`. */
static void prepare(struct against *a, const struct gate_options *o, const struct args *args,
                    struct tch_gate_how *how, char problem[GATE_PROBLEM])
{
    char other[GATE_PROBLEM] = "";

    problem[0] = '\0';
    if (o->against && cli_against_checkout(a, o, problem) != EXIT_OK)
        how->plan_only = true;
    snprintf(a->name, sizeof a->name, "%.100s%s%.12s%s", o->against ? o->against : "",
             a->commit[0] ? " (" : "", a->commit, a->commit[0] ? ")" : "");
    if (!how->plan_only &&
        cli_gate_build(o, args, o->root, "the working tree", "build-now.log", problem) != EXIT_OK)
        how->plan_only = true;
    if (!how->plan_only && o->against &&
        cli_gate_build(o, args, a->root, a->name, "build-before.log", other) != EXIT_OK) {
        how->alone = true;
        memcpy(problem, other, sizeof other);
    }
}

static int run_with(const struct gate_options *o, const struct args *args)
{
    struct against a = {0};
    struct tch_gate g = {0};
    struct tch_gate_how how = {.root = o->root,
                               .out = o->out,
                               .only = o->only,
                               .runs = o->runs,
                               .max_runs = o->max_runs,
                               .session_spread = o->session_spread,
                               .plan_only = o->dry_run};
    char problem[GATE_PROBLEM] = "";
    tacho_error err;
    int status = EXIT_WORK;

    for (const char *const *name = o->only; name && *name; name++)
        if (!tch_settings_bench(&o->settings,
                                *name)) { /* checked before the build, which may take long */
            cli_complain(NULL, "there is no bench '%s'; 'tacho gate --list' lists them", *name);
            return EXIT_WORK;
        }
    if (!o->dry_run && cli_gate_check_outputs(o) != EXIT_OK)
        return EXIT_WORK;
    if (!o->dry_run)
        prepare(&a, o, args, &how, problem);
    if (o->against) {
        how.against = o->dry_run ? o->root : a.root;
        how.against_name = a.name;
        how.before = &a.settings;
    }
    if (tch_gate_open(&g, &o->settings, &how, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
    } else if (o->dry_run) {
        status = dry_run(&g, o);
    } else {
        status = run_open_gate(&g, o, &a, problem, args);
    }
    tch_gate_close(&g);
    cli_against_remove(&a, o->root);
    return status;
}

static void print_benches(const struct tch_settings *s)
{
    for (size_t i = 0; i < s->count; i++)
        printf("%s\n", s->benches[i].name);
}

static int run_gate(struct args *args)
{
    struct gate_options *o = cli_gate_options_new();
    int status;

    if (!o)
        return EXIT_WORK;
    status = cli_set_opts(args, o, NULL);
    if (status == EXIT_OK)
        status = cli_gate_check_runs(o, args);
    if (status == EXIT_OK)
        status = cli_gate_read_settings(o);
    if (status == EXIT_OK && o->list)
        print_benches(&o->settings);
    else if (status == EXIT_OK && o->against && !o->build && !o->settings.build)
        status =
            cli_wrong_usage(args, "--against needs a build command: --build 'CMD', or 'build' "
                                  "in the settings; use --build true if there is nothing to build");
    else if (status == EXIT_OK)
        status = run_with(o, args);
    cli_gate_options_free(o);
    return status;
}

static int take_suspicious(void *into, const struct args *args, const struct opt *opt)
{
    struct gate_options *o = into;

    (void)opt;
    if (!tch_settings_factor(args->value, &o->suspicious))
        return cli_wrong_usage(args, "--suspicious needs a factor above 1 such as 3x, not '%s'",
                               args->value);
    return EXIT_OK;
}

static const struct opt opts[] = {
    {.name = "against",
     .arg = "REF",
     .help =
         "compare with this commit, which is built in a git worktree and run interleaved with ours",
     .complete = COMPLETE_REF,
     CLI_TEXT(struct gate_options, against)},
    GATE_COMMON_OPTS,
    {.name = "session-spread",
     .arg = "P",
     .help =
         "assume that sessions differ by P (default: as much as earlier ones did; 2.6% for times "
         "if there are few)",
     .set = CLI_SET(struct gate_options, session_spread, .kind = TCH_SET_SHARE,
                    .wants = "a share such as 1% or 0.01")},
    {.name = "suspicious",
     .arg = "FACTOR",
     .help =
         "warn if a metric became better by more than this factor (default: 'suspicious' of the "
         "settings, or 3x)",
     .take = take_suspicious},
    {.name = "require-baseline",
     .help = "fail if a bench has no baseline (default: warn)",
     CLI_FLAG(struct gate_options, require_baseline)},
    {.name = "save",
     .help = "add the measured values to the baselines as an occasion, unless the gate fails",
     CLI_FLAG(struct gate_options, save)},
    {.name = "flame-on-regression",
     .help = "on FAIL profile both sides, draw a differential flamegraph, and name the stacks of "
             "counted calls that were added",
     CLI_FLAG(struct gate_options, flame)},
    {.name = "md",
     .arg = "FILE",
     .help = "write a comment for a pull request",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, md)},
    {.name = "junit",
     .arg = "FILE",
     .help = "write JUnit XML with one test case per budget",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, junit)},
    {.name = "prometheus",
     .arg = "FILE",
     .help = "write gauges in Prometheus's text format",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, prometheus)},
    {.name = "json-file",
     .arg = "FILE",
     .help = "write the verdict as JSON, tacho.verdict.v1 (--json prints it)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, json)},
    {.name = "badge",
     .arg = "FILE",
     .help = "write an SVG badge with the verdict",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, badge)},
    {.name = "html",
     .arg = "FILE",
     .help = "write the page with distributions to FILE (default OUT/gate.html)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct gate_options, html)},
    {.name = "link",
     .arg = "URL",
     .help = "URL of that page, for the comment",
     CLI_TEXT(struct gate_options, link)},
    {.name = "list",
     .help = "print the names of the benches and exit",
     CLI_FLAG(struct gate_options, list)},
    {.name = "dry-run",
     .help = "print what would be run and exit",
     CLI_FLAG(struct gate_options, dry_run)},
    {.name = "fail-on-warn",
     .help = "exit with 3 if a verdict is WARN or INCONCLUSIVE, or a bench has no baseline",
     CLI_FLAG(struct gate_options, fail_on_warn)},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho gate init", "Write a tacho.yaml to start from, and CI workflows."},
    {"tacho gate --against origin/main --build 'make -j'",
     "Is this tree slower than main? Both are built and run interleaved."},
    {"tacho baseline save && git add .tacho && tacho gate", "Compare with a stored baseline."},
    {"tacho gate --against HEAD~1 --md comment.md --junit gate.xml --flame-on-regression",
     "In CI: a comment, test results, and flamegraphs when it fails."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a budget FAILs, or with --require-baseline there is no baseline"},
    {EXIT_WARN,
     "with --fail-on-warn: a verdict is WARN or INCONCLUSIVE, or a bench has no baseline"},
    {EXIT_UNJUDGED, "NOT JUDGED: no budget could be judged, or a baseline cannot be used"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct cmd *const subs[] = {&cmd_gate_init, NULL};

static const struct man_item variables[] = {
    {"GITHUB_ACTIONS", "When true, annotations are printed, and the two files below are written."},
    {"GITHUB_STEP_SUMMARY", "The comment is appended to this file."},
    {"GITHUB_OUTPUT", "verdict=WORD and report=FILE are appended to this file."},
    {"GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_JOB_URL",
     "The link of the comment, unless --link gives one."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"tacho.yaml", "The settings (docs/gate.md, schema tacho.yaml.schema.json)."},
    {".tacho/baselines/BENCH/CLASS.json",
     "A baseline (schema tacho.baseline.v1), meant to be committed."},
    {".tacho/calibration/BENCH/CLASS.json",
     "A calibration by 'tacho calibrate'. It shows which tolerances are too small."},
    {"tacho-out/gate.html", "The page of the last gate."},
    {"tacho-out/build-now.log, tacho-out/build-before.log", "Output of the builds of both sides."},
    {"tacho-out/flamegraph-diff-BENCH.svg",
     "With --flame-on-regression: the differential flamegraph."},
    {"tacho-out/BENCH/, tacho-out/BENCH-before/", "Run folders of both sides."},
    {NULL, NULL},
};

const struct cmd cmd_gate = {
    .name = "gate",
    .summary = "judge the benches of tacho.yaml against baselines or another commit, for CI",
    .usage = "tacho gate [OPTIONS]\ntacho gate init",
    .about =
        "Runs the benches of tacho.yaml and prints PASS, WARN, FAIL or INCONCLUSIVE for each "
        "budget, with an interval. A report whose budgets are all kept contains a wrong FAIL with "
        "a probability of at most 5 %, however many budgets it has. A gate that could judge "
        "nothing prints NOT JUDGED.\n"
        "\n"
        "Prefer --against: it builds that commit in a git worktree and interleaves the runs of "
        "both sides, so that a change of the machine affects both alike. A stored baseline, made "
        "by "
        "'tacho baseline save', belongs to another session. Its intervals are wider, so smaller "
        "changes are not found.\n"
        "\n"
        "A bench with an open verdict is run again, twice as often, up to max_runs. These interim "
        "analyses share the probability of a wrong FAIL. A bench that FAILs is run again in a "
        "fresh "
        "block of runs, which alone decides.",
    .opts = opts,
    .examples = examples,
    .exits = exits,
    .subs = subs,
    .json = true,
    .runs_alone = true,
    .run = run_gate,
    .variables = variables,
    .files = files,
};
