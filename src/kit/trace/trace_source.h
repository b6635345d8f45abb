/*
 * The bytes of a trace file: plain or gzip, a file or a pipe, with a look at how it starts.
 */
#ifndef TCH_TRACE_SOURCE_H
#define TCH_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "base/gzip.h"

enum { TCH_SOURCE_HEAD = 64 * 1024 };

/** Read the fields. */
struct tch_trace_source {
    const char *path; /**< the caller's */
    int fd;
    bool compressed;
    bool damaged;   /**< the gzip data is; what came before is good */
    uint64_t given; /**< bytes, uncompressed */
    char *head;     /**< how the content starts, uncompressed */
    size_t head_len;
    size_t head_at; /* of it have been given */
    bool lines;     /**< set by the caller: JSON lines are to come as one array */
    bool opened;    /* of those: its bracket has been given */
    char last;      /* ... and the last byte given that is no blank */
    char *raw;      /* what was read to see whether it is gzip */
    size_t raw_len, raw_at;
    struct tch_inflate *gunzip;
    void (*progress)(void *ctx, uint64_t bytes);
    void *progress_ctx;
};

/** "-" is the standard input. @return 0, TACHO_EIO, TACHO_ENOMEM; close in any case */
int tch_trace_source_open(struct tch_trace_source *s, const char *path, tacho_error *err);
void tch_trace_source_close(struct tch_trace_source *s);

/** A tch_json_source; ctx is the struct. */
ssize_t tch_trace_source_read(void *ctx, char *buf, size_t size);

/** The lines of a source, one at a time. Zeros but for the source to begin with. */
struct tch_trace_source_lines {
    struct tch_trace_source *s;
    char *buf;
    size_t room, at, end; /* of buf: what is not given yet */
    uint64_t number;      /**< of the line given last, from 1 */
    uint64_t offset;      /**< of its first byte */
    uint64_t next;        /* ... of the one behind */
};

/** 1: a line, without its line feed, good until the next call; 0 at the end; a negative code when
    reading failed or the line is longer than 16 MiB. */
int tch_trace_source_line(struct tch_trace_source_lines *l, const char **text, size_t *len,
                          tacho_error *err);
void tch_trace_source_lines_release(struct tch_trace_source_lines *l);

/** Is the head more than one line of which each is a JSON object? */
bool tch_trace_source_is_lines(const struct tch_trace_source *s);

#endif
