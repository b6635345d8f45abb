/*
 * Reading a recording: finished, left by a killed process, or still being written.
 *
 *     tch_recording_open(&r, path, &err);
 *     tch_recording_walk(&r, visit, ctx, &err);     visit() gets one event after the other
 *     tch_recording_close(&r);
 *
 * Nothing in the file is trusted. Memory is bounded by the names, the list of chunks and the spans
 * open at a time.
 */
#ifndef TCH_RECORDING_FILE_H
#define TCH_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/clock.h"
#include "recording_format.h"

/** Both texts of a site, or the one of a text. Any bytes. */
struct tch_rec_name {
    const char *name;
    const char *category;
    uint32_t name_len;
    uint32_t category_len;
    const char
        *args; /**< of a site whose begins carry values: key and type of each, 4 bytes both */
    uint32_t arg_count; /**< at most TACHO_ARGS_MAX */
};

struct tch_rec_names {
    struct tch_rec_name *list; /**< by number; .name is NULL where there is none */
    uint32_t count;
};

struct tch_rec_ref {
    uint32_t lane;
    uint32_t type;
    uint64_t base;
    uint64_t slot;
};

/** Read the fields. */
struct tch_recording {
    const char *path; /**< the caller's */
    int fd;
    uint64_t size;
    struct tch_rec_header head; /**< texts end with a NUL */
    struct tch_clock clock;
    bool
        clock_from_reader; /**< its second pair is the reader's: two readings may differ a little */
    uint64_t until; /**< ticks: records later than the opening are not read, their names are not
                         known yet */
    struct tch_rec_ref *chunks; /**< of records, by lane and time */
    size_t chunk_count;
    struct tch_rec_names sites;
    struct tch_rec_names texts;
    struct tch_buf bytes; /**< of all names */
    uint64_t *words;      /**< of one chunk */

    /* What the last walk found. */
    uint64_t records;      /**< read */
    uint64_t spans;        /**< with both ends */
    uint64_t unfinished;   /**< spans without an end */
    uint64_t lost_ends;    /**< ends whose begin was dropped */
    uint64_t lost_begins;  /**< spans whose end was dropped; they end where the gap begins */
    uint64_t mismatched;   /**< spans that ended by the end of a span around them */
    uint64_t invalid_json; /**< arguments that claim to be JSON; counted when made into events */
    uint64_t damaged;      /**< records that make no sense */
    uint32_t threads;
};

/** @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EPARSE when it is no recording or of another version
            or byte order */
int tch_recording_open(struct tch_recording *r, const char *path, tacho_error *err);

/** Like tch_recording_open(), from a descriptor, which it takes over. `path` is for messages. */
int tch_recording_open_fd(struct tch_recording *r, int fd, const char *path, tacho_error *err);

/** Does nothing the second time. */
void tch_recording_close(struct tch_recording *r);

/** Arguments as words of the record; see tch_rec_next_arg(). */
struct tch_rec_args {
    const uint64_t *words;
    unsigned count;
};

enum tch_seen {
    TCH_SEEN_BEGIN,
    TCH_SEEN_END,        /**< of a span whose begin was seen */
    TCH_SEEN_UNFINISHED, /**< a span was never ended; comes after all others of its thread */
    TCH_SEEN_OTHER,      /**< what `kind` says */
};

/** One event. Points into memory that is good until the visitor returns. */
struct tch_seen_event {
    enum tch_seen seen;
    enum tch_rec_kind kind;
    uint64_t ns;       /**< CLOCK_MONOTONIC; of what is unfinished: where it began */
    uint64_t begin_ns; /**< of an end */
    uint32_t ended_by; /**< of an end: 0, or the site of the span around it whose end ended it */
    uint32_t id;       /**< site, text or thread; exists */
    uint32_t lane;
    uint32_t thread;
    uint32_t tid;
    uint64_t pid; /**< the recording's own, but for what was converted from a trace of several */
    const uint64_t *fixed;
    struct tch_rec_args args;     /**< of an end: those of its begin */
    struct tch_rec_args end_args; /**< of an end only */
};

/** Nonzero stops the walk and becomes its result. */
typedef int tch_rec_visitor(void *ctx, const struct tch_seen_event *event);

/** Lane by lane; in a lane as recorded. Each thread begins with TCH_REC_THREAD.
    @return 0, TACHO_EIO, TACHO_ENOMEM, or what the visitor returned */
int tch_recording_walk(struct tch_recording *r, tch_rec_visitor *visit, void *ctx,
                       tacho_error *err);

/** A key and a value. */
struct tch_rec_arg {
    const struct tch_rec_name *key;
    unsigned type; /**< enum tacho_field_type */
    uint64_t bits; /**< of a number */
    const char *text;
    size_t len;
};

/** Is the truth value true? It is the first byte of its word. */
static inline bool tch_rec_arg_yes(const struct tch_rec_arg *arg)
{
    return *(const unsigned char *)&arg->bits != 0;
}

/** Takes the first of args off; false when there is none. */
bool tch_rec_next_arg(const struct tch_recording *r, struct tch_rec_args *args,
                      struct tch_rec_arg *ret);

/** Adds the value as JSON. A value of type TACHO_FIELD_JSON must be valid. */
void tch_json_arg(struct tch_buf *b, const struct tch_rec_arg *arg);

/** The site's name; the text. */
static inline const struct tch_rec_name *tch_rec_site(const struct tch_recording *r, uint32_t id)
{
    return &r->sites.list[id];
}

static inline const struct tch_rec_name *tch_rec_text(const struct tch_recording *r, uint32_t id)
{
    return &r->texts.list[id];
}

/* What recording_file.c gives recording_walk.c. */

/** Gets a chunk into r->words (header and all). 1, 0 when it is not there any more, or a code. */
int tch_recording_load(struct tch_recording *r, const struct tch_rec_ref *ref, tacho_error *err);

/* What recording_walk.c gives recording_file.c. */

/** The ticks of the last record; 0 when there is none. */
int tch_recording_reach(struct tch_recording *r, uint64_t *ret, tacho_error *err);

#endif
