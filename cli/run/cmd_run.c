/* tacho run: measures commands, writes run folders and prints tables. */
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cmds.h"
#include "cli/core/progress.h"
#include "cli/core/stop.h"
#include "kit/report/run_comparison.h"
#include "kit/run/run.h"
#include "kit/text/human_number.h"
#include "kit/witness/folder_seal.h"
#include "run_options.h"
#include "run_view.h"

enum { OUT_MAX = 1 << 30, NOTE_MAX = 128 };

/* The progress line, with a note about the estimate that is updated when the line is drawn. */
struct watcher {
    struct progress progress;
    char note[NOTE_MAX];
    uint64_t noted_ns;
};

/* Writes the note for the first command, such as "12.34 ms +-1.2%". */
static void make_note(struct watcher *w, const struct tch_run *run)
{
    const struct tch_result *r = &run->items[0].result;
    double *wall = malloc((r->run_count + 1) * sizeof *wall);
    struct tch_summary s;
    struct tch_buf b;
    size_t n;

    if (!wall)
        return;
    tch_buf_init_on(&b, w->note, sizeof w->note, sizeof w->note - 1);
    if (run->waiting)
        tch_buf_adds(&b, "waiting for the server");
    n = tch_result_field(r, TCH_WALL, wall);
    if (n > 0 && tch_summary_of(wall, n, run->alpha, &s, NULL) == 0) {
        tch_add_value(&b, TCH_NS, s.median);
        if (s.level > 0)
            tch_buf_addf(&b, " +-%.1f %%", 100 * tch_summary_precision(&s));
    }
    tch_buf_release(&b);
    free(wall);
}

static void on_step(void *ctx, const struct tch_run *run, double share)
{
    struct watcher *w = ctx;
    uint64_t done = run->items[0].result.run_count;
    uint64_t now = tch_now_ns();

    if (!w->progress.on)
        return;
    w->progress.what = "running";
    if (now - w->noted_ns > 100000000u) {
        make_note(w, run);
        w->noted_ns = now;
    }
    w->progress.total = share > 0 ? (uint64_t)((double)done / share + 0.5) : 0;
    cli_progress_step(&w->progress, done);
}

/* All runs in the form that reports need. The results are borrowed, so nothing has to be
   closed. */
struct views {
    struct tch_report_run run[TCH_COMMANDS_MAX];
    bool written[TCH_COMMANDS_MAX]; /* its report was written */
    size_t count;
};

static struct views *make_views(const struct tch_run *run)
{
    struct views *v = calloc(1, sizeof *v);

    for (; v && v->count < run->plan->command_count; v->count++)
        v->run[v->count] = (struct tch_report_run){.result = run->items[v->count].result,
                                                   .folder = run->items[v->count].folder.path};
    return v;
}

static int print_json(const struct views *v)
{
    struct tch_buf b;
    tacho_error err;

    tch_buf_init(&b, OUT_MAX);
    if (tch_report_json.write(&b, v->run, v->count, &err) < 0) {
        cli_complain(&err, "cannot print the result");
        tch_buf_release(&b);
        return EXIT_WORK;
    }
    return cli_print(&b);
}

/* Adds whether the requested precision was reached. */
static void add_reached(struct tch_buf *b, const struct tch_run *run, const struct tch_result *r)
{
    double reached = r->row_count > 0 ? tch_summary_precision(&r->rows[0].summary) : INFINITY;

    if (run->plan->runs > 0 || run->state != TCH_RUN_COMPLETE || r->row_count == 0)
        return;
    if (reached <= run->plan->precision)
        tch_buf_addf(b, "  the median is precise to %.2g %%\n", 100 * reached);
    else
        tch_buf_addf(b, "  stopped by --%s before the median was precise to %.2g %%\n",
                     run->stopped, 100 * run->plan->precision);
}

