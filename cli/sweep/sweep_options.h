/*
 * The options of `tacho sweep`, made into a plan.
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
    struct run_options run; /**< what is around a run */
    size_t given_params;    /**< of the grid, on the command line */
    struct tch_yaml yaml;   /**< of the file, whose texts are used */
    char *kept[SWEEP_KEPT]; /**< owned: texts made from it */
    size_t kept_count;
    const char *command;   /**< the command as a line, by -c; or NULL */
    const char *file_line; /**< the command as a line of the file; or NULL */
    char **words;          /**< owned: the command as words of the file; or NULL */
    char *lines[2];        /**< owned: the command's and the baseline's line, secrets masked */
    char **line_words[2];  /**< owned: what the command's and the baseline's line were split into */
    const char *by_shell[2][4]; /**< or what runs them by a shell */
    char name[100];             /**< of the program, where none was given */
    struct tch_sweep_asked asked;
};

extern const struct opt cli_sweep_opts[];

/** EXIT_OK, or what to end with after a complaint; cli_sweep_options_release() in any case. */
int cli_sweep_options_parse(struct sweep_options *o, struct args *args);
void cli_sweep_options_release(struct sweep_options *o);

/** Takes all that the section says, as if it had been typed. EXIT_OK, or what to end with after a
    complaint. */
int cli_sweep_file_read(struct sweep_options *o, struct args *args, const char *path, bool found);

/** The table of the cells; of many, those that are best. */
void cli_sweep_add_cells(struct tch_buf *b, const struct term *term, const struct tch_results *r);

/** How the cost grows; nothing where that was not fitted. */
void cli_sweep_add_effects(struct tch_buf *b, const struct term *term, const struct tch_results *r);
void cli_sweep_add_growth(struct tch_buf *b, const struct term *term, const struct tch_results *r);

#endif
