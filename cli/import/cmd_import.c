/* tacho import: turns results of other tools into run folders. */
#include <limits.h>

#include "cli/cmds.h"
#include "cli/core/opt.h"
#include "kit/import/import.h"
#include "kit/text/human_number.h"

enum { DIRECTIONS_MOST = 64, NAME_ROOM = 256 };

struct import {
    const char *output;
    const char *format;
    const char *name;
    const char *commit;
    bool keep_going;
    bool list;
    struct tch_import_direction directions[DIRECTIONS_MOST];
    char names[DIRECTIONS_MOST][NAME_ROOM];
    size_t direction_count;
};

/* Parses "NAME=higher" or "NAME=lower". */
static int take_better(void *into, const struct args *args, const struct opt *opt)
{
    struct import *i = into;
    const char *equals = strrchr(args->value, '=');
    bool higher = equals && strcmp(equals, "=higher") == 0;
    size_t len = equals ? (size_t)(equals - args->value) : 0;

    if (len == 0 || len >= NAME_ROOM || (!higher && strcmp(equals, "=lower") != 0))
        return cli_wrong_value(args, opt->name, "NAME=higher or NAME=lower");
    if (i->direction_count == DIRECTIONS_MOST)
        return cli_wrong_usage(args, "--better can be given at most %d times", DIRECTIONS_MOST);
    snprintf(i->names[i->direction_count], NAME_ROOM, "%.*s", (int)len, args->value);
    i->directions[i->direction_count] = (struct tch_import_direction){
        i->names[i->direction_count], higher ? TCH_BETTER_HIGHER : TCH_BETTER_LOWER};
    i->direction_count++;
    return EXIT_OK;
}

static int print_formats(void)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 16);
    for (size_t i = 0; tch_import_format_at(i); i++) {
        const struct tch_import_format *f = tch_import_format_at(i);

        tch_buf_addf(&b, "%-24s %s\n", f->name, f->is);
    }
    return cli_print(&b);
}

/* Saves all results. Prints the folder of each. */
static int save(struct tch_import_set *set, const char *out)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 28);
    for (size_t i = 0; i < set->count; i++) {
        char shown[PATH_MAX];
        tacho_error err;

        if (tch_import_save(&set->results[i], out, shown, sizeof shown, &err) < 0) {
            cli_complain(&err, "cannot save '%s'", set->results[i].name);
            tch_buf_release(&b);
            return EXIT_WORK;
        }
        tch_buf_addf(&b, "%s: %zu run%s, %s\n", set->results[i].name, set->results[i].run_count,
                     tch_plural(set->results[i].run_count), shown);
    }
    return cli_print(&b);
}

/* Reads all files. Returns whether all of them could be read. */
static bool read_files(struct tch_import_set *set, const struct args *args,
                       const struct tch_import_options *options)
{
    bool complete = true;

    for (size_t i = 0; i < args->count; i++) {
        tacho_error err = {0};

        if (tch_import_path(set, args->operands[i], options, &err) < 0) {
            cli_complain(&err, "cannot import '%s'", args->operands[i]);
            complete = false;
        }
    }
    for (size_t i = 0; i < set->problem_count; i++)
        cli_complain(NULL, "%s", set->problems[i].text);
    return complete && set->problem_count == 0;
}

static int import_files(const struct import *i, const struct args *args)
{
    struct tch_import_options options = {.format = i->format,
                                         .name = i->name,
                                         .commit = i->commit,
                                         .directions = i->directions,
                                         .direction_count = i->direction_count};
    struct tch_import_set set;
    tacho_error err;
    bool complete;
    int status;

    if (i->format && strcmp(i->format, "auto") == 0)
        options.format = NULL;
    tch_import_init(&set);
    complete = read_files(&set, args, &options);
    if (tch_import_finish(&set, &options, &err) < 0) {
        cli_complain(&err, "cannot import");
        status = EXIT_WORK;
    } else {
        status = save(&set, i->output ? i->output : "tacho-out");
    }
    if (status == EXIT_OK && (set.count == 0 || (!complete && !i->keep_going)))
        status = EXIT_WORK;
    tch_import_release(&set);
    return status;
}

static int run_import(struct args *args)
{
    struct import *i = calloc(1, sizeof *i);
    int status;

    if (!i)
        return cli_no_memory();
    status = cli_set_opts(args, i, NULL);
    if (status == EXIT_OK && i->list)
        status = print_formats();
    else if (status == EXIT_OK && args->count == 0)
        status = cli_wrong_usage(args, "give a file, a folder, or - for standard input");
    else if (status == EXIT_OK)
        status = import_files(i, args);
    free(i);
    return status;
}

static const struct opt opts[] = {
    {.name = "out-dir",
     .letter = 'o',
     .arg = "DIR",
     .help = "create the run folders below DIR (default: tacho-out)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct import, output)},
    {.name = "format",
     .arg = "FORMAT",
     .help = "read this format instead of recognising it (default: auto)",
     CLI_TEXT(struct import, format)},
    {.name = "name",
     .arg = "BENCH",
     .help = "put BENCH/ before the name of each benchmark",
     CLI_TEXT(struct import, name)},
    {.name = "commit",
     .arg = "SHA",
     .help = "record that the files were made at this commit",
     CLI_TEXT(struct import, commit)},
    {.name = "better",
     .arg = "NAME=DIRECTION",
     .help = "say that higher or lower values of a metric are better",
     .take = take_better},
    {.name = "keep-going",
     .help = "exit with 0 even if some files or benchmarks cannot be imported",
     CLI_FLAG(struct import, keep_going)},
    {.name = "list",
     .help = "list the formats, and how each is recognised",
     CLI_FLAG(struct import, list)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "a file, a folder with files, or - for standard input",
     .optional = true,
     .many = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"hyperfine --export-json old.json ./prog; tacho import old.json",
     "Keep the runs of hyperfine as a run folder."},
    {"go test -bench . -count 10 | tacho import -", "Import the output of a command."},
    {"tacho import -o new run1.json run2.json run3.json",
     "Import three processes of one benchmark program as three runs."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WORK, "a file or a benchmark could not be imported; the others were, unless nothing was "
                "readable (0 with --keep-going)"},
    {0, NULL},
};

const struct cmd cmd_import = {
    .name = "import",
    .summary = "turn results of other benchmark tools into run folders",
    .usage = "tacho import [OPTIONS] FILE...\ntacho import --list",
    .about =
        "Recognises the format of each file by its content, and makes a run folder for each "
        "benchmark in it. All other commands treat it as a run of tacho run. Every value "
        "is kept as it is in the file.\n"
        "\n"
        "A process is a run. Repetitions inside one process depend on each other, so they are "
        "the values of one run, whose value is their median. Several files that contain the same "
        "benchmark are several runs of it. A file with statistics only, such as a median, is "
        "imported as such: its value is shown, and is too little to judge by.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .run = run_import,
};
