/* The command tacho: the list of its commands. What happens with it is cli.c's. */
#include <signal.h>

#include "cli/core/cli.h"
#include "cmds.h"

/* One a line, whatever their number. */
/* clang-format off */
static const struct cmd *const commands[] = {
    &cmd_baseline,
    &cmd_compare,
    &cmd_completion,
    &cmd_doctor,
    &cmd_events,
    &cmd_fingerprint,
    &cmd_flame,
    &cmd_gate,
    &cmd_help,
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

static const struct example examples[] = {
    {"tacho run -- ./bench --quick", "Run it until the median is precise; a folder and a report."},
    {"tacho run -c './old' -c './new'", "Two programs in turns, compared with intervals."},
    {"tacho flame -- ./bench", "A flamegraph of it, a fraction of a second after it ends."},
    {"tacho gate init", "Settings and a CI workflow that fail on what got slower or larger."},
    {"tacho doctor", "What this machine can measure, what disturbs it, and how to mend that."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a check failed"},
    {EXIT_WARN, "only warnings, with --fail-on-warn"},
    {0, NULL},
};

static const struct man_item variables[] = {
    {"TACHO_RUN_DIR, TACHO_PROFILE_JSONL, TACHO_TRACE_OUT",
     "Where programs linked with libtacho record; 'tacho run' sets them for its command."},
    {"FERRUM_*", "Read in place of the TACHO_* variable of the same name where that is not set."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/", "Run folders and reports, unless --out names another place."},
    {"tacho.yaml, .tacho/baselines/", "Settings and baselines of 'tacho gate'."},
    {"PREFIX/share/doc/tacho/", "Documents, JSON schemas and examples."},
    {NULL, NULL},
};

static const struct cmd tacho = {
    .name = "tacho",
    .summary = "make benchmark runs observable, reproducible and gateable",
    .usage = "tacho COMMAND [OPTIONS] [ARGUMENTS]\ntacho --help | --version",
    .about = "A benchmark run under tacho leaves evidence: how long it took, what it held in "
             "memory, what energy it drew, under exactly which configuration and machine, and "
             "whether that is better or worse than before.",
    .opts = opts,
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
    return cli_main(&tacho, argv);
}
