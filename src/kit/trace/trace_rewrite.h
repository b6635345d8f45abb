/*
 * A trace into another file: all of it, or a part, in any format that is written.
 */
#ifndef TCH_TRACE_REWRITE_H
#define TCH_TRACE_REWRITE_H

#include "trace_load.h"
#include "trace_write.h"

/** What of a trace is kept. Times are nanoseconds from its first event. */
struct tch_rewrite_part {
    int64_t from, to;  /**< INT64_MIN, INT64_MAX: all */
    bool whole;        /**< spans that reach over an edge are kept whole, not cut there */
    const char *name;  /**< a pattern as of the shell, or NULL */
    const char *track; /**< ... of a track's name, "process / thread"; or a tid; or NULL */
};

/** Read the fields. */
struct tch_rewritten {
    struct tch_model model; /**< of what was read */
    uint64_t read;          /**< events */
    uint64_t kept;
    uint64_t cut;        /**< spans that were cut at an edge */
    uint64_t left_out;   /**< events that have no place in the format */
    uint64_t moved;      /**< spans that went to lanes of their own */
    uint64_t changed;    /**< texts cut, arguments left out */
    uint32_t unlabelled; /**< processes and tracks that lost a label or a sort order */
    uint64_t lone_begins, lone_ends;
    int64_t shift; /**< that was added to all times */
};

/** part may be NULL: all. @return 0 or a negative code; release in any case */
int tch_rewrite(struct tch_rewritten *ret, const char *in, const char *out,
                const struct tch_trace_read_options *reading,
                const struct tch_write_options *writing, const struct tch_rewrite_part *part,
                tacho_error *err);
void tch_rewritten_release(struct tch_rewritten *r);

#endif
