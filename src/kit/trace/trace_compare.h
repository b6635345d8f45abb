/*
 * Compares the spans of two traces by name.
 */
#ifndef TCH_TRACE_COMPARE_H
#define TCH_TRACE_COMPARE_H

#include "kit/stats/ratio.h"
#include "trace_read.h"

enum { TCH_COMPARE_SAMPLE = 100 }; /* number of durations per name that the ratio uses */

struct tch_compare_side {
    uint64_t count;
    uint64_t total; /**< nanoseconds; nested spans of the same name on one track count once */
    double sample[TCH_COMPARE_SAMPLE];
    size_t sample_count;
};

struct tch_compare_row {
    uint32_t name; /**< number of the text in the comparison */
    struct tch_compare_side side[2];
    struct tch_ratio ratio; /**< ratio of span durations, if both traces have the name */
};

struct tch_trace_comparison {
    struct tch_intern texts;
    struct tch_compare_row *rows; /**< sorted by the change of their time, largest first */
    size_t count, room;
    uint64_t spans[2];
    struct tch_model models[2]; /**< models of both files, which have the counts of lost events */
};

/** Compares two traces. @return 0 or a negative code; release c in any case */
int tch_trace_compare(struct tch_trace_comparison *c, const char *a, const char *b,
                      tacho_error *err);
void tch_trace_comparison_release(struct tch_trace_comparison *c);

#endif
