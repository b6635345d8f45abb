/*
 * Shared by the sub-commands of `tacho flame`: reading a profile, writing it, and the options of
 * both.
 */
#ifndef CLI_CMD_FLAME_PARTS_H
#define CLI_CMD_FLAME_PARTS_H

#include "cli/core/opt.h"
#include "kit/flame/draw/palette.h"
#include "kit/flame/draw/profile_formats.h"

extern const struct cmd cmd_flame_convert;
extern const struct cmd cmd_flame_diff;
extern const struct cmd cmd_flame_draw;
extern const struct cmd cmd_flame_fold;

/** The options of `tacho flame` itself, which captures. */
extern const struct opt cli_flame_capture_opts[];
extern const struct arg cli_flame_capture_args[];
int cli_flame_run_capture(struct args *args);

/** The options of one sub-command, and the profile that it read. */
struct flame {
    struct args *args;
    struct tch_flame_read_options read;
    struct tch_format_options write;
    const struct tch_format *format; /**< NULL: chosen by the name of the output */
    bool chosen;        /**< an option chose the format, whatever the name of the output is */
    const char *output; /**< NULL or "-": stdout */
    const char *label;  /**< the output is flamegraph-LABEL.svg */
    const char *folder; /**< folder of that file */
    char *previous;     /**< new path of an earlier file of that name, or NULL */
    bool force;
    bool split;     /**< one graph per thread */
    bool normalize; /**< diff: scale A to the total of B */

    struct tch_stacks stacks;
    struct tch_timeline timeline;
    const char *input; /**< name of the input, for messages */
    uint64_t samples;  /**< number of samples; their counts add up to more if perf weighs them */
    char unit[64];     /**< unit of the counts, unless --count-name names another */
};

extern const char *const cli_flame_threads[];

/* Rows of option tables, shared by the commands. */

#define FLAME_READ_OPTS                                                                           \
    {.name = "from",                                                                              \
     .arg = "KIND",                                                                               \
     .help = "read the input as KIND (default auto: detect it from the first line)",              \
     CLI_CHOICE(struct flame, read.kind, tch_read_kinds)},                                        \
        {.name = "pid",                                                                           \
         .help = "show the process in the first frame: comm-PID",                                 \
         CLI_FLAG(struct flame, read.pid)},                                                       \
        {.name = "tid",                                                                           \
         .help = "show the thread in the first frame: comm-PID/TID",                              \
         CLI_FLAG(struct flame, read.tid)},                                                       \
        {.name = "addrs",                                                                         \
         .help = "show the addresses of unknown symbols",                                         \
         CLI_FLAG(struct flame, read.addrs)},                                                     \
        {.name = "kernel",                                                                        \
         .help = "mark kernel functions with _[k]",                                               \
         CLI_FLAG(struct flame, read.mark_kernel)},                                               \
        {.name = "jit",                                                                           \
         .help = "mark functions compiled at run time with _[j]",                                 \
         CLI_FLAG(struct flame, read.mark_jit)},                                                  \
        {.name = "inline",                                                                        \
         .help = "mark inlined functions with _[i]",                                              \
         CLI_FLAG(struct flame, read.mark_inlined)},                                              \
        {.name = "all",                                                                           \
         .help = "set all three marks: _[k], _[j] and _[i]",                                      \
         .take = cli_flame_take_all_marks},                                                       \
        {.name = "srcline",                                                                       \
         .help = "add source lines to names, if the input has them",                              \
         CLI_FLAG(struct flame, read.source)},                                                    \
        {.name = "event-filter",                                                                  \
         .arg = "EVENT",                                                                          \
         .help = "count this event (default: the first one in the input)",                        \
         CLI_TEXT(struct flame, read.event)},                                                     \
    {                                                                                             \
        .name = "collapse-recursion", .help = "merge the frames of a function that calls itself", \
        CLI_FLAG(struct flame, read.collapse_recursion)                                           \
    }

