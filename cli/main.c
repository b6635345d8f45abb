/* The command tacho: the list of its commands. What happens with it is cli.c's. */
#include <signal.h>

#include "cli/core/cli.h"
#include "cmds.h"
#include "process/orphans.h"

/* One a line, whatever their number. */
/* clang-format off */
static const struct cmd *const commands[] = {
    &cmd_baseline,
    &cmd_calibrate,
    &cmd_compare,
    &cmd_completion,
    &cmd_doctor,
    &cmd_events,
    &cmd_fingerprint,
    &cmd_flame,
    &cmd_gate,
    &cmd_help,
    &cmd_history,
    &cmd_import,
    &cmd_plan,
    &cmd_report,
    &cmd_run,
    &cmd_stats,
    &cmd_sweep,
    &cmd_trace,
    &cmd_watch,
    &cmd_witness,
    NULL,
};
/* clang-format on */

static const struct opt opts[] = {
    {.id = 0, .name = "version", .letter = 'V', .help = "show the version"},
    {.name = NULL},
};

/* Commands of hyperfine, perf, perfgate, criterion and their like that users try here. */
static const struct refusal words_of_others[] = {
    {"aggregate", 0, "'tacho compare RUN RUN...' puts several runs side by side"},
    {"annotate", 0, "'tacho flame -- COMMAND' shows where the time goes, by function"},
    {"bench", 0, "'tacho run -- COMMAND' measures a command"},
    {"benchmark", 0, "'tacho run -- COMMAND' measures a command"},
    {"blame", 0,
     "'tacho gate --against REF --flame-on-regression' shows which functions cost more"},
    {"check", 0, "'tacho gate' runs the benches of tacho.yaml and judges them"},
    {"diff", 0,
     "'tacho compare A B' compares runs, 'tacho flame diff' and 'tacho trace compare' "
     "profiles and traces"},
    {"export", 0, "'tacho report -f csv|json|md|junit|prometheus RUN' exports a run"},
    {"flamegraph", 0, "'tacho flame -- COMMAND' draws a flamegraph"},
    {"import", 0,
     "'tacho events import' reads logs, 'tacho flame convert' and 'tacho trace convert' "
     "read profiles and traces of other tools"},
    {"init", 0, "'tacho gate init' writes tacho.yaml and workflows for CI"},
    {"md", 0, "'tacho report -f md RUN' writes Markdown, 'tacho gate --md FILE' a comment"},
    {"paired", 0, "'tacho run -c OLD -c NEW' interleaves two commands and compares them in pairs"},
    {"profile", 0, "'tacho flame -- COMMAND' draws a flamegraph"},
    {"promote", 0, "'tacho baseline promote BENCH' makes the latest occasion the reference"},
    {"record", 0, "'tacho flame -- COMMAND' records stacks and draws them"},
    {"script", 0, "'tacho flame fold FILE' prints a profile as folded stacks"},
    {"stat", 0, "'tacho run -- COMMAND' counts and times a command"},
    {"summary", 0, "'tacho report RUN', 'tacho trace summary FILE' or 'tacho events summary FILE'"},
    {"time", 0, "'tacho run -n 1 -- COMMAND' measures one run"},
    {"top", 0, "'tacho watch PID' shows a process tree live"},
    {"trend", 0, "'tacho baseline show BENCH' lists the medians of every saved occasion"},
    {NULL, 0, NULL},
};

static const struct example examples[] = {
    {"tacho run -- ./bench --quick",
     "Run a program until its median is precise; write a folder and a report."},
    {"tacho run -c './old' -c './new'", "Compare two programs, with interleaved runs."},
    {"tacho flame -- ./bench", "Draw a flamegraph."},
    {"tacho gate init",
     "Write settings and a CI workflow that fails when something got slower or larger."},
    {"tacho doctor", "Show what this machine can measure, what disturbs it, and how to fix that."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a check failed"},
    {EXIT_WARN, "only warnings, with --fail-on-warn"},
    {EXIT_UNJUDGED, "NOT JUDGED: there was nothing to compare with"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item variables[] = {
    {"TACHO_RUN_DIR, TACHO_PROFILE_JSONL, TACHO_TRACE_OUT",
     "Where programs linked with libtacho record; 'tacho run' sets them for its command."},
    {"FERRUM_*", "Read in place of the TACHO_* variable of the same name where that is not set."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/", "Run folders and reports, unless --out-dir names another place."},
    {"tacho.yaml, .tacho/", "Settings, baselines and calibrations of 'tacho gate'."},
    {"PREFIX/share/doc/tacho/", "Documents, JSON schemas and examples."},
    {NULL, NULL},
};

static const struct cmd tacho = {
    .name = "tacho",
    .summary = "make benchmark runs observable, reproducible and gateable",
    .usage = "tacho COMMAND [OPTIONS] [ARGUMENTS]\ntacho --help | --version",
    .about = "tacho records how long a benchmark takes, how much memory and energy it uses, and in "
             "which configuration and on which machine it runs. It then says whether the result is "
             "better or worse than before.",
    .opts = opts,
    .refused = words_of_others,
    .examples = examples,
    .exits = exits,
    .variables = variables,
    .files = files,
    .subs = commands,
};

int main(int argc, char **argv)
{
    (void)argc;
    /* Ignored, as some parents leave it, nobody could be waited for. */
    signal(SIGCHLD, SIG_DFL);
    tch_orphans_adopt(); /* to kill what a killed spawner or keeper leaves */
    return cli_main(&tacho, argv);
}
