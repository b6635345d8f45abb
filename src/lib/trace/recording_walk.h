/*
 * Visits the events of a recording in their order.
 */
#ifndef TCH_RECORDING_WALK_H
#define TCH_RECORDING_WALK_H

#include "recording_file.h"

enum tch_seen {
    TCH_SEEN_BEGIN,
    TCH_SEEN_END,        /**< end of a span whose begin was seen */
    TCH_SEEN_UNFINISHED, /**< a span that never ended; comes after all other events of its thread */
    TCH_SEEN_OTHER,      /**< an event of the kind `kind` */
};

/** One event. Its pointers are valid until the visitor returns. */
struct tch_seen_event {
    enum tch_seen seen;
    enum tch_rec_kind kind;
    uint64_t ns;          /**< CLOCK_MONOTONIC; for an unfinished span: its begin */
    uint64_t begin_ns;    /**< for an end: when the span began */
    uint64_t order;       /**< number of the record, which never falls within a lane */
    uint64_t begin_order; /**< for an end: that of the begin of the span */
    uint32_t ended_by; /**< for an end: 0, or the site of the surrounding span whose end ended it */
    uint32_t id;       /**< number of a site, text or thread, which exists */
    uint32_t lane;
    uint32_t thread;
    uint32_t tid;
    uint64_t pid; /**< that of the recording, unless it was converted from a trace of several
                     processes */
    const uint64_t *fixed;
    struct tch_rec_args args;     /**< for an end: the arguments of its begin */
    struct tch_rec_args end_args; /**< arguments of the end itself */
};

/** Receives one event after the other. A nonzero result stops the walk and becomes its result. */
typedef int tch_rec_visitor(void *ctx, const struct tch_seen_event *event);

/** Visits all events, lane by lane, within a lane in the order of recording. The first event of
    each thread is TCH_REC_THREAD.
    @return 0, TACHO_EIO, TACHO_ENOMEM, or the result of the visitor */
int tch_recording_walk(struct tch_recording *r, tch_rec_visitor *visit, void *ctx,
                       tacho_error *err);

/** Returns the ticks of the last record; 0 when there is none. */
int tch_recording_reach(struct tch_recording *r, uint64_t *ret, tacho_error *err);

#endif
