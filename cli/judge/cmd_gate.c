/* tacho gate: runs the benches of tacho.yaml, judges them, and writes the results. */
#include "cli/cmds.h"
#include "cli/run/run_options.h"
#include "cmd_gate_parts.h"
#include "kit/gate/gate_report.h"
#include "verdict_view.h"

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
    if (o->exact)
        words[n++] = "--exact";
    if (o->build)
        words[n++] = "--build", words[n++] = o->ask.build_shown;
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

static int gate_status(const struct tch_gate *g, const struct gate_options *o, int status)
{
    const struct tch_findings *f = &g->findings;

    if (f->verdict == TCH_FAIL || g->lacks_baseline)
        return EXIT_CHECK;
    if (status != EXIT_OK || f->problem_count > g->unjudged)
        return EXIT_WORK;
    if (f->problem_count > 0)
        return EXIT_UNJUDGED;
    return o->fail_on_warn && (f->verdict > TCH_PASS || g->no_baseline) ? EXIT_WARN : EXIT_OK;
}

/* Prints the verdicts, and before them the outputs that were asked for as "-". */
static int print_findings(const struct tch_gate *g, const struct tch_gate_report *r,
                          const struct args *args)
{
    struct tch_buf b;
    int status = EXIT_OK;

    for (size_t i = 0; i < r->file_count; i++)
        if (r->files[i].path && strcmp(r->files[i].path, "-") == 0 &&
            cli_print_findings(r->files[i].format, &g->findings) != EXIT_OK)
            status = EXIT_WORK;
    if (args->json)
        return cli_print_findings(&tch_verdict_json, &g->findings) == EXIT_OK ? status : EXIT_WORK;
    tch_buf_init(&b, TCH_REPORT_MAX);
    cli_add_findings(&b, &args->out, &g->findings);
    if (!args->quiet && r->page[0])
        tch_buf_addf(&b, "report: %s\n", r->page);
    if (tch_on_github())
        tch_verdict_github.write(&b, &g->findings);
    return cli_print(&b) == EXIT_OK ? status : EXIT_WORK;
}

/* Runs the gate and always writes its files, because CI shows them. */
static int run_open_gate(struct tch_gate *g, const struct gate_options *o,
                         const struct tch_gate_sides *sides, const struct tch_gate_watch *watch,
                         const struct args *args)
{
    const struct tch_gate_output files[] = {{o->md, &tch_verdict_md},
                                            {o->junit, &tch_verdict_junit},
                                            {o->prometheus, &tch_verdict_prometheus},
                                            {o->json, &tch_verdict_json},
                                            {o->badge, &tch_verdict_badge}};
    struct tch_gate_report report = {.files = files,
                                     .file_count = sizeof files / sizeof files[0],
                                     .html = o->html,
                                     .link = o->link,
                                     .flame = o->flame};
    const struct tch_findings *f = &g->findings;
    char *line = reproduce(o);
    int status = tch_gate_judge(g, sides, line, watch) < 0 ? EXIT_WORK : EXIT_OK;
    tacho_error err;

    free(line);
    if (status == EXIT_OK && tch_gate_confirm_commit(g, &o->ask, watch) < 0)
        status = cli_no_memory();
    if (tch_gate_write(g, &report, watch) < 0 || print_findings(g, &report, args) != EXIT_OK)
        status = EXIT_WORK;
    if (status == EXIT_OK && o->save && f->verdict != TCH_FAIL &&
        (f->problem_count == 0 || g->judged_nothing) && /* the first occasion is saved, too */
        tch_gate_save(g, false, &err) < 0) {
        cli_complain(&err, "cannot save the baseline");
        status = EXIT_WORK;
    }
    return gate_status(g, o, status);
}

static int print_plan(const struct tch_gate *g, const struct gate_options *o,
                      const struct tch_gate_commit *commit)
{
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    tch_gate_add_plan(&b, g, &o->ask, commit);
    return cli_print(&b);
}

/* Checks what can be checked before the build, which may take long. */
static int check_early(const struct gate_options *o)
{
    const char *const paths[] = {o->md, o->junit, o->prometheus, o->json, o->badge, o->html};

    for (size_t i = 0; i < o->only_count; i++)
        if (!tch_settings_bench(&o->settings, o->only[i])) {
            cli_complain(NULL, "there is no bench '%s'; 'tacho gate --list' lists them",
                         o->only[i]);
            return EXIT_WORK;
        }
    for (size_t i = 0; i < sizeof paths / sizeof paths[0] && !o->dry_run; i++)
        if (cli_check_output(paths[i]) != EXIT_OK)
            return EXIT_WORK;
    return EXIT_OK;
}

