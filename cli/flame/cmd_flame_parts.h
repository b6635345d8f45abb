/*
 * What the sub-commands of `tacho flame` share: reading a profile, writing it, and the options of
 * both.
 */
#ifndef CLI_CMD_FLAME_PARTS_H
#define CLI_CMD_FLAME_PARTS_H

#include "cli/core/opt.h"
#include "kit/flame/draw/profile_formats.h"

extern const struct cmd cmd_flame_convert;
extern const struct cmd cmd_flame_diff;
extern const struct cmd cmd_flame_draw;
extern const struct cmd cmd_flame_fold;

/** `tacho flame` itself: capturing. */
extern const struct opt cli_flame_capture_opts[];
extern const struct arg cli_flame_capture_args[];
int cli_flame_run_capture(struct args *args);

/** Everything one of them was asked for. */
struct flame {
    struct args *args;
    struct tch_flame_read_options read;
    struct tch_format_options write;
    const struct tch_format *format; /**< NULL: by the output's name */
    bool chosen;                     /**< by an option, whatever the output's name is */
    const char *output;              /**< NULL or "-": stdout */
    const char *label;               /**< the output is called after it */
    const char *folder;              /**< and goes here */
    char *previous;                  /**< where an earlier file of that name went; or NULL */
    bool force;
    bool split;     /**< by thread */
    bool normalize; /**< diff: scale A to the total of B */

    struct tch_stacks stacks;
    struct tch_timeline timeline;
    const char *input; /**< what was read, for messages */
};

extern const char *const cli_flame_threads[];

/* Rows of option tables, the same in every command. */

#define FLAME_READ_OPTS                                                                    \
    {.name = "from",                                                                       \
     .arg = "KIND",                                                                        \
     .help = "what the input is; auto looks at its first line",                            \
     CLI_CHOICE(struct flame, read.kind, tch_read_kinds)},                                 \
        {.name = "pid",                                                                    \
         .help = "the process in the first frame: comm-PID",                               \
         CLI_FLAG(struct flame, read.pid)},                                                \
        {.name = "tid",                                                                    \
         .help = "the thread in the first frame: comm-PID/TID",                            \
         CLI_FLAG(struct flame, read.tid)},                                                \
        {.name = "addrs",                                                                  \
         .help = "addresses of frames whose symbol is not known",                          \
         CLI_FLAG(struct flame, read.addrs)},                                              \
        {.name = "kernel",                                                                 \
         .help = "mark kernel functions with _[k]",                                        \
         CLI_FLAG(struct flame, read.mark_kernel)},                                        \
        {.name = "jit",                                                                    \
         .help = "mark functions compiled at run time with _[j]",                          \
         CLI_FLAG(struct flame, read.mark_jit)},                                           \
        {.name = "inline",                                                                 \
         .help = "mark inlined functions with _[i]",                                       \
         CLI_FLAG(struct flame, read.mark_inlined)},                                       \
        {.name = "all", .help = "all three marks", .take = cli_flame_take_all_marks},      \
        {.name = "srcline",                                                                \
         .help = "source lines in names, where there are any",                             \
         CLI_FLAG(struct flame, read.source)},                                             \
        {.name = "event-filter",                                                           \
         .arg = "EVENT",                                                                   \
         .help = "count this event; else the first one in the input",                      \
         CLI_TEXT(struct flame, read.event)},                                              \
    {                                                                                      \
        .name = "collapse-recursion", .help = "a function that calls itself is one frame", \
        CLI_FLAG(struct flame, read.collapse_recursion)                                    \
    }

