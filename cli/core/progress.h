/*
 * How far a long work is: one line on stderr, drawn at most ten times a second, erased at the end.
 * Nothing at all where stderr is no terminal, or with --quiet.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "opt.h"

struct progress {
    const char *what; /**< "running", borrowed */
    const char *note; /**< told at the end of the line where it fits; or NULL */
    uint64_t done;
    uint64_t total; /**< 0: not known */
    double left_s;  /**< time left, where somebody knows better than by what is done; 0: nobody */
    uint64_t start_ns;
    uint64_t drawn_ns;
    bool on;
    struct term term;
};

/** p must stay where it is until cli_progress_end(). */
void cli_progress_begin(struct progress *p, const struct args *args, const char *what,
                        uint64_t total);
void cli_progress_step(struct progress *p, uint64_t done);
void cli_progress_end(struct progress *p);

/** Erases the line that is on the terminal, if any; the next step draws it again. For messages. */
void cli_progress_hide(void);

/** The line itself: "running  ████▌     45%  9/20  0:11 left". */
void cli_progress_line(struct tch_buf *b, const struct progress *p, uint64_t elapsed_ns);

#endif
