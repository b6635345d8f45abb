/*
 * Spans of two traces side by side, by name.
 */
#ifndef TCH_TRACE_COMPARE_H
#define TCH_TRACE_COMPARE_H

#include "kit/stats/ratio.h"
#include "trace_read.h"

enum { TCH_COMPARE_SAMPLE = 100 }; /* durations of a name that the ratio is made of */

struct tch_compare_side {
    uint64_t count;
    uint64_t total; /**< nanoseconds; on one track, spans inside others of the name count once */
    double sample[TCH_COMPARE_SAMPLE];
    size_t sample_count;
};

struct tch_compare_row {
    uint32_t name; /**< in the texts of the comparison */
    struct tch_compare_side side[2];
    struct tch_ratio ratio; /**< of a span's duration; where both have the name */
};

struct tch_trace_comparison {
    struct tch_intern texts;
    struct tch_compare_row *rows; /**< by how much more or less time they took, falling */
    size_t count, room;
    uint64_t spans[2];
    struct tch_model models[2]; /**< for what was lost in reading */
};

/** @return 0 or a negative code; release in any case */
int tch_trace_compare(struct tch_trace_comparison *c, const char *a, const char *b,
                      tacho_error *err);
void tch_trace_comparison_release(struct tch_trace_comparison *c);

#endif
