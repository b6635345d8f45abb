/* tacho flame fold: converts a profiler's text to folded stacks. */
#include "cmd_flame_parts.h"

static int run_fold(struct args *args)
{
    return cli_flame_run(args, "folded", false);
}

static const struct opt opts[] = {
    FLAME_READ_OPTS,
    FLAME_OUTPUT_OPT,
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "profiler's text to fold (default, or -: stdin)",
     .optional = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"perf script | tacho flame fold > out.folded", "Fold perf's text, one line per stack."},
    {"tacho flame fold --all --tid perf.txt", "Add marks, and keep threads separate."},
    {NULL, NULL},
};

const struct cmd cmd_flame_fold = {
    .name = "fold",
    .summary = "collapse a profiler's text to folded stacks",
    .usage = "tacho flame fold [OPTIONS] [FILE]",
    .about = "Reads the text of 'perf script', DTrace's aggregated stacks, maps of bpftrace, or "
             "stacks that are folded already, plain or compressed by gzip or zstd. Writes one line "
             "for each distinct stack: frames from the root "
             "to the leaf separated by ';', a blank, and a count. Memory is bounded "
             "by the distinct stacks, however long the input is.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_fold,
};
