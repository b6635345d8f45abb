/* tacho flame diff: compares two profiles. */
#include <unistd.h>

#include "cmd_flame_parts.h"
#include "kit/flame/stack/stacks.h"

static const char *const formats[] = {"changes", "folded", "svg", "frames", "pprof", NULL};

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
        cli_complain(&err, "cannot compare '%s' with '%s'", files[0], files[1]);
        return EXIT_WORK;
    }
    if (f->stacks.converted)
        snprintf(f->unit, sizeof f->unit, "%s", f->stacks.counted.unit);
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
        status = cli_flame_choose_format(&f, isatty(STDOUT_FILENO) ? "changes" : "folded");
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
    FLAME_FORMAT_OPTS(
        "format", formats,
        "write this format (default: by the name of the output; changes on a terminal; "
        "folded on another stdout)"),
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "A", .help = "profile before the change", .complete = COMPLETE_FILE},
    {.name = "B", .help = "profile after the change", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho flame diff before.folded after.folded -o diff.svg",
     "Draw frames as wide as in B; red takes more time than in A, blue less, grey differs by no "
     "more than noise. Print the functions that changed most."},
    {"tacho flame diff --format changes before.folded after.folded",
     "Print the functions that changed most."},
    {"tacho flame diff --normalize A B | tacho flame draw --inverted > diff.svg",
     "Compare runs of different length, by folded stacks with two counts."},
    {NULL, NULL},
};

const struct cmd cmd_flame_diff = {
    .name = "diff",
    .summary = "compare two profiles",
    .usage = "tacho flame diff [OPTIONS] A B",
    .about =
        "It compares the time of each function as recorded in A and in B, or the samples if the "
        "time is not known, and prints the ten largest changes. Profiles with different units "
        "are converted to time or refused. Without -o, and not on a terminal, it writes folded "
        "stacks with two counts per line, that of A and that of B. Each input is folded stacks "
        "or a profiler's text.\n\n"
        "The first frame of a stack is the process. Two builds of one program under two names "
        "are compared as one process, 'old -> new'. Process and thread ids are left out, "
        "unless --tid or --threads split asks for them.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_diff,
};
