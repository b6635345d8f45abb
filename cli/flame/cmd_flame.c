/* tacho flame: captures; its sub-commands fold, compare, convert and draw. */
#include "cli/cmds.h"
#include "cmd_flame_parts.h"

static const struct cmd *const subs[] = {
    &cmd_flame_convert, &cmd_flame_diff, &cmd_flame_draw, &cmd_flame_fold, NULL,
};

static const struct example examples[] = {
    {"tacho flame ./bench --quick", "Profile a command and write flamegraph-bench.svg."},
    {"tacho flame -p 4711 --duration 10s --out-dir profiles",
     "Profile a running process for ten seconds."},
    {"perf script | tacho flame draw -o flame.svg", "Draw a recording of perf."},
    {"tacho flame diff before.folded after.folded -o diff.svg",
     "Compare two profiles: red costs more now, blue less."},
    {NULL, NULL},
};

static const struct refusal refused[] = {
    {"command", 'c',
     "it profiles one program with its arguments; for a shell command use: tacho flame sh -c LINE"},
    {"shell", 'S', "for a shell command use: tacho flame sh -c LINE"},
    {NULL, 0, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WORK, "the capture or the command failed; with --pass-status, the command's own status"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item variables[] = {
    {"DEBUGINFOD_URLS", "Servers that --debuginfod asks for debug information."},
    {"PATH", "Folders in which perf, inferno and other profilers are searched for."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"flamegraph-LABEL.svg", "The flamegraph. LABEL is --label or the name of the command."},
    {"/tmp/perf-PID.map",
     "Names of code that the process compiled at run time, written by its runtime."},
    {NULL, NULL},
};

const struct cmd cmd_flame = {
    .name = "flame",
    .summary = "capture, fold, draw, compare and convert flamegraphs",
    .usage = "tacho flame [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
             "tacho flame [OPTIONS] --pid PID | --all\n"
             "tacho flame convert | diff | draw | fold [OPTIONS] [ARGUMENTS]",
    .about =
        "Samples where a command, its threads and its children spend their time, or a running "
        "process (--pid), or the whole machine (--all). Writes flamegraph-LABEL.svg within a "
        "fraction of a second after the command exits. Ctrl-C stops the capture and draws the "
        "samples taken "
        "so far. Write '--' before a program that has the name of a sub-command.\n\n"
        "The sub-commands work on profiles that were recorded before: they fold a profiler's "
        "text, draw it as an interactive SVG, compare two profiles, and convert to the formats "
        "of speedscope, pprof and Chrome.",
    .opts = cli_flame_capture_opts,
    .refused = refused,
    .args = cli_flame_capture_args,
    .examples = examples,
    .exits = exits,
    .subs = subs,
    .json = true,
    .runs_program = true,
    .run = cli_flame_run_capture,
    .variables = variables,
    .files = files,
};
