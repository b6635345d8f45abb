/* tacho flame diff: compares two profiles. */
#include "cmd_flame_parts.h"
#include "kit/flame/stacks.h"

static const char *const formats[] = {"folded", "svg", "frames", "pprof", NULL};

static int read_both(struct flame *f)
{
    char **files = f->args->operands;
    tacho_error err;

    if (strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0)
        return cli_wrong_usage(f->args, "only one of the two profiles can come from stdin");
    if (cli_flame_read(f, files[0], false) != EXIT_OK)
        return EXIT_WORK;
    if (tch_stacks_diff_begin(&f->stacks, &err) < 0) {
        cli_complain(&err, "cannot compare '%s'", files[0]);
        return EXIT_WORK;
    }
    if (cli_flame_read(f, files[1], false) != EXIT_OK)
        return EXIT_WORK;
    if (tch_stacks_diff_end(&f->stacks, f->normalize, f->read.reverse, &err) < 0) {
        cli_complain(&err, "cannot compare '%s'", files[1]);
        return EXIT_WORK;
    }
    if (f->stacks.paired && !f->args->quiet)
        cli_complain(NULL, "the two profiles name the program differently; compared as '%s'",
                     tch_intern_text(&f->stacks.names, f->stacks.paired - 1));
    return EXIT_OK;
}

static int run_diff(struct args *args)
{
    struct flame f;
    int status;

    cli_flame_init(&f, args, NULL);
    status = cli_set_opts(args, &f, NULL);
    /* Process and thread ids of two captures never match. */
    f.read.merge_threads = !f.split && !f.read.tid;
    if (status == EXIT_OK)
        status = cli_flame_choose_format(&f, "folded");
    if (status == EXIT_OK && cli_choice_index(formats, f.format->name) < 0)
        status = cli_wrong_usage(args, "a differential cannot be written as %s", f.format->name);
    if (status == EXIT_OK)
        status = read_both(&f);
    if (status == EXIT_OK)
        status = cli_flame_write(&f);
    cli_flame_release(&f);
    return status;
}

static const struct opt opts[] = {
    {.name = "normalize", .help = "scale A to the total of B", CLI_FLAG(struct flame, normalize)},
    {.name = "strip-hex",
     .help = "ignore addresses in names: replace 0x7f12 by 0x...",
     CLI_FLAG(struct flame, read.strip_hex)},
    FLAME_FORMAT_OPTS("format", formats,
                      "write this format (default: by the name of the output; folded on stdout)"),
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "A", .help = "profile before the change", .complete = COMPLETE_FILE},
    {.name = "B", .help = "profile after the change", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho flame diff before.folded after.folded -o diff.svg",
     "Draw frames as wide as in B; red costs more than in A, blue less."},
    {"tacho flame diff --normalize A B | tacho flame draw --inverted > diff.svg",
     "Compare runs of different length, by folded stacks with two counts."},
    {NULL, NULL},
};

const struct cmd cmd_flame_diff = {
    .name = "diff",
    .summary = "compare two profiles",
    .usage = "tacho flame diff [OPTIONS] A B",
    .about =
        "Without -o it writes folded stacks with two counts per line, that of A and that of B. "
        "Each input is folded stacks or a profiler's text.\n\n"
        "The first frame of a stack is the process. Two builds of one program under two names "
        "are compared as one process, 'old -> new'. Process and thread ids are left out, "
        "unless --tid or --threads split asks for them.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_diff,
};
