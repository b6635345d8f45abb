/*
 * Text that grows up to a limit. Failure is sticky: write it all, test `failed` once.
 */
#ifndef TCH_BUF_H
#define TCH_BUF_H

#include <stdbool.h>
#include <stddef.h>

/** Read the fields; write through the functions. After a failure nothing is added any more. */
struct tch_buf {
    char *data; /**< never NULL, always terminated by a NUL that len does not count */
    size_t len;
    size_t cap;   /**< bytes at data, the NUL included; 0 while data is a constant */
    size_t limit; /**< len never passes it */
    bool owned;   /**< data is from malloc */
    bool failed;  /**< something did not fit, or memory ran out */
    bool comma;   /**< of an empty text: the first key or value of JSON needs a comma before it */
};

void tch_buf_init(struct tch_buf *b, size_t limit);

/** Starts on the caller's memory (size >= 1), which must outlive b; goes to the heap when that is
 * full. */
void tch_buf_init_on(struct tch_buf *b, char *mem, size_t size, size_t limit);

/** b can be released again, or initialised again. */
void tch_buf_release(struct tch_buf *b);

/** Empty and not failed; the memory stays. */
void tch_buf_clear(struct tch_buf *b);

/** Room for n more bytes, or NULL and failed. Write at most n there, then say how many with
    tch_buf_grew(). */
char *tch_buf_room(struct tch_buf *b, size_t n);
void tch_buf_grew(struct tch_buf *b, size_t n);

void tch_buf_add(struct tch_buf *b, const void *data, size_t n);
void tch_buf_addc(struct tch_buf *b, char c);
void tch_buf_adds(struct tch_buf *b, const char *text);
void tch_buf_addf(struct tch_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** The text, which the caller frees, or NULL when b failed; b is empty afterwards. */
char *tch_buf_take(struct tch_buf *b);

#endif
