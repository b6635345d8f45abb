/*
 * Writes a trace, or a part of it, to another file, in any format that can be written.
 */
#ifndef TCH_TRACE_REWRITE_H
#define TCH_TRACE_REWRITE_H

#include "trace_load.h"
#include "trace_write.h"

/** The part of a trace to keep. Times are nanoseconds from its first event. */
struct tch_rewrite_part {
    int64_t from, to; /**< INT64_MIN, INT64_MAX: no limit */
    bool whole;       /**< do not clip spans that cross an edge */
    const char *name; /**< a shell pattern, or NULL */
    /** A shell pattern for a track's name, "process / thread", or tid; or NULL. */
    const char *track;
};

/** The result of tch_rewrite(). */
struct tch_rewritten {
    struct tch_model model; /**< model of the input */
    uint64_t read;          /**< number of events read */
    uint64_t kept;
    uint64_t cut;        /**< spans that were clipped at an edge */
    uint64_t left_out;   /**< events that the format cannot hold */
    uint64_t moved;      /**< spans that moved to extra lanes */
    uint64_t changed;    /**< texts truncated, arguments left out */
    uint32_t unlabelled; /**< processes and tracks that lost a label or a sort order */
    uint64_t lone_begins, lone_ends;
    int64_t shift; /**< added to all times */
};

/** Rewrites a trace. part may be NULL to keep everything. @return 0 or a negative code; release ret
    in any case */
int tch_rewrite(struct tch_rewritten *ret, const char *in, const char *out,
                const struct tch_trace_read_options *reading,
                const struct tch_write_options *writing, const struct tch_rewrite_part *part,
                tacho_error *err);
void tch_rewritten_release(struct tch_rewritten *r);

#endif
