/*
 * A source of bytes of a trace: plain or gzip, a file or a pipe. Its first bytes are kept to detect
 * the format.
 */
#ifndef TCH_TRACE_SOURCE_H
#define TCH_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "kit/file/gzip.h"

enum { TCH_SOURCE_HEAD = 64 * 1024 };

/** State of a source. The caller may read the documented fields. */
struct tch_trace_source {
    const char *path; /**< borrowed from the caller */
    int fd;
    bool compressed;
    bool damaged;   /**< the gzip data is damaged; the bytes before are valid */
    bool bomb;      /**< reading failed: the gzip data is a bomb, see tch_zip_is_bomb() */
    uint64_t given; /**< bytes passed on, uncompressed */
    char *head;     /**< the start of the content, uncompressed */
    size_t head_len;
    size_t head_at; /* bytes of head that were passed on */
    bool lines;     /**< set by the caller: JSON lines are converted to one array */
    bool opened;    /* with lines: the array's bracket was passed on */
    char last;      /* with lines: the last byte passed on that is not a blank */
    char *raw;      /* bytes read to detect gzip */
    size_t raw_len, raw_at;
    struct tch_inflate *gunzip;
    void (*progress)(void *ctx, uint64_t bytes);
    void *progress_ctx;
};

/** Opens a file; "-" is the standard input. @return 0, TACHO_EIO, TACHO_ENOMEM; close in any
    case */
int tch_trace_source_open(struct tch_trace_source *s, const char *path, tacho_error *err);
void tch_trace_source_close(struct tch_trace_source *s);

/** Reads bytes. This is a tch_json_source; ctx is the struct. */
ssize_t tch_trace_source_read(void *ctx, char *buf, size_t size);

/** Reads a source line by line. Start with zeros and the source. */
struct tch_trace_source_lines {
    struct tch_trace_source *s;
    char *buf;
    size_t room, at, end; /* the unread part of buf is from `at` to `end` */
    uint64_t number;      /**< number of the last line, from 1 */
    uint64_t offset;      /**< offset of its first byte */
    uint64_t next;        /* offset of the line after it */
};

/** Reads the next line, without its line feed; it is valid until the next call. Returns 1, 0 at the
    end, or a negative code if reading failed or the line is longer than 16 MiB. */
int tch_trace_source_line(struct tch_trace_source_lines *l, const char **text, size_t *len,
                          tacho_error *err);
void tch_trace_source_lines_release(struct tch_trace_source_lines *l);

/** Returns whether the head has more than one line and each of them is a JSON object. */
bool tch_trace_source_is_lines(const struct tch_trace_source *s);

#endif
