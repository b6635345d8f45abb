/*
 * Makes one wide record of a recording (recording_format.h) from an event of the model. The caller
 * adds the ticks to the first word.
 */
#ifndef TCH_WIDE_RECORD_H
#define TCH_WIDE_RECORD_H

#include "base/buf.h"
#include "lib/trace/recording_format.h"
#include "trace_read.h"

enum { TCH_RECORD_TEXT = 16 * 1024 }; /* limit of a text in bytes, as in the recorder */

/** A record. The caller may read the documented fields. */
struct tch_wide_record {
    uint64_t words[TCH_REC_WIDE_MAX];
    size_t len;
    struct tch_intern texts; /**< texts that records use, by number minus 1 */
    uint64_t cut;            /**< texts truncated, arguments left out */
    struct tch_buf text;     /* the last text, without escapes */
};

void tch_wide_record_init(struct tch_wide_record *r);
void tch_wide_record_release(struct tch_wide_record *r);

/** Returns the number of a text; TCH_INTERN_NONE if memory ran out. */
uint32_t tch_wide_record_text(struct tch_wide_record *r, const char *text, size_t len);

/** Starts a record without arguments. */
void tch_wide_record_begin(struct tch_wide_record *r, unsigned kind, uint32_t id,
                           const uint64_t *fixed);

/** Makes the record of an event; for a span, that of its begin. Returns 0, or -1 if memory ran
    out. */
int tch_wide_record_make(struct tch_wide_record *r, const struct tch_ev *ev, uint32_t site);

#endif