#define FLAME_DRAW_OPTS                                                                            \
    {.name = "reverse",                                                                            \
     .help = "merge stacks from the leaf: show the callers of hot functions",                      \
     CLI_FLAG(struct flame, read.reverse)},                                                        \
        {.name = "inverted",                                                                       \
         .help = "draw the root on top: an icicle graph",                                          \
         CLI_FLAG(struct flame, write.svg.inverted)},                                              \
        {.name = "threads",                                                                        \
         .arg = "HOW",                                                                             \
         .help = "merge the threads of a program, or draw them side by side (split)",              \
         .choices = cli_flame_threads,                                                             \
         .take = cli_flame_take_threads},                                                          \
        {.name = "min-width",                                                                      \
         .arg = "PERCENT",                                                                         \
         .help =                                                                                   \
             "leave out frames narrower than this share (0 to 100, default 0.01; for a tree 0.5)", \
         .take = cli_flame_take_percent},                                                          \
        {.name = "width",                                                                          \
         .arg = "PX",                                                                              \
         .help =                                                                                   \
             "draw PX wide if no script runs; else fit the window (320 to 100000, default 1200)",  \
         .set = CLI_SET(struct flame, write.svg.width, .kind = TCH_SET_U32, .least = 320,          \
                        .most = 100000),                                                           \
         .not_a = "a width of 320 to 100000 pixels"},                                              \
        {.name = "title",                                                                          \
         .arg = "TEXT",                                                                            \
         .help = "write TEXT above the picture",                                                   \
         CLI_TEXT(struct flame, write.svg.title)},                                                 \
        {.name = "subtitle",                                                                       \
         .arg = "TEXT",                                                                            \
         .help = "write TEXT below the title",                                                     \
         CLI_TEXT(struct flame, write.svg.subtitle)},                                              \
        {.name = "notes",                                                                          \
         .arg = "TEXT",                                                                            \
         .help = "store TEXT in the file, without showing it",                                     \
         CLI_TEXT(struct flame, write.svg.notes)},                                                 \
        {.name = "count-name",                                                                     \
         .arg = "TEXT",                                                                            \
         .help = "call the counted unit TEXT (default: samples, or what perf counted)",            \
         CLI_TEXT(struct flame, write.svg.count_name)},                                            \
        {.name = "palette",                                                                        \
         .arg = "NAME",                                                                            \
         .help = "colour frames by function (hash), library or language",                          \
         CLI_CHOICE(struct flame, write.svg.palette, tch_palettes)},                               \
    {                                                                                              \
        .name = "theme", .arg = "NAME",                                                            \
        .help = "use light or dark colours (default auto: the reader's system setting)",           \
        CLI_CHOICE(struct flame, write.svg.theme, tch_themes)                                      \
    }

#define FLAME_OUTPUT_OPT                                                           \
    {                                                                              \
        .name = "output", .letter = 'o', .arg = "FILE",                            \
        .help = "write to this file instead of stdout", .complete = COMPLETE_FILE, \
        CLI_TEXT(struct flame, output)                                             \
    }

/** The options of commands that write several formats. option: the name of the option for the
    format; allowed: its choices; text: its help. */
#define FLAME_FORMAT_OPTS(option, allowed, text) \
    {.name = (option),                           \
     .arg = "FORMAT",                            \
     .choices = (allowed),                       \
     .help = (text),                             \
     .take = cli_flame_take_format},             \
        FLAME_OUTPUT_OPT, FLAME_DRAW_OPTS, FLAME_READ_OPTS

/** Sets the defaults. format may be NULL. */
void cli_flame_init(struct flame *f, struct args *args, const struct tch_format *format);
void cli_flame_release(struct flame *f);

/** Parse options that set more than one field. For .take of an option. */
int cli_flame_take_all_marks(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_format(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_label(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_percent(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_threads(void *into, const struct args *args, const struct opt *opt);

/** Reads a file (NULL or "-": stdin) into f->stacks, with a timeline if the format uses it. Warns
    about everything that was left out. both: allow two counts per line. @return EXIT_OK or
    EXIT_WORK */
int cli_flame_read(struct flame *f, const char *path, bool both);

/** Chooses the format by the options and the name of the output. Call it before reading. @return
    EXIT_OK or EXIT_USAGE */
int cli_flame_choose_format(struct flame *f, const char *otherwise);

/** Writes the profile and reports what was written. @return EXIT_OK or EXIT_WORK */
int cli_flame_write(struct flame *f);

/** Runs a whole sub-command that turns one profile into one output. format: the default, NULL:
    chosen by the name of the output; both: as in cli_flame_read(). */
int cli_flame_run(struct args *args, const char *format, bool both);

#endif
