/*
 * Reads a recording that is finished, was left by a killed process, or is still being written.
 *
 *     tch_recording_open(&r, path, &err);
 *     tch_recording_walk(&r, visit, ctx, &err);     visit() gets one event after the other
 *     tch_recording_close(&r);
 *
 * Nothing in the file is trusted. Memory is bounded by the names, the list of chunks and the spans
 * that are open at one time.
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

/** The name and category of a site, or the bytes of a text. They may contain any bytes. */
struct tch_rec_name {
    const char *name;
    const char *category;
    uint32_t name_len;
    uint32_t category_len;
    /** For a site whose begins carry values: key and type of each, 4 bytes both. */
    const char *args;
    uint32_t arg_count; /**< at most TACHO_ARGS_MAX */
};

struct tch_rec_names {
    struct tch_rec_name *list; /**< indexed by number; .name is NULL for an unused number */
    uint32_t count;
};

struct tch_rec_ref {
    uint32_t lane;
    uint32_t type;
    uint64_t base;
    uint64_t slot;
};

/** An open recording. Callers may read the fields. */
struct tch_recording {
    const char *path; /**< borrowed from the caller */
    int fd;
    uint64_t size;
    struct tch_rec_header head; /**< its texts are terminated by NUL */
    struct tch_clock clock;
    bool clock_from_reader; /**< its second pair was taken by the reader, so two readings may differ
                               a little */
    uint64_t until; /**< ticks: later records are not read, because their names are not known yet */
    struct tch_rec_ref *chunks; /**< chunks of records, by lane and time */
    size_t chunk_count;
    struct tch_rec_names sites;
    struct tch_rec_names texts;
    struct tch_buf bytes; /**< bytes of all names */
    uint64_t *words;      /**< the chunk that was read last */
    bool outer_first; /**< set by the caller: of spans that begin and end together, the walk visits
                         the end of the outer one first */

    /* Counts of the last walk. */
    uint64_t records;      /**< records read */
    uint64_t spans;        /**< spans with both ends */
    uint64_t unfinished;   /**< spans without an end */
    uint64_t lost_ends;    /**< ends whose begin was dropped */
    uint64_t lost_begins;  /**< spans whose end was dropped; they end where the gap begins */
    uint64_t mismatched;   /**< spans closed by the end of a span around them */
    uint64_t invalid_json; /**< arguments marked as JSON that are not; counted when converted to
                              events */
    uint64_t damaged;      /**< records that are not valid */
    uint32_t threads;
};

/** Opens a recording.
    @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EPARSE when it is not a recording or has another
    version or byte order */
int tch_recording_open(struct tch_recording *r, const char *path, tacho_error *err);

/** Does what tch_recording_open() does, from a descriptor, which r closes later. `path` is used
    in messages. */
int tch_recording_open_fd(struct tch_recording *r, int fd, const char *path, tacho_error *err);

/** Releases the recording. A second call does nothing. */
void tch_recording_close(struct tch_recording *r);

/** Arguments as words of the record; tch_rec_next_arg() reads them. */
struct tch_rec_args {
    const uint64_t *words;
    unsigned count;
};

/** Return the names of a site, and a text. */
static inline const struct tch_rec_name *tch_rec_site(const struct tch_recording *r, uint32_t id)
{
    return &r->sites.list[id];
}

static inline const struct tch_rec_name *tch_rec_text(const struct tch_recording *r, uint32_t id)
{
    return &r->texts.list[id];
}

/* From recording_file.c, for recording_walk.c. */

/** Reads a chunk, including its header, into r->words. Returns 1, 0 when it does not exist any
    more, or a negative code. */
int tch_recording_load(struct tch_recording *r, const struct tch_rec_ref *ref, tacho_error *err);

#endif