/* Adds a line such as "server: ready after 1.2 s, 3.4 s of CPU time, 120 MiB at most, 5.6 J". */
static void add_server(struct tch_buf *b, const struct tch_run *run)
{
    if (!(run->server_use.ready_s > 0))
        return;
    tch_buf_adds(b, "\nserver: ready after ");
    tch_add_value(b, TCH_NS, run->server_use.ready_s * 1e9);
    tch_buf_adds(b, ", then ");
    if (run->server_use.cpu_ns > 0)
        tch_add_value(b, TCH_NS, run->server_use.cpu_ns);
    else
        tch_buf_adds(b, "less than 10 ms"); /* the kernel counts in ticks of 10 ms */
    tch_buf_adds(b, " of CPU time, ");
    tch_add_value(b, TCH_BYTES, run->server_use.peak_rss_bytes);
    tch_buf_adds(b, " at most");
    if (!isnan(run->server_use.energy_j)) {
        tch_buf_adds(b, ", ");
        tch_add_value(b, TCH_JOULES, run->server_use.energy_j);
        tch_buf_adds(b, " (estimated by its share of CPU time)");
    }
    tch_buf_addc(b, '\n');
}

/* Prints the tables of all commands. `all` is NULL for a single command. `compared` says whether
   the page of the comparison was written. */
static int print_table(const struct tch_run *run, const struct views *v,
                       const struct tch_comparison *all, bool compared, const struct args *args)
{
    size_t count = run->plan->command_count;
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    cli_add_shared_warnings(&b, &args->out, run);
    tch_buf_adds(&b, b.len > 0 ? "\n" : "");
    for (size_t i = 0; i < count; i++) {
        tch_buf_adds(&b, i > 0 ? "\n" : "");
        cli_add_run(&b, &args->out, run, i);
        add_reached(&b, run, &run->items[i].result);
    }
    if (all)
        cli_add_comparison(&b, &args->out, all);
    add_server(&b, run);
    if (!args->quiet)
        tch_buf_addc(&b, '\n');
    if (compared && !args->quiet)
        tch_buf_addf(&b, "comparison: %s/" TCH_COMPARISON_FILE "\n", run->items[0].folder.shown);
    for (size_t i = 0; i < count && !args->quiet; i++)
        if (v->written[i])
            tch_buf_addf(&b, "report: %s/report.html\n", run->items[i].folder.shown);
    return cli_print(&b);
}

static int exit_status(const struct tch_run *run, const struct run_options *o)
{
    if (run->state == TCH_RUN_FAILED && o->pass_status && tch_result_run_exit(&run->bad.run) != 0)
        return tch_result_run_exit(&run->bad.run);
    if (run->state != TCH_RUN_COMPLETE)
        return EXIT_WORK;
    for (size_t i = 0; i < run->plan->command_count; i++)
        if (tch_report_nothing(&run->items[i].result))
            return EXIT_WORK;
    for (size_t i = 0; i < run->plan->command_count && o->fail_on_warn; i++)
        if (run->items[i].result.warnings.count > 0)
            return EXIT_WARN;
    return EXIT_OK;
}

/* Reports each flamegraph that failed. The other outputs are still written. */
static int complain_of_flames(const struct tch_run *run)
{
    int status = 0;

    for (size_t i = 0; i < run->plan->command_count; i++)
        if (run->items[i].flame_error.message[0]) {
            cli_complain(&run->items[i].flame_error, "no flamegraph of '%s'",
                         run->plan->commands[i].name);
            status = -1;
        }
    if (run->server_flame_error.message[0]) {
        cli_complain(&run->server_flame_error, "no flamegraph of the server");
        status = -1;
    }
    return status;
}

/* Seals the folders, after everything else is written. Prints the hash, which the user can keep
   elsewhere; to standard error if standard output contains the JSON. */
static int seal_folders(const struct tch_run *run, const struct args *args)
{
    for (size_t i = 0; i < run->plan->command_count; i++) {
        struct tch_seal_info info;
        tacho_error err;

        if (tch_seal_write(run->items[i].folder.path, &info, &err) < 0) {
            cli_complain(&err, "cannot seal '%s'", run->items[i].folder.shown);
            return -1;
        }
        if (!args->quiet)
            fprintf(args->json ? stderr : stdout, "sealed: %s\n", info.hash);
    }
    return 0;
}

/* Writes the pages of all commands, then prints the result. If the first command was never run,
   only the results are written. */
