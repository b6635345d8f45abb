/*
 * The options of `tacho sweep`, converted to a plan.
 */
#ifndef CLI_SWEEP_OPTIONS_H
#define CLI_SWEEP_OPTIONS_H

#include "cli/run/run_options.h"
#include "kit/config/yaml.h"
#include "kit/sweep/sweep_loop.h"
#include "kit/sweep/sweep_results.h"

enum { SWEEP_KEPT = 256 };

struct sweep_options {
    struct tch_sweep_plan plan;
    struct tch_grid grid;
    struct run_options run; /**< everything but the command */
    size_t given_params;    /**< parameters of the grid given on the command line */
    struct tch_yaml yaml;   /**< the parsed file; options point into its texts */
    char *kept[SWEEP_KEPT]; /**< owned: texts made from the file */
    size_t kept_count;
    const char *command;        /**< the command as a line, from -c; or NULL */
    const char *file_line;      /**< the command as a line, from the file; or NULL */
    char **words;               /**< owned: the command as words, from the file; or NULL */
    char *lines[2];             /**< owned: the command's and the baseline's line, secrets masked */
    char **line_words[2];       /**< owned: words of the command's and the baseline's line */
    const char *by_shell[2][4]; /**< argv that runs the line in a shell, instead of words */
    char name[100];             /**< made from the program's, if none was given */
    struct tch_sweep_asked asked;
};

extern const struct opt cli_sweep_opts[];

/** Parses the command line and the file. Returns EXIT_OK, or the exit status after an error
   message. Call cli_sweep_options_release() even after a failure. */
int cli_sweep_options_parse(struct sweep_options *o, struct args *args);
void cli_sweep_options_release(struct sweep_options *o);

/** Applies the options of the file's section as if they had been typed. Returns EXIT_OK, or the
    exit status after an error message. */
int cli_sweep_file_read(struct sweep_options *o, struct args *args, const char *path, bool found);

/** Adds the table of the cells; if there are many, only the best ones. */
void cli_sweep_add_cells(struct tch_buf *b, const struct term *term, const struct tch_results *r);

/** Add the effects of the parameters, and how the cost grows, if these were computed. */
void cli_sweep_add_effects(struct tch_buf *b, const struct term *term, const struct tch_results *r);
void cli_sweep_add_growth(struct tch_buf *b, const struct term *term, const struct tch_results *r);

#endif
