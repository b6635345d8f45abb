/*
 * One wide record of a recording (recording_format.h), made from an event of the model; its ticks
 * are to be added to the first word.
 */
#ifndef TCH_WIDE_RECORD_H
#define TCH_WIDE_RECORD_H

#include "base/buf.h"
#include "lib/trace/recording_format.h"
#include "trace_read.h"

enum { TCH_RECORD_TEXT = 16 * 1024 }; /* bytes of a text, as the recorder has it */

/** Read the fields. */
struct tch_wide_record {
    uint64_t words[TCH_REC_WIDE_MAX];
    size_t len;
    struct tch_intern texts; /**< that records speak of, by number less 1 */
    uint64_t cut;            /**< texts cut, arguments left out */
    struct tch_buf text;     /* without escapes */
};

void tch_wide_record_init(struct tch_wide_record *r);
void tch_wide_record_release(struct tch_wide_record *r);

/** The number of a text, TCH_INTERN_NONE when memory ran out. */
uint32_t tch_wide_record_text(struct tch_wide_record *r, const char *text, size_t len);

/** A record without arguments. */
void tch_wide_record_begin(struct tch_wide_record *r, unsigned kind, uint32_t id,
                           const uint64_t *fixed);

/** The record of an event; of a span: its begin. 0, or -1 when memory ran out. */
int tch_wide_record_make(struct tch_wide_record *r, const struct tch_ev *ev, uint32_t site);

#endif
