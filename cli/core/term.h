/*
 * Finds out what a terminal, file or pipe can display, and prints messages on stderr.
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
    TERM_TEXT_WIDTH = 80, /* width of prose if the destination has no width of its own */
};

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

enum paint { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN };

struct term {
    size_t width; /**< columns; 0: unlimited, as in a file or a pipe */
    bool is_tty;
    bool color;
    bool utf8; /**< false: ASCII only */
};

/**
 * Examines the descriptor and COLUMNS, NO_COLOR, TERM, LC_ALL, LC_CTYPE and LANG.
 *
 * @param width  the value of --width, or 0
 */
void cli_term_init(struct term *term, int fd, enum when color, size_t width);

/** Returns the width that prose is wrapped to. */
size_t cli_term_text_width(const struct term *term);

/** Adds text in a colour, or plain if the terminal has no colours. */
void cli_add_painted(struct tch_buf *b, const struct term *term, enum paint paint,
                     const char *text);

/** Adds a coloured label and prose, wrapped to the terminal. Lines after the first are indented by
    the label's width. text is made safe to display. */
void cli_add_labelled(struct tch_buf *b, const struct term *term, enum paint paint,
                      const char *label, const char *text);

/**
 * Prints "tacho: cannot read 'x': line 3: why" on stderr: the sentence, then the message of err,
 * which may be NULL. Control characters, which file names may contain, become '?'.
 */
void cli_complain(const tacho_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints the error that a command failed, by its wait status, which is not 0. Returns the
   command's exit status, or 128 plus the number of the signal. */
int cli_complain_of_status(const char *command, int status);

/** Prints "tacho: warning: ..." on stderr. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** Writes b to stdout and releases it. Returns EXIT_OK, or EXIT_WORK after an error message. */
int cli_print(struct tch_buf *b);

/**
 * Flushes stdout at the end of a command. A full disk is an error. A reader that closed the pipe,
 * as in "tacho doctor | head -1", is not.
 *
 * @return status, or EXIT_WORK after an error message
 */
int cli_finish_out(int status);

#endif
