/* tacho trace: lists its sub-commands, each of which has its own file. */
#include "cli/cmds.h"
#include "cmd_trace_parts.h"

static const struct cmd *const subs[] = {
    &cmd_trace_compare, &cmd_trace_convert,  &cmd_trace_info,
    &cmd_trace_merge,   &cmd_trace_recover,  &cmd_trace_slice,
    &cmd_trace_summary, &cmd_trace_validate, NULL,
};

static const struct example examples[] = {
    {"tacho trace info trace.json.4711.tacho", "Show what a killed process recorded."},
    {"tacho trace recover trace.json.4711.tacho -o trace.json",
     "Make a trace of it that viewers can open."},
    {"tacho trace summary trace.json", "Show where the time went."},
    {NULL, NULL},
};

static const struct man_item variables[] = {
    {"TMPDIR", "Folder for the unnamed temporary files that sort large traces (default /tmp)."},
    {"TACHO_TRACE_OUT", "Turns on recording in a program linked with libtacho, and names the trace "
                        "that it writes when it exits."},
    {NULL, NULL},
};

const struct cmd cmd_trace = {
    .name = "trace",
    .summary = "inspect, convert, merge, slice and check recordings and traces",
    .usage = "tacho trace COMMAND [OPTIONS] [ARGUMENTS]",
    .about =
        "A program linked with libtacho records its spans into its own file, OUT.PID.tacho, while "
        "it runs. When it exits, it writes the trace OUT. If it is killed, the recording remains, "
        "complete up to that moment, and 'tacho trace recover' makes the trace.\n\nAll other "
        "commands read recordings and the traces of other tools: Chrome JSON (plain or gzip), "
        "Perfetto, CSV of spans, folded stacks, and the text output of babeltrace2.",
    .examples = examples,
    .subs = subs,
    .variables = variables,
};
