/*
 * The readers of traces, one file per format. trace_read.c chooses one.
 */
#ifndef TCH_TRACE_READERS_H
#define TCH_TRACE_READERS_H

#include <sys/types.h>

#include "base/gzip.h"
#include "trace_read.h"

/*
 * A source of bytes of a trace: plain or gzip, a file or a pipe. Its first bytes are kept to detect
 * the format.
 */

enum { TCH_SOURCE_HEAD = 64 * 1024 };

/** State of a source. The caller may read the documented fields. */
struct tch_trace_source {
    const char *path; /**< borrowed from the caller */
    int fd;
    bool compressed;
    bool damaged;   /**< the gzip data is damaged; the bytes before are valid */
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

/* State that all readers share. */

struct tch_trace_reading {
    struct tch_model *m;
    struct tch_trace_read_options options;
    tch_ev_sink *sink;
    void *ctx;
    tacho_error *err;
};

/** Limit of times, 73 years to either side, so that sums cannot overflow. Times beyond it are
    treated as errors. */
#define TCH_TIME_MAX (INT64_C(1) << 61)

/** Returns TCH_EV_MISMATCHED if the arguments, as JSON or as bytes of Perfetto, have that mark. */
static inline uint8_t tch_trace_args_flags(const void *args, size_t len)
{
    return memmem(args, len, TCH_MISMATCH, sizeof TCH_MISMATCH - 1) ? TCH_EV_MISMATCHED : 0;
}

/** Adds what the recorder reports about itself, by an instant of category "tacho", to the model:
    dropped records, invalid JSON, clock faults. args is a JSON object. */
void tch_trace_reading_note(struct tch_trace_reading *r, uint32_t name, uint32_t category,
                            const char *args, size_t len);

/** Counts the event and passes it to the sink. */
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

/** Each reader returns 0, even for a damaged file, which it notes in the model; a negative code; or
    the result of the sink. */
int tch_read_babeltrace(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_chrome(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_csv(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_stacks(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_perfetto(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_recording(struct tch_trace_reading *r, struct tch_trace_source *s);

/** Return whether the content looks like this format. */
bool tch_is_babeltrace(const struct tch_trace_source *s);
bool tch_is_stacks(const struct tch_trace_source *s);

#endif
