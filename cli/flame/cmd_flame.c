/* tacho flame: captures by itself; its sub-commands fold, compare, convert and draw. */
#include "cli/cmds.h"
#include "cmd_flame_parts.h"

static const struct cmd *const subs[] = {
    &cmd_flame_convert, &cmd_flame_diff, &cmd_flame_draw, &cmd_flame_fold, NULL,
};

static const struct example examples[] = {
    {"tacho flame ./bench --quick", "Runs it and writes flamegraph-bench.svg."},
    {"tacho flame -p 4711 --duration 10s --out profiles", "Ten seconds of a running process."},
    {"perf script | tacho flame draw -o flame.svg", "A flamegraph of what perf recorded."},
    {"tacho flame diff before.folded after.folded -o diff.svg",
     "What costs more now (red) and what less (blue)."},
    {NULL, NULL},
};

static const struct refusal refused[] = {
    {"command", 'c',
     "it profiles one command, given by its words; a line of a shell is sh -c LINE"},
    {"shell", 'S', "run a line of a shell with: tacho flame sh -c LINE"},
    {NULL, 0, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WORK, "could not do the work, or the command failed; with --pass-status its own status"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item variables[] = {
    {"DEBUGINFOD_URLS", "Servers that --debuginfod asks for debug information."},
    {"PATH", "Where perf, inferno and the other profilers are looked for."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"flamegraph-LABEL.svg", "The flamegraph; --label names it, and else the command does."},
    {"/tmp/perf-PID.map", "Names of compiled code that a runtime wrote, read for that process."},
    {NULL, NULL},
};

const struct cmd cmd_flame = {
    .name = "flame",
    .summary = "capture, fold, draw, compare and convert flamegraphs",
    .usage = "tacho flame [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
             "tacho flame [OPTIONS] --pid PID | --all\n"
             "tacho flame convert | diff | draw | fold [OPTIONS] [ARGUMENTS]",
    .about =
        "With a command, a process or --all: samples where the time goes, in the command, its "
        "threads and its children, and writes flamegraph-LABEL.svg a fraction of a second "
        "after it ends. Ctrl-C ends the capture and draws what was seen so far. A program that "
        "has the name of a sub-command needs the '--' before it.\n\n"
        "The sub-commands: sampled call stacks, from a profiler's text to a picture: folded "
        "stacks, "
        "interactive SVG, differentials, and the formats of speedscope, pprof and Chrome.",
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
