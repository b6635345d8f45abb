/* tacho flame draw: draws stacks as an interactive SVG. */
#include "cmd_flame_parts.h"

static const char *const formats[] = {"svg", "frames", NULL};

static int run_draw(struct args *args)
{
    return cli_flame_run(args, "svg", true);
}

static const struct opt opts[] = {
    FLAME_DRAW_OPTS,
    {.name = "format",
     .arg = "FORMAT",
     .choices = formats,
     .help = "write this format (default svg); frames prints the layout: level, x, w and title",
     .take = cli_flame_take_format},
    {.name = "label",
     .arg = "LABEL",
     .help =
         "write flamegraph-LABEL.svg, with LABEL such as the name of the program; an earlier one "
         "is kept as flamegraph-LABEL.old.svg",
     .take = cli_flame_take_label},
    {.name = "out-dir",
     .arg = "DIR",
     .help = "write that file to DIR, created if missing (default: the current folder)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct flame, folder)},
    {.name = "force", .help = "overwrite the file of another label", CLI_FLAG(struct flame, force)},
    FLAME_OUTPUT_OPT,
    FLAME_READ_OPTS,
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "folded stacks or a profiler's text (default, or -: stdin)",
     .optional = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho flame draw out.folded -o flame.svg", "Open flame.svg in any browser."},
    {"perf script | tacho flame draw --all --palette language -o flame.svg",
     "Draw perf's text directly, coloured by language."},
    {"tacho flame draw out.folded --label 'my bench' --out-dir results",
     "Write results/flamegraph-my_bench.svg."},
    {NULL, NULL},
};

const struct cmd cmd_flame_draw = {
    .name = "draw",
    .summary = "draw stacks as an interactive SVG",
    .usage = "tacho flame draw [OPTIONS] [FILE]",
    .about = "The SVG is self-contained. In a browser, click a frame to zoom, "
             "type in the box to search; the address keeps both. Keys: / search, n next match, "
             "arrows move, Enter zoom, Escape back, i flip, t light or dark. An input with two "
             "counts per line is drawn as a differential: red is more than before, blue less.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_draw,
};
