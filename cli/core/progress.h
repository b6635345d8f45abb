/*
 * Shows the progress of a long task in one line on stderr. The line is drawn at most ten times a
 * second and erased at the end. Nothing is shown if stderr is not a terminal, or with --quiet.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "opt.h"

struct progress {
    const char *what; /**< "running", borrowed */
    const char *note; /**< shown at the end of the line if it fits, or NULL */
    uint64_t done;
    uint64_t total; /**< 0: unknown */
    double left_s;  /**< a better estimate of the remaining time than done/total gives; 0: none */
    uint64_t start_ns;
    uint64_t drawn_ns;
    bool on;
    struct term term;
};

/** Starts a progress line. p must not move until cli_progress_end(). */
void cli_progress_begin(struct progress *p, const struct args *args, const char *what,
                        uint64_t total);
void cli_progress_step(struct progress *p, uint64_t done);
void cli_progress_end(struct progress *p);

/** Erases the progress line, if any, before a message is printed. The next step draws it again. */
void cli_progress_hide(void);

/** Calls cli_progress_hide(), as the `hook` of struct tch_run_watch. */
void cli_progress_hook(void *ctx);

/** Adds the text of the line: "running  ████▌     45%  9/20  0:11 left". */
void cli_progress_line(struct tch_buf *b, const struct progress *p, uint64_t elapsed_ns);

#endif
