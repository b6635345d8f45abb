/*
 * Writes the Chrome trace format: a JSON array of events.
 *
 *     tch_chrome_init(&c, &model, &out, ",\n");
 *     tch_chrome_add(&c, &ev);  ...
 *     tch_chrome_names(&c);              before the events, between or after them
 *     tch_chrome_release(&c);
 *
 * The caller writes the brackets of the array.
 */
#ifndef TCH_CHROME_WRITER_H
#define TCH_CHROME_WRITER_H

#include "base/sink.h"
#include "trace_model.h"

/* The constant start of all spans of a name. It is made when the name is first used. */
struct tch_chrome_prefix {
    char *text;
    size_t len;
    uint32_t category;
};

struct tch_chrome {
    struct tch_model *m; /**< lanes get tracks in it */
    struct tch_sink *out;
    const char *between; /* separator of two events */
    size_t between_len;
    bool any;                           /* an event was written */
    struct tch_chrome_prefix *prefixes; /* indexed by name */
    size_t prefix_room;
    struct tch_buf text; /* the event that is being made */
    uint32_t track;      /* 1 + the track that `ids` is for; 0: none */
    char ids[64];        /* ,"pid":1,"tid":2 of the track */
    size_t ids_len;

    /* The last span, to find spans with the same times. */
    int64_t last_ts, last_dur;
    uint32_t last_track; /* 1 + its track; 0: none */
    uint32_t ordered;    /* 1 + the last track whose order of equal spans was written; 0: none */
};

/** Prepares a writer. It cannot fail. The arguments must outlive c. Failures of later calls are
    in out->status. */
void tch_chrome_init(struct tch_chrome *c, struct tch_model *m, struct tch_sink *out,
                     const char *between);
void tch_chrome_release(struct tch_chrome *c);

/** Writes an event. It can be used as a tch_ev_sink; ctx is a struct tch_chrome *.
    @return the status */
int tch_chrome_add(void *ctx, const struct tch_ev *ev);

/** Writes the names, labels and sort orders of all processes and tracks.
    @return the status */
int tch_chrome_names(struct tch_chrome *c);

/** Writes the name and the sort order of one track. @return the status */
int tch_chrome_name_track(struct tch_chrome *c, uint32_t track);

#endif
