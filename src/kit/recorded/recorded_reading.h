/*
 * The state of reading one run. Only for the files of this folder.
 */
#ifndef TCH_RECORDED_READING_H
#define TCH_RECORDED_READING_H

#include "base/intern.h"
#include "kit/event/event_stages.h"
#include "recorded.h"

/** A metric with a statistic, and its values in this run. */
struct tch_recorded_series {
    struct tch_metric_name asked;
    size_t column;
    struct tch_latencies durations;
    double total; /**< nested spans of the metric on one track count once */
    /* Spans only. */
    uint32_t name;  /**< id of its name in the current trace */
    uint32_t track; /**< of the last span */
    int64_t reach;  /**< the latest end of its spans on that track */
};

struct tch_reading {
    const char *folder;
    uint64_t run; /**< its number, from 1 */
    struct tch_recorded_series *series;
    size_t series_count;

    /* Findings. */
    struct tch_result *r; /**< receives the peaks of memory; NULL: they are not read */
    size_t index;         /**< the run in r */
    struct tch_latencies wall;
    struct tch_latencies kernel;
    struct tch_stages stages;
    double recordings; /**< of spans, by libtacho: one per process */
    double spans;
    double events;
    uint64_t lost; /**< records that the recorder dropped or that are damaged */

    /* For a message: all recorded names that a metric from this source could have had. */
    struct tch_intern *names; /**< NULL: not needed */
    enum tch_metric_source names_of;
    tacho_error *err;
};

/** Reads all files of the run. Call tch_reading_release() in any case. */
int tch_reading_read(struct tch_reading *f);
void tch_reading_release(struct tch_reading *f);

/** Adds a series for a metric. Returns 0 or TACHO_ENOMEM. */
int tch_reading_ask(struct tch_reading *f, const char *metric, size_t column);

/** Returns whether a metric or a message needs records from a source. */
bool tch_reading_wants(const struct tch_reading *f, enum tch_metric_source source);

/** Notes a name that was recorded, for a message. Returns 0 or TACHO_ENOMEM. */
int tch_reading_note(struct tch_reading *f, enum tch_metric_source source, const char *name,
                     size_t len);

/** Adds a duration to a series. counted: its part of the total. */
int tch_reading_add(struct tch_reading *f, struct tch_recorded_series *s, uint64_t ns,
                    double counted);

/** Reads the spans of a recording or a Chrome trace. */
int tch_reading_spans(struct tch_reading *f, const char *name);

#endif