#define FLAME_DRAW_OPTS                                                                   \
    {.name = "reverse",                                                                   \
     .help = "stacks leaf first: who calls what is hot",                                  \
     CLI_FLAG(struct flame, read.reverse)},                                               \
        {.name = "inverted",                                                              \
         .help = "the root on top: an icicle graph",                                      \
         CLI_FLAG(struct flame, write.svg.inverted)},                                     \
        {.name = "threads",                                                               \
         .arg = "HOW",                                                                    \
         .help = "merge the threads of a program, or split by thread",                    \
         .choices = cli_flame_threads,                                                    \
         .take = cli_flame_take_threads},                                                 \
        {.name = "min-width",                                                             \
         .arg = "PERCENT",                                                                \
         .help = "leave out frames narrower than this share (0.01; of a tree 0.5)",       \
         .take = cli_flame_take_percent},                                                 \
        {.name = "width",                                                                 \
         .arg = "PX",                                                                     \
         .help = "width where no script runs; else as wide as its place (1200)",          \
         .set = CLI_SET(struct flame, write.svg.width, .kind = TCH_SET_U32, .least = 320, \
                        .most = 100000),                                                  \
         .not_a = "a width of 320 to 100000 pixels"},                                     \
        {.name = "title",                                                                 \
         .arg = "TEXT",                                                                   \
         .help = "above the picture",                                                     \
         CLI_TEXT(struct flame, write.svg.title)},                                        \
        {.name = "subtitle",                                                              \
         .arg = "TEXT",                                                                   \
         .help = "below the title",                                                       \
         CLI_TEXT(struct flame, write.svg.subtitle)},                                     \
        {.name = "notes",                                                                 \
         .arg = "TEXT",                                                                   \
         .help = "kept in the file, not shown",                                           \
         CLI_TEXT(struct flame, write.svg.notes)},                                        \
        {.name = "count-name",                                                            \
         .arg = "TEXT",                                                                   \
         .help = "what is counted (samples)",                                             \
         CLI_TEXT(struct flame, write.svg.count_name)},                                   \
        {.name = "palette",                                                               \
         .arg = "NAME",                                                                   \
         .help = "colours by name, library or language",                                  \
         CLI_CHOICE(struct flame, write.svg.palette, tch_palettes)},                      \
    {                                                                                     \
        .name = "theme", .arg = "NAME", .help = "auto follows the reader's system",       \
        CLI_CHOICE(struct flame, write.svg.theme, tch_themes)                             \
    }

#define FLAME_OUTPUT_OPT                                                       \
    {                                                                          \
        .name = "output", .letter = 'o', .arg = "FILE",                        \
        .help = "write there instead of to stdout", .complete = COMPLETE_FILE, \
        CLI_TEXT(struct flame, output)                                         \
    }

/** The options from the format to the input, for commands that write several formats. option: the
    name of the one for the format; allowed: its choices. */
#define FLAME_FORMAT_OPTS(option, allowed, text) \
    {.name = (option),                           \
     .arg = "FORMAT",                            \
     .choices = (allowed),                       \
     .help = (text),                             \
     .take = cli_flame_take_format},             \
        FLAME_OUTPUT_OPT, FLAME_DRAW_OPTS, FLAME_READ_OPTS

/** Defaults; format may be NULL. */
void cli_flame_init(struct flame *f, struct args *args, const struct tch_format *format);
void cli_flame_release(struct flame *f);

/** Takers of options whose value is more than one field, for .take. */
int cli_flame_take_all_marks(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_format(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_label(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_percent(void *into, const struct args *args, const struct opt *opt);
int cli_flame_take_threads(void *into, const struct args *args, const struct opt *opt);

/** Reads a file (NULL or "-": stdin) into f->stacks, with the timeline when the format wants it;
    warns of what was left out. both: two counts a line are fine. EXIT_OK or EXIT_WORK. */
int cli_flame_read(struct flame *f, const char *path, bool both);

/** Decides on the format by name and path; EXIT_OK or EXIT_USAGE. Call it before reading. */
int cli_flame_choose_format(struct flame *f, const char *otherwise);

/** Writes what was read, says what was written; EXIT_OK or EXIT_WORK. */
int cli_flame_write(struct flame *f);

/** A whole sub-command that turns one profile into one output. format: what it writes when no
    option says otherwise, NULL: by the output's name; both: as for cli_flame_read(). */
int cli_flame_run(struct args *args, const char *format, bool both);

#endif
