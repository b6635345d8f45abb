/*
 * The readers of traces, one file a format; trace_model.c chooses.
 */
#ifndef TCH_TRACE_READERS_H
#define TCH_TRACE_READERS_H

#include <sys/types.h>

#include "base/gzip.h"
#include "trace_read.h"

/*
 * The bytes of a trace file: plain or gzip, a file or a pipe, with its first bytes kept to find out
 * the format.
 */

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
    uint64_t next;        /* ... of the one after it */
};

/** 1: a line, without its line feed, good until the next call; 0 at the end; a negative code when
    reading failed or the line is longer than 16 MiB. */
int tch_trace_source_line(struct tch_trace_source_lines *l, const char **text, size_t *len,
                          tacho_error *err);
void tch_trace_source_lines_release(struct tch_trace_source_lines *l);

/** Is the head more than one line of which each is a JSON object? */
bool tch_trace_source_is_lines(const struct tch_trace_source *s);

/*
 * Reading.
 */

struct tch_trace_reading {
    struct tch_model *m;
    struct tch_trace_read_options options;
    tch_ev_sink *sink;
    void *ctx;
    tacho_error *err;
};

/** Times past this, 73 years to either side, are not believed: sums of them must not overflow. */
#define TCH_TIME_MAX (INT64_C(1) << 61)

/** Returns TCH_EV_MISMATCHED when arguments, as JSON or as bytes of Perfetto, have that mark. */
static inline uint8_t tch_trace_args_flags(const void *args, size_t len)
{
    return memmem(args, len, TCH_MISMATCH, sizeof TCH_MISMATCH - 1) ? TCH_EV_MISMATCHED : 0;
}

/** Adds what the recorder reports of itself, by an instant of category "tacho", to the model:
   dropped records, invalid JSON, faults of the clock. args is a JSON object. */
void tch_trace_reading_note(struct tch_trace_reading *r, uint32_t name, uint32_t category,
                            const char *args, size_t len);

/** Counts the event and hands it on. */
static inline int tch_trace_reading_give(struct tch_trace_reading *r, const struct tch_ev *ev)
{
    if (ev->ts > TCH_TIME_MAX || ev->ts < -TCH_TIME_MAX || ev->dur > TCH_TIME_MAX) {
        tch_trace_places_add(&r->m->bad, ev->offset);
        return 0;
    }
    r->m->events++;
    r->m->mismatched += (ev->flags & TCH_EV_MISMATCHED) != 0;
    r->m->by_kind[ev->kind]++;
    return r->sink(r->ctx, ev);
}

/** Each returns 0, also when the file is damaged and that was noted in the model; a negative code;
    or what the sink returned. */
int tch_read_babeltrace(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_chrome(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_csv(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_stacks(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_perfetto(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_recording(struct tch_trace_reading *r, struct tch_trace_source *s);

/** Does the content look like that? */
bool tch_is_babeltrace(const struct tch_trace_source *s);
bool tch_is_stacks(const struct tch_trace_source *s);

#endif
