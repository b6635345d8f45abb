/* tacho flame convert: converts a profile to the format of another program. */
#include "cmd_flame_parts.h"

static const char *const formats[] = {"chrome",     "folded", "frames", "pprof",
                                      "speedscope", "svg",    "tree",   NULL};

static int run_convert(struct args *args)
{
    return cli_flame_run(args, NULL, true);
}

static const struct opt opts[] = {
    FLAME_FORMAT_OPTS("to", formats,
                      "write this format (default: by the name of the output; tree on stdout)"),
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "IN",
     .help = "folded stacks or a profiler's text (default, or -: stdin)",
     .optional = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho flame convert out.folded", "Print a text tree in the terminal."},
    {"tacho flame convert perf.txt -o out.pb.gz", "Convert for pprof."},
    {"tacho flame convert perf.txt -o out.speedscope.json", "Convert for speedscope.app."},
    {"tacho flame convert perf.txt -o out.trace.json",
     "Convert to a trace in the order of time, for Perfetto and chrome://tracing."},
    {NULL, NULL},
};

const struct cmd cmd_flame_convert = {
    .name = "convert",
    .summary = "convert a profile to another format",
    .usage = "tacho flame convert [OPTIONS] [IN]",
    .about =
        "The name of the output determines the format: .folded, .svg, .json (speedscope), .pb.gz "
        "(pprof), .trace.json (Chrome), .tsv (frames), .tree (text); --to overrides it.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_convert,
};
