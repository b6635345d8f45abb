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
    bool force;
    bool split; /**< by thread */

    struct tch_stacks stacks;
    struct tch_timeline timeline;
    const char *input; /**< what was read, for messages */
};

/* Ids of the options below; a command's own start at FLAME_OWN. */
enum {
    FLAME_ADDRS,
    FLAME_ALL,
    FLAME_COLLAPSE,
    FLAME_COUNT_NAME,
    FLAME_EVENT,
    FLAME_FORCE,
    FLAME_FORMAT,
    FLAME_FROM,
    FLAME_INLINE,
    FLAME_INVERTED,
    FLAME_JIT,
    FLAME_KERNEL,
    FLAME_LABEL,
    FLAME_MIN_WIDTH,
    FLAME_NOTES,
    FLAME_OUT,
    FLAME_OUTPUT,
    FLAME_PALETTE,
    FLAME_PID,
    FLAME_REVERSE,
    FLAME_SRCLINE,
    FLAME_SUBTITLE,
    FLAME_THEME,
    FLAME_THREADS,
    FLAME_TID,
    FLAME_TITLE,
    FLAME_WIDTH,
    FLAME_OWN,
};

extern const char *const cli_flame_threads[];

/* Rows of option tables, the same in every command. */

#define FLAME_READ_OPTS                                                                            \
    {.id = FLAME_FROM,                                                                             \
     .name = "from",                                                                               \
     .arg = "KIND",                                                                                \
     .help = "what the input is; auto looks at its first line",                                    \
     .choices = tch_read_kinds},                                                                   \
        {.id = FLAME_PID, .name = "pid", .help = "the process in the first frame: comm-PID"},      \
        {.id = FLAME_TID, .name = "tid", .help = "the thread in the first frame: comm-PID/TID"},   \
        {.id = FLAME_ADDRS,                                                                        \
         .name = "addrs",                                                                          \
         .help = "addresses of frames whose symbol is not known"},                                 \
        {.id = FLAME_KERNEL, .name = "kernel", .help = "mark kernel functions with _[k]"},         \
        {.id = FLAME_JIT, .name = "jit", .help = "mark functions compiled at run time with _[j]"}, \
        {.id = FLAME_INLINE, .name = "inline", .help = "mark inlined functions with _[i]"},        \
        {.id = FLAME_ALL, .name = "all", .help = "all three marks"},                               \
        {.id = FLAME_SRCLINE,                                                                      \
         .name = "srcline",                                                                        \
         .help = "source lines in names, where there are any"},                                    \
        {.id = FLAME_EVENT,                                                                        \
         .name = "event-filter",                                                                   \
         .arg = "EVENT",                                                                           \
         .help = "count this event; else the first one in the input"},                             \
    {                                                                                              \
        .id = FLAME_COLLAPSE, .name = "collapse-recursion",                                        \
        .help = "a function that calls itself is one frame"                                        \
    }

#define FLAME_DRAW_OPTS                                                                           \
    {.id = FLAME_REVERSE, .name = "reverse", .help = "stacks leaf first: who calls what is hot"}, \
        {.id = FLAME_INVERTED, .name = "inverted", .help = "the root on top: an icicle graph"},   \
        {.id = FLAME_THREADS,                                                                     \
         .name = "threads",                                                                       \
         .arg = "HOW",                                                                            \
         .help = "merge the threads of a program, or split by thread",                            \
         .choices = cli_flame_threads},                                                           \
        {.id = FLAME_MIN_WIDTH,                                                                   \
         .name = "min-width",                                                                     \
         .arg = "PERCENT",                                                                        \
         .help = "leave out frames narrower than this share (0.01; of a tree 0.5)"},              \
        {.id = FLAME_WIDTH,                                                                       \
         .name = "width",                                                                         \
         .arg = "PX",                                                                             \
         .help = "width where no script runs; else as wide as its place (1200)"},                 \
        {.id = FLAME_TITLE, .name = "title", .arg = "TEXT", .help = "above the picture"},         \
        {.id = FLAME_SUBTITLE, .name = "subtitle", .arg = "TEXT", .help = "below the title"},     \
        {.id = FLAME_NOTES,                                                                       \
         .name = "notes",                                                                         \
         .arg = "TEXT",                                                                           \
         .help = "kept in the file, not shown"},                                                  \
        {.id = FLAME_COUNT_NAME,                                                                  \
         .name = "count-name",                                                                    \
         .arg = "TEXT",                                                                           \
         .help = "what is counted (samples)"},                                                    \
        {.id = FLAME_PALETTE,                                                                     \
         .name = "palette",                                                                       \
         .arg = "NAME",                                                                           \
         .help = "colours by name, library or language",                                          \
         .choices = tch_palettes},                                                                \
    {                                                                                             \
        .id = FLAME_THEME, .name = "theme", .arg = "NAME",                                        \
        .help = "auto follows the reader's system", .choices = tch_themes                         \
    }

#define FLAME_OUTPUT_OPT                                                      \
    {                                                                         \
        .id = FLAME_OUTPUT, .name = "output", .letter = 'o', .arg = "FILE",   \
        .help = "write there instead of to stdout", .complete = COMPLETE_FILE \
    }

/** Defaults; format may be NULL. */
void cli_flame_init(struct flame *f, struct args *args, const struct tch_format *format);
void cli_flame_release(struct flame *f);

/** Takes one of the options above; EXIT_OK, or EXIT_USAGE after a complaint. */
int cli_flame_take_opt(struct flame *f, const struct opt *opt);

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
