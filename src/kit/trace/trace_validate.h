/*
 * What a viewer would drop, refuse or show wrong of a trace, and where.
 */
#ifndef TCH_TRACE_VALIDATE_H
#define TCH_TRACE_VALIDATE_H

#include "base/buf.h"
#include "trace_read.h"

enum tch_finding_kind {
    TCH_FOUND_UNSOUND, /**< the file stops making sense */
    TCH_FOUND_LINES,   /**< JSON lines */
    TCH_FOUND_BAD,     /**< events that lack what they must have */
    TCH_FOUND_IGNORED, /**< of phases that nobody shows */
    TCH_FOUND_IDS,     /**< pids or tids past 32 bits */
    TCH_FOUND_OVERLAP,
    TCH_FOUND_LONE_END,
    TCH_FOUND_NEGATIVE, /**< times before 0 */
    TCH_FOUND_FLOW_NOWHERE,
    TCH_FOUND_FLOW_AGAIN, /**< a beginning with an id that has begun before */
    TCH_FOUND_FLOW_HALF,  /**< a beginning without an end, or the other way round */
    TCH_FOUND_ASYNC_HALF,
    TCH_FOUND_COUNTER,    /**< no number in it */
    TCH_FOUND_UNFINISHED, /**< shown as not finished; nothing is lost */
    TCH_FOUND_LARGE,      /**< times so large that viewers round them */
    TCH_FOUND_DROPPED,    /**< by the recorder */
    TCH_FOUND_KINDS,
};

/** All findings of a kind. */
struct tch_finding {
    struct tch_trace_places places;
    char example[200]; /**< of the first: what and where */
};

struct tch_validation {
    struct tch_model model;
    struct tch_finding found[TCH_FOUND_KINDS];
    uint64_t events;
};

/** A short name ("overlap"), what it means, whether something is lost by it, whether --fix mends
    it. */
struct tch_finding_text {
    const char *name;
    const char *what;
    bool lost;
    bool mended;
};
const struct tch_finding_text *tch_finding_text(enum tch_finding_kind kind);

/** @return 0 or a negative code; release in any case */
int tch_validate(struct tch_validation *v, const char *path,
                 const struct tch_trace_read_options *options, tacho_error *err);
void tch_validation_release(struct tch_validation *v);

/** Would a viewer lose something? */
bool tch_validation_loses(const struct tch_validation *v);

#endif
