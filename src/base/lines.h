/*
 * Lines of a file or of memory, one at a time, in bounded memory whatever the input's size.
 *
 *     tch_lines_init_fd(&lines, fd, path, 0);
 *     while ((more = tch_lines_next(&lines, &line, err)) > 0)
 *         ...
 *     tch_lines_release(&lines);
 *
 * A line ends with LF or with the input; a CR before the LF stays part of it. Lines may contain any
 * byte.
 */
#ifndef TCH_LINES_H
#define TCH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

/** Reads up to len bytes into data. Returns how many, 0 at the end, or a negative status code with
    err filled. */
typedef ssize_t tch_lines_source(void *ctx, void *data, size_t len, tacho_error *err);

enum {
    TCH_LINES_BUFFER = 256 * 1024,       /* the initial buffer of a descriptor */
    TCH_LINES_LONGEST = 16 * 1024 * 1024 /* the longest line when none is stated */
};

struct tch_line {
    const char *text; /**< not terminated; valid until the next call; NULL when too long */
    size_t len;       /**< length without the LF, also of a line that is too long */
    uint64_t number;  /**< from 1 */
    uint64_t offset;  /**< offset of its first byte in the input */
    bool ended;       /**< the line ends with an LF; only the last line may lack it */
    bool too_long;    /**< longer than the longest allowed: skipped, and reading continues */
};

/** Private to lines.c. */
struct tch_lines {
    tch_lines_source *source; /* NULL: memory */
    void *ctx;
    int fd; /* used by the source that reads a descriptor */
    const char *name;
    size_t longest;
    char *buffer;     /* has `size` bytes; NULL for memory */
    const char *data; /* the buffer, or the caller's memory */
    size_t size;
    size_t start;    /* where the next line starts in data */
    size_t end;      /* where the content of data ends */
    size_t searched; /* bytes from start that hold no LF */
    size_t passed;   /* bytes of a line that is too long, discarded before start */
    uint64_t offset; /* offset of the next line in the input */
    uint64_t number; /* number of the line returned last */
    bool at_end;     /* no data follows `end` */
};

/** Reads from the current offset of fd. fd and name (for errors) are borrowed until the release.
    longest: bytes of the longest line, 0 for TCH_LINES_LONGEST. */
void tch_lines_init_fd(struct tch_lines *lines, int fd, const char *name, size_t longest);

/** Reads from a source, such as part of a file. ctx and name are borrowed until the release. */
void tch_lines_init_source(struct tch_lines *lines, tch_lines_source *source, void *ctx,
                           const char *name, size_t longest);

/** Reads from memory, which is borrowed until the release. Lines point into it. */
void tch_lines_init_mem(struct tch_lines *lines, const char *data, size_t len, size_t longest);

/**
 * Reads the next line.
 *
 * @return 1; 0 at the end, with *ret unchanged; TACHO_EIO when reading fails, TACHO_ENOMEM. After
 * an error the next call tries again.
 */
int tch_lines_next(struct tch_lines *lines, struct tch_line *ret, tacho_error *err);

/** Returns the line that tch_lines_next() will return, with the same codes. A line that is too long
    is not seen twice. */
int tch_lines_peek(struct tch_lines *lines, struct tch_line *ret, tacho_error *err);

/** Returns the buffered part of the lines to come: *len bytes, possibly 0, possibly with part of a
    line at the end. For callers that have a faster parser for lines of one kind. */
const char *tch_lines_held(const struct tch_lines *lines, size_t *len);

/** Skips the first `len` bytes of those, which are `count` whole lines. */
void tch_lines_pass(struct tch_lines *lines, size_t len, uint64_t count);

void tch_lines_release(struct tch_lines *lines);

#endif