static int run_with(const struct gate_options *o, const struct args *args)
{
    struct gate_watcher w;
    struct tch_gate_watch watch;
    struct tch_gate_sides sides = {0};
    struct tch_gate g = {0};
    struct tch_gate_how how = {.root = o->root,
                               .out = o->out,
                               .only = o->only,
                               .runs = o->runs,
                               .max_runs = o->max_runs,
                               .session_spread = o->session_spread,
                               .require_baseline = o->require_baseline,
                               .plan_only = o->dry_run,
                               .quiet = args->quiet};
    tacho_error err;
    int status = EXIT_WORK;

    if (check_early(o) != EXIT_OK)
        return EXIT_WORK;
    watch = cli_gate_watch(&w, args);
    if (tch_gate_prepare(&sides, &o->ask, &watch) < 0) {
        if (o->dry_run)
            return EXIT_WORK;
        how.plan_only = sides.lacks_own;
        how.alone = sides.lacks_other;
    }
    if (o->against) {
        how.against = sides.root;
        how.against_name = sides.commit.name;
        how.before = &sides.settings;
    }
    if (tch_gate_open(&g, &o->settings, &how, &err) < 0)
        cli_complain(NULL, "%s", err.message);
    else if (o->dry_run)
        status = print_plan(&g, o, &sides.commit);
    else
        status = run_open_gate(&g, o, &sides, &watch, args);
    tch_gate_close(&g);
    tch_gate_sides_remove(&sides, o->root, &watch);
    return status;
}

static void print_benches(const struct tch_settings *s)
{
    for (size_t i = 0; i < s->count; i++)
        printf("%s\n", s->benches[i].name);
}

static int run_gate(struct args *args)
{
    struct gate_options *o;
    int status = cli_gate_options_parse(&o, args);

    if (status != EXIT_OK)
        goto out;
    status = cli_gate_read_settings(o);
    if (status != EXIT_OK)
        goto out;
    if (o->list)
        print_benches(&o->settings);
    else if (o->exact && !o->against)
        status = cli_wrong_usage(args, "--exact needs --against REF");
    else if (o->against && !o->ask.build)
        status =
            cli_wrong_usage(args, "--against needs a build command: --build 'CMD', or 'build' "
                                  "in the settings; use --build true if there is nothing to build");
    else
        status = run_with(o, args);
out:
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
     .help = "compare with the merge base of this commit and HEAD, which is built in a git "
             "worktree and run interleaved with ours",
     .complete = COMPLETE_REF,
     CLI_TEXT(struct gate_options, against)},
    {.name = "exact",
     .help = "with --against: compare with this commit itself, not with the merge base",
     CLI_FLAG(struct gate_options, exact)},
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
    {.name = "save-baseline",
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
    {.name = "page-url",
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
     "Is this branch slower than main was when it began? Both are built and run interleaved."},
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
    {"CI", "When set, 'confirm: commit' is the default of tacho.yaml."},
    {"GITHUB_ACTIONS", "When true, annotations are printed, and the two files below are written."},
    {"GITHUB_STEP_SUMMARY", "The comment is appended to this file."},
    {"GITHUB_OUTPUT", "verdict=WORD and report=FILE are appended to this file."},
    {"GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_JOB_URL",
     "The link of the comment, unless --page-url gives one."},
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
        "Prefer --against: it builds another commit in a git worktree and interleaves the runs of "
        "both sides, so that a change of the machine affects both alike. That commit is the merge "
        "base of HEAD and REF, so that a branch is not blamed for what its target did since. A "
        "stored baseline, made by 'tacho baseline save', belongs to another session. Its intervals "
        "are wider, so smaller "
        "changes are not found.\n"
        "\n"
        "A bench with an open verdict is run again, twice as often, up to max_runs. These interim "
        "analyses share the probability of a wrong FAIL. With --against, a bench that looks worse "
        "(p at most 10 %) is run again in a fresh block of up to max_runs pairs, which alone "
        "decides. Against a baseline, a bench that FAILs is run again.",
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
