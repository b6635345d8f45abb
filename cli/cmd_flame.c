/* tacho flame: the sub-commands that make, compare and draw flamegraphs. */
#include "cmds.h"
#include "flame.h"

static const struct cmd *const subs[] = {
    &flame_convert, &flame_diff, &flame_draw, &flame_fold, NULL,
};

static const struct example examples[] = {
    {"perf script | tacho flame draw -o flame.svg", "A flamegraph of what perf recorded."},
    {"tacho flame diff before.folded after.folded -o diff.svg",
     "What costs more now (red) and what less (blue)."},
    {NULL, NULL},
};

const struct cmd cmd_flame = {
    .name = "flame",
    .summary = "fold, draw, compare and convert flamegraphs",
    .usage = "tacho flame COMMAND [OPTIONS] [ARGUMENTS]",
    .about = "Sampled call stacks, from a profiler's text to a picture: folded stacks, "
             "interactive SVG, differentials, and the formats of speedscope, pprof and Chrome.",
    .examples = examples,
    .subs = subs,
};
