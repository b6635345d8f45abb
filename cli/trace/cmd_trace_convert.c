/* tacho trace convert: writes a trace in another format. */
#include "cli/core/opt.h"
#include "cmd_trace_parts.h"
#include "kit/trace/trace_rewrite.h"
#include "trace_text.h"

static int run_convert(struct args *args)
{
    const char *in = args->operands[0];
    struct trace_output out = {.path = NULL};
    struct tch_trace_read_options reading;
    struct tch_rewritten done;
    struct trace_progress progress;
    tacho_error err;
    int status;

    cli_set_opts(args, NULL, &out);
    status = cli_trace_check_output(args, &out);
    if (status != EXIT_OK)
        return status;
    reading = cli_trace_reading(&progress, args, in, true);
    status = tch_rewrite(&done, in, out.path, &reading, &out.writing, NULL, &err);
    cli_progress_end(&progress.progress);
    if (status < 0)
        cli_complain(&err, "cannot convert '%s' to '%s'", in, out.path);
    status = status < 0 ? EXIT_WORK : cli_trace_report_rewritten(&done, in, &out, args);
    tch_rewritten_release(&done);
    return status;
}

static const struct arg operands[] = {
    {.name = "IN", .help = "the trace to read; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace convert trace.json -o trace.pftrace",
     "Make a file that is smaller and opens faster."},
    {"tacho trace convert trace.pftrace -o trace.folded", "Make folded stacks for a flamegraph."},
    {NULL, NULL},
};

const struct cmd cmd_trace_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .usage = "tacho trace convert IN -o OUT [--form FORM]",
    .about =
        "Reads recordings (.tacho), Chrome JSON of any tool (array, object or JSON lines, plain or "
        "gzip), Perfetto traces, CSV of spans, folded stacks and the text output of babeltrace2. "
        "The content decides the format, not the name. Writes .json, .json.gz, .pftrace, .tacho, "
        ".csv (spans) and .folded (stacks, in nanoseconds). A damaged file is read up to the "
        "damage.\n\nPairs of begin and end events become complete spans. In .pftrace and .folded, "
        "spans that partly overlap others on their track move to extra tracks. All events are "
        "sorted; beyond a million events the sort uses a temporary file in TMPDIR.",
    .more_opts = cli_trace_output_opts,
    .args = operands,
    .examples = examples,
    .exits = cli_trace_output_exits,
    .run = run_convert,
};
