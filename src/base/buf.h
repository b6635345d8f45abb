/*
 * A text buffer that grows up to a limit. Failure is sticky: write everything, then test `failed`
 * once.
 */
#ifndef TCH_BUF_H
#define TCH_BUF_H

#include <stdbool.h>
#include <stddef.h>

/** Read the fields, but write through the functions. After a failure nothing more is added. */
struct tch_buf {
    char *data; /**< never NULL, always terminated by a NUL that len does not count */
    size_t len;
    size_t cap;   /**< bytes at data, the NUL included; 0 while data is a constant */
    size_t limit; /**< limit of len */
    bool owned;   /**< data is from malloc */
    bool failed;  /**< something did not fit, or memory ran out */
    bool comma;   /**< state of json_write.h: the next key or value needs a comma before it */
    struct tch_buf *whole; /**< or NULL; fails when this buffer fails */
};

void tch_buf_init(struct tch_buf *b, size_t limit);

/**
 * Starts on the caller's memory (size >= 1), which must outlive b. Moves to the heap when that is
 * full.
 */
void tch_buf_init_on(struct tch_buf *b, char *mem, size_t size, size_t limit);

/** Initialises a buffer for a piece of text that the caller adds to `whole`, and that has the same
    limit. If the piece fails, `whole` fails, so it cannot be printed without the piece. Release the
    piece before `whole`. */
void tch_buf_init_part(struct tch_buf *part, struct tch_buf *whole);

/** Frees the memory. Afterwards b may be initialised again; a second release does nothing. */
void tch_buf_release(struct tch_buf *b);

/** Empties b and clears `failed`, but not that of its `whole`. Keeps the memory. */
void tch_buf_clear(struct tch_buf *b);

/** Returns room for n more bytes, or NULL, and then b has failed. Write at most n bytes there and
    call tch_buf_grew() with how many. */
char *tch_buf_room(struct tch_buf *b, size_t n);
void tch_buf_grew(struct tch_buf *b, size_t n);

void tch_buf_add(struct tch_buf *b, const void *data, size_t n);
void tch_buf_addc(struct tch_buf *b, char c);
void tch_buf_adds(struct tch_buf *b, const char *text);
void tch_buf_addf(struct tch_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Returns the text, which the caller frees, or NULL when b failed. Empties b. */
char *tch_buf_take(struct tch_buf *b);

#endif
