/* tacho trace: its sub-commands, one a file. */
#include "cli/cmds.h"
#include "cmd_trace_parts.h"

static const struct cmd *const subs[] = {
    &cmd_trace_compare, &cmd_trace_convert,  &cmd_trace_info,
    &cmd_trace_merge,   &cmd_trace_recover,  &cmd_trace_slice,
    &cmd_trace_summary, &cmd_trace_validate, NULL,
};

static const struct example examples[] = {
    {"tacho trace info trace.json.4711.tacho", "What a killed process left."},
    {"tacho trace recover trace.json.4711.tacho -o trace.json", "A trace that viewers open."},
    {"tacho trace summary trace.json", "Where the time went."},
    {NULL, NULL},
};

static const struct man_item variables[] = {
    {"TMPDIR", "Where large traces keep temporary files, which have no name (default /tmp)."},
    {"TACHO_TRACE_OUT", "For a program linked with libtacho: turns recording on, and names the "
                        "trace that it writes at exit."},
    {NULL, NULL},
};

const struct cmd cmd_trace = {
    .name = "trace",
    .summary = "look into recordings and traces, convert, cut and check them",
    .usage = "tacho trace COMMAND [OPTIONS] [ARGUMENTS]",
    .about = "A program that links libtacho records its spans into a file of its own, "
             "OUT.PID.tacho, while it runs, and makes the trace of it when it ends. After a kill "
             "the recording is still there, with everything up to that moment.\n\n"
             "The other commands take recordings and traces of any other writer: Chrome JSON, also "
             "gzip, Perfetto, CSV of spans, folded stacks, the text of babeltrace2.",
    .examples = examples,
    .subs = subs,
    .variables = variables,
};