static int show(const struct tch_run *run, const struct args *args)
{
    bool any = run->items[0].result.run_count > 0;
    struct views *v = make_views(run);
    struct tch_comparison all;
    bool several = any && run->plan->command_count > 1;
    bool compared = false;
    bool failed = false;
    tacho_error err;
    int status;

    if (!v)
        return cli_no_memory();
    if (several && tch_comparison_make(&all, v->run, v->count, &err) < 0) {
        cli_complain(&err, "cannot compare the commands");
        free(v);
        return EXIT_WORK;
    }
    if (several) { /* first, because the reports link to it */
        compared = tch_comparison_save(&all, &err) == 0;
        failed = !compared;
        if (failed)
            cli_complain(&err, "cannot write the comparison");
    }
    for (size_t i = 0; i < v->count && any; i++) {
        v->written[i] = tch_report_save(&v->run[i].result, v->run[i].folder, &err) == 0;
        failed |= !v->written[i];
        if (!v->written[i])
            cli_complain(&err, "cannot write the report of '%s'", run->items[i].folder.shown);
    }
    status = args->json ? print_json(v)
             : any      ? print_table(run, v, several ? &all : NULL, compared, args)
                        : EXIT_OK;
    free(v);
    return failed ? EXIT_WORK : status;
}

/* Measures the commands. Writes what was measured even after a failure or an interrupt. */
static int measure(struct tch_run *run, const struct run_options *o, const struct args *args)
{
    struct watcher w = {0};
    struct tch_run_watch watch = {
        .stop = cli_catch_stop(), .step = on_step, .hook = cli_progress_hook, .ctx = &w};
    tacho_error err;
    tacho_error end_err;
    int measured;
    int finished;
    int flames;
    int status;

    if (run->plan->output !=
        TCH_IO_INHERIT) /* otherwise the command's output would mix with the line */
        cli_progress_begin(&w.progress, args,
                           run->plan->server ? "waiting for the server" : "running", 0);
    w.progress.note = w.note;
    measured = tch_run_measure(run, &watch, &err);
    cli_progress_end(&w.progress);
    finished = tch_run_finish(run, &end_err);
    if (measured < 0)
        cli_complain(NULL, "%s", err.message);
    else if (run->state == TCH_RUN_FAILED)
        cli_complain_of_run(run);
    else if (run->state == TCH_RUN_INTERRUPTED)
        cli_complain(
            NULL,
            run->items[0].result.run_count > 0
                ? "interrupted; the runs completed so far are shown below and kept in the folder"
                : "interrupted before the first run was complete");
    if (finished < 0) {
        cli_complain(&end_err, "cannot write run.json; fix the cause, then run: tacho report %s",
                     run->items[0].folder.shown);
        return EXIT_WORK;
    }
    flames = complain_of_flames(run);
    status = show(run, args);
    if (o->plan.seal && seal_folders(run, args) < 0)
        status = EXIT_WORK;
    if (status != EXIT_OK || measured < 0 || flames < 0)
        return EXIT_WORK;
    return exit_status(run, o);
}

/* Suggests -c for operands that contain blanks, as in tacho run 'gzip x' 'zstd x'. The user meant
   command lines. Operands after them may be options that came too late. */
static void suggest_lines(const struct args *args)
{
    static const char shell[] = "|&;<>$`*?(";
    struct tch_buf b;
    bool needs_shell = false;

    if (args->count == 0 || !strpbrk(args->operands[0], " |&;<>") ||
        access(args->operands[0], F_OK) == 0)
        return;
    tch_buf_init(&b, 1 << 16);
    for (size_t i = 0; i < args->count; i++) {
        bool is_line = strpbrk(args->operands[i], " |&;<>") != NULL;

        needs_shell = needs_shell || (is_line && strpbrk(args->operands[i], shell));
        if (is_line)
            tch_buf_addf(&b, strchr(args->operands[i], '\'') ? " -c \"%s\"" : " -c '%s'",
                         args->operands[i]);
        else
            tch_buf_addf(&b, " %s", args->operands[i]);
    }
    cli_complain(NULL, "use -c for a command line in one word: tacho run%s%s",
                 needs_shell ? " --shell" : "", b.data);
    tch_buf_release(&b);
}

static int run_run(struct args *args)
{
    struct run_options o;
    struct tch_run run = {.plan = &o.plan};
    tacho_error err;
    int status = cli_run_options_parse(&o, args);

    if (status == EXIT_OK) {
        if (tch_run_open(&run, &o.plan, &err) < 0) {
            cli_complain(NULL, "%s", err.message);
            suggest_lines(args);
            status = EXIT_WORK;
        } else {
            status = measure(&run, &o, args);
        }
        tch_run_release(&run);
    }
    cli_run_options_release(&o);
    return status;
}

