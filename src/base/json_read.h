/*
 * Reads JSON, strictly by RFC 8259, without building a tree.
 *
 * A reader walks one document by pulling values out of it:
 *
 *     tch_json_open(&r, text, len, &err);
 *     if (tch_json_read(&r, &value) < 0 || value.type != TCH_JSON_OBJECT) ...
 *     while ((more = tch_json_member(&r, &key)) > 0) {
 *         if (tch_json_is(&key, "event"))
 *             status = tch_json_read(&r, &value);
 *         else
 *             status = tch_json_skip(&r);
 *         ...
 *     }
 *     status = tch_json_finish(&r);
 *
 * Every byte is validated, also of what is skipped: grammar, numbers, escapes, UTF-8, and the
 * depth of nesting. A failure is sticky; it fills the tacho_error given at the start with line,
 * column (in bytes) and offset. The text of a value points into the document; nothing is copied.
 *
 * From memory there is nothing to release. From a stream (tch_json_open_stream) the document
 * passes through a window: a value's text is valid until the next call, and memory is bounded
 * by the window however long the document is. TCH_JSON_SPARE bytes after the window may be read,
 * though they hold nothing.
 */
#ifndef TCH_JSON_READ_H
#define TCH_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "buf.h"
#include "json_scan.h"

enum {
    TCH_JSON_DEPTH = 127,         /**< nesting that is accepted unless max_depth is set */
    TCH_JSON_DEPTH_MAX = 1024,    /**< the largest max_depth */
    TCH_JSON_WINDOW = 256 * 1024, /**< the initial window of a stream */
    TCH_JSON_SPARE = 16,
};

enum tch_json_type {
    TCH_JSON_NULL,
    TCH_JSON_FALSE,
    TCH_JSON_TRUE,
    TCH_JSON_NUMBER,
    TCH_JSON_STRING,
    TCH_JSON_ARRAY,
    TCH_JSON_OBJECT,
};

/** A value or a key, as it is written in the document. */
struct tch_json_value {
    enum tch_json_type type;
    bool escaped;     /**< a string that has escapes: see tch_json_unescape() */
    const char *text; /**< between the quotes; a number as written; else undefined */
    size_t len;
};

/** Reads like read(2): returns the bytes written to buf, 0 at the end, -1 with errno. */
typedef ssize_t tch_json_source(void *ctx, char *buf, size_t size);

/** Use the functions. max_depth and finite (false) may be set between opening and the first call.
 */
struct tch_json_reader {
    tacho_error *err;
    int status; /* 0, or the code of the failure that stopped the reader */
    unsigned max_depth;
    bool finite; /* a number that no double can hold, such as 1e999, is an error */

    /* The document, or the window on it: data ... end, of which data ... scanned is marked. */
    const char *data;
    const char *end;
    const char *scanned;
    const char *hold;    /* a stream keeps the window's bytes from here on; NULL: keeps none */
    const char *checked; /* UTF-8 has been checked up to here */

    /* Marks not yet taken: offsets from batch. */
    const char *batch;
    const uint16_t *next;
    const uint16_t *last;

    unsigned depth;
    bool fresh; /* a container was entered, and nothing in it has been read yet */
    struct tch_json_scan scan;
    tch_json_scan_fn *scanner;

    tch_json_source *source; /* NULL: the document is in memory */
    void *ctx;
    bool ended; /* the source has no more data */
    size_t size;
    size_t limit;
    uint64_t before;     /* bytes of the document before data */
    uint64_t lines;      /* number of line feeds in these bytes */
    uint64_t line_start; /* offset after the last of these line feeds */

    char closing[TCH_JSON_DEPTH_MAX + 1]; /* per level: the bracket that closes it */
    uint16_t marks[TCH_JSON_MARKS];
};

/** Starts on a document in memory, which must outlive the reading. data may be NULL when len is 0.
    Opening is cheap enough for one reader per line. */
void tch_json_open(struct tch_json_reader *r, const char *data, size_t len, tacho_error *err);

/**
 * Starts on a document that `source` returns piece by piece. Call tch_json_close() afterwards.
 *
 * @param limit  bytes that one string, number or raw value may have; the window grows to that
 * @return 0, or TACHO_ENOMEM
 */
int tch_json_open_stream(struct tch_json_reader *r, tch_json_source *source, void *ctx,
                         size_t limit, tacho_error *err);
void tch_json_close(struct tch_json_reader *r);

/** Each of these functions returns a negative code on failure, and from then on always the same
    one. */

/** Reads the next value. Enters an array or object; continue with tch_json_element() or
    _member(). */
int tch_json_read(struct tch_json_reader *r, struct tch_json_value *ret);

/** Returns 1 for a member, with its key in *key; read or skip its value next. Returns 0 at the end
    of the object. */
int tch_json_member(struct tch_json_reader *r, struct tch_json_value *key);

/** Returns 1 for an element; read or skip it next. Returns 0 at the end of the array. */
int tch_json_element(struct tch_json_reader *r);

/** Skips the next value. */
int tch_json_skip(struct tch_json_reader *r);

/** Skips the next value and returns its type and its whole text, quotes included. */
int tch_json_read_raw(struct tch_json_reader *r, struct tch_json_value *ret);

/** Skips the rest of the array or object that was entered last. */
int tch_json_leave(struct tch_json_reader *r);

/** Returns 0 when only blanks are left. */
int tch_json_finish(struct tch_json_reader *r);

/** Returns 0 when data is one valid document. */
int tch_json_check(const char *data, size_t len, tacho_error *err);

/** Returns the offset in the document at which a value's text starts. */
uint64_t tch_json_offset(const struct tch_json_reader *r, const struct tch_json_value *value);

/** Returns whether a string or key, unescaped, equals text. */
bool tch_json_is(const struct tch_json_value *string, const char *text);

/** Adds the string, unescaped, to b. */
void tch_json_unescape(const struct tch_json_value *string, struct tch_buf *b);

/** A number: u64 when it is a whole number that fits, i64 when it is a negative one that fits, else
    f64, correctly rounded. "-0" is an f64, because integers have no negative zero. */
struct tch_json_number {
    enum { TCH_JSON_U64, TCH_JSON_I64, TCH_JSON_F64 } kind;
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
    } as;
};

/** Converts a value, which must be a TCH_JSON_NUMBER. */
struct tch_json_number tch_json_to_number(const struct tch_json_value *number);

/** Converts a number to a double, whatever its kind. */
double tch_json_to_f64(const struct tch_json_value *number);

/** Finds the first member of that name in an object, as tch_json_read_raw() returns it. Does not
    check what follows it. Returns false when there is no such member, or json is not an object. */
bool tch_json_find(const char *json, size_t len, const char *key, struct tch_json_value *ret);

/* The functions of json_stream.c that json_read.c uses. */

/**
 * Reads more of the document into the window; all marks must have been taken. Keeps the text that
 * is not marked yet and the text after r->hold and *moved (NULL: nothing), and updates both.
 *
 * @return false at the end of the document and on failure (then r->status is set)
 */
bool tch_json_refill(struct tch_json_reader *r, const char **moved);

/** Returns how many bytes of a stream may be marked now, after a refill where needed. 0 at the
    end. */
size_t tch_json_usable_stream(struct tch_json_reader *r);

/** Fills in line, column and offset of `at`, which is in the window. */
void tch_json_locate(const struct tch_json_reader *r, const char *at, tacho_error *err);

#endif
