/*
 * Finds what a viewer would drop, reject or show wrongly, and where.
 */
#ifndef TCH_TRACE_VALIDATE_H
#define TCH_TRACE_VALIDATE_H

#include "base/buf.h"
#include "trace_read.h"

enum tch_finding_kind {
    TCH_FOUND_UNSOUND, /**< the file is invalid from some byte on */
    TCH_FOUND_LINES,   /**< the file has JSON lines */
    TCH_FOUND_BAD,     /**< events without a required member */
    TCH_FOUND_IGNORED, /**< events with phases that viewers do not show */
    TCH_FOUND_IDS,     /**< pids or tids above 32 bits */
    TCH_FOUND_OVERLAP,
    TCH_FOUND_LONE_END,
    TCH_FOUND_NEGATIVE, /**< times before 0 */
    TCH_FOUND_FLOW_NOWHERE,
    TCH_FOUND_FLOW_AGAIN, /**< a flow begins with an id that has begun before */
    TCH_FOUND_FLOW_HALF,  /**< a flow without an end or without a beginning */
    TCH_FOUND_ASYNC_HALF,
    TCH_FOUND_COUNTER,    /**< a counter without a number */
    TCH_FOUND_UNFINISHED, /**< shown as unfinished; nothing is lost */
    TCH_FOUND_LARGE,      /**< times so large that viewers round them */
    TCH_FOUND_DROPPED,    /**< dropped by the recorder */
    TCH_FOUND_KINDS,
};

/** All findings of one kind. */
struct tch_finding {
    struct tch_trace_places places;
    char example[200]; /**< name and place of the first one */
};

struct tch_validation {
    struct tch_model model;
    struct tch_finding found[TCH_FOUND_KINDS];
    uint64_t events;
};

/** A short name ("overlap"), a description, whether something is lost, and whether --fix repairs
    it. */
struct tch_finding_text {
    const char *name;
    const char *what;
    bool lost;
    bool fixable;
};
const struct tch_finding_text *tch_finding_text(enum tch_finding_kind kind);

/** Checks a trace. @return 0 or a negative code; release v in any case */
int tch_validate(struct tch_validation *v, const char *path,
                 const struct tch_trace_read_options *options, tacho_error *err);
void tch_validation_release(struct tch_validation *v);

/** Returns whether a viewer would lose something. */
bool tch_validation_loses(const struct tch_validation *v);

#endif