static const struct arg operands[] = {
    {.name = "COMMAND",
     .help = "the program to run, and its arguments",
     .optional = true,
     .many = true,
     .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho run -- ./prog --size 1000",
     "Run a program until its median wall time is precise to 1 %."},
    {"tacho run -n 50 -w 3 -c './old x' -c './new x'",
     "Compare two programs, with 3 warm-up runs and 50 measured runs of each."},
    {"tacho run --metric tps='([0-9.]+) tokens/s' -- ./generate",
     "Also measure a number that the program prints."},
    {"tacho run --prepare 'sync; echo 3 > /proc/sys/vm/drop_caches' -- ./prog",
     "Measure with cold caches."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WORK,
     "an error occurred or a run failed; with --allow-nonzero, all runs of a command failed; "
     "with --pass-status, the status of the failed run instead"},
    {EXIT_WARN, "there are warnings (only with --fail-on-warn)"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/NAME/ID/", "A run folder: run.json (schema tacho.run.v1), report.html, CSV files, "
                           "flamegraphs, and what the program recorded."},
    {"tacho-out/NAME/latest", "A link to the newest run folder of that name."},
    {NULL, NULL},
};

#define EXPORT_INSTEAD "the run folder keeps everything; 'tacho report -f "
#define SWEEP_INSTEAD  "use 'tacho sweep --"

/* Options of hyperfine and perf stat that users try here, with what to use instead. */
static const struct refusal words_of_others[] = {
    {"command-name", 0, "use --name NAME"},
    {"event", 'e', "all available counters are read; 'tacho doctor' lists them"},
    {"export-asciidoc", 0, EXPORT_INSTEAD "md RUN' writes Markdown"},
    {"export-csv", 0, EXPORT_INSTEAD "csv RUN' writes every sample"},
    {"export-json", 0, EXPORT_INSTEAD "json RUN' prints run.json, and --json prints it at once"},
    {"export-markdown", 0, EXPORT_INSTEAD "md RUN' writes Markdown"},
    {"export-orgmode", 0, EXPORT_INSTEAD "md RUN' writes Markdown"},
    {"ignore-failure", 0, "use --allow-nonzero (-i)"},
    {"parameter-list", 'L', SWEEP_INSTEAD "grid NAME=VALUE,VALUE -- COMMAND {NAME}'"},
    {"parameter-scan", 'P', SWEEP_INSTEAD "range NAME=FROM:TO -- COMMAND {NAME}'"},
    {"parameter-step-size", 'D', SWEEP_INSTEAD "range NAME=FROM:TO:STEP -- COMMAND {NAME}'"},
    {"reference", 0, "give the reference as the first -c; 'tacho compare A B' compares with A"},
    {"repeat", 'r', "use --runs N (-n N)"},
    {"show-output", 0, "use --command-output inherit"},
    {"time-unit", 'u', "tables choose their units; --json prints nanoseconds"},
    {"no-shell", 'N', "commands run without a shell by default; --shell uses one"},
    {NULL, 0, NULL},
};

const struct cmd cmd_run = {
    .name = "run",
    .summary = "run a command repeatedly, record everything, write a run folder",
    .usage = "tacho run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
             "tacho run [OPTIONS] -c LINE [-c LINE...]",
    .about =
        "Runs the command repeatedly, without a shell, and measures each run: wall time, CPU time, "
        "peak memory, page faults, context switches, block I/O. Stops when the median wall time is "
        "precise enough (--precision), after --max-time or after --max-runs; with --runs, after "
        "that number of runs. The precision is checked after 10, 20, 40, ... runs, and the "
        "intervals allow for these interim analyses.\n"
        "\n"
        "Runs several commands in turns (interleaved): each round runs every command once, in an "
        "order drawn at random. Compares them in pairs of runs: which one is the fastest, and how "
        "many times as fast as each of the others.\n"
        "\n"
        "Writes a folder OUT/NAME/TIME-ID for each command. Its run.json contains every sample. "
        "OUT/NAME/latest is a link to the newest folder. Each sample is on disk when its run is "
        "complete.\n"
        "\n"
        "The hooks --setup, --prepare, --conclude and --cleanup are not measured. With several "
        "commands, give a hook once for all of them or once per command. By default the command "
        "reads an empty standard input, and its output is discarded.",
    .opts = cli_run_opts,
    .more_opts = cli_plan_opts,
    .refused = words_of_others,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .runs_program = true,
    .run = run_run,
    .variables = cli_run_variables,
    .files = files,
};
