/*
 * What the place that text goes to can show, and the messages on stderr.
 */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"

enum {
    TERM_MIN_WIDTH = 20,
    TERM_MAX_WIDTH = 10000,
    TERM_TEXT_WIDTH = 80, /* of prose, where the place has no width of its own */
};

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

enum paint { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN };

struct term {
    size_t width; /**< columns; 0: no limit, as in a file or a pipe */
    bool is_tty;
    bool color;
    bool utf8; /**< else ASCII alone */
};

/**
 * Looks at the descriptor and at COLUMNS, NO_COLOR, TERM, LC_ALL, LC_CTYPE and LANG.
 *
 * @param width  what --width says, or 0
 */
void cli_term_init(struct term *term, int fd, enum when color, size_t width);

/** The width that prose is wrapped to. */
size_t cli_term_text_width(const struct term *term);

/** text in that colour, or plain where there are none. */
void cli_add_painted(struct tch_buf *b, const struct term *term, enum paint paint,
                     const char *text);

/** A painted label and prose, in lines that fit the terminal: those after the first are indented by
    the label's width. text is made safe to show. */
void cli_add_labelled(struct tch_buf *b, const struct term *term, enum paint paint,
                      const char *label, const char *text);

/**
 * "tacho: cannot read 'x': line 3: why" on stderr: the sentence, then what err says.
 * err may be NULL. Control characters, which file names may hold, come out as '?'.
 */
void cli_complain(const tacho_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Says how a command ended, by its wait status, which is not 0. Returns its exit status, or 128
   and the number of the signal. */
int cli_complain_of_status(const char *command, int status);

/** "tacho: warning: ..." on stderr. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** Writes b to stdout and releases it; EXIT_OK, or EXIT_WORK after a complaint. */
int cli_print(struct tch_buf *b);

/**
 * Flushes stdout at the end of a command. A reader that had enough, as in "tacho doctor | head -1",
 * is no failure and no news; a full disk is both.
 *
 * @return status, or EXIT_WORK after a complaint
 */
int cli_finish_out(int status);

#endif
