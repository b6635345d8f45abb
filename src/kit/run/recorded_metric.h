/*
 * Metrics computed from what the program recorded about itself: one number per run.
 *
 *     span:NAME[:STATISTIC]          durations of spans; the total by default
 *     stage:EVENT.STAGE[:STATISTIC]  values of a stage of profile events; the median by default
 *     latency:NAME[:STATISTIC]       latencies; the median by default
 *
 * The NAME of latencies is "wall" or "kernel" for all records, or the NAME of a file
 * latency-ns.NAME[.PID].csv.
 *
 * STATISTIC is total, count, mean, p50, p99 or max. The name of a metric always contains it. Times
 * are nanoseconds. In the total, nested spans of one name on one track count once.
 */
#ifndef TCH_RECORDED_METRIC_H
#define TCH_RECORDED_METRIC_H

#include "advise.h"
#include "run_plan.h"
#include "run_sample.h"

enum { TCH_RECORDED_METRIC_TEXT = 128 }; /* bytes of the name of such a metric with its NUL */

/** Returns whether a text is meant as the name of a recorded metric. */
bool tch_recorded_metric_is(const char *text);

/** Writes the whole name, with its statistic. Returns false if the text is not such a name or is
    too long. */
bool tch_recorded_metric_name(const char *text, char ret[TCH_RECORDED_METRIC_TEXT]);

/** Returns whether a text is such a name and ends in a statistic. */
bool tch_recorded_metric_complete(const char *text);

/** Returns where the numbers of a metric come from, by its name. */
enum tch_metric_source tch_metric_source_of(const char *name);

/** Returns the unit of a metric by its name: TCH_NS or TCH_COUNT; TCH_PLAIN for a metric that is
    printed. */
enum tch_unit tch_metric_unit(const char *name);

/** Parses the name of a recorded metric. Returns 0, TACHO_EINVAL or TACHO_ENOMEM. */
int tch_recorded_metric_init(struct tch_metric *metric, const char *spec, tacho_error *err);

/** A run whose records are read. */
struct tch_recorded_run {
    const char *folder; /**< run folder; the records are in its iter/NNNN */
    uint64_t run;
    struct tch_warnings *warnings; /**< receives a warning if records were lost; may be NULL */
};

/**
 * Computes the recorded metrics and adds each to its list of values. The list of a metric that was
 * not recorded stays empty. Reads a damaged file up to the damage.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM
 */
int tch_recorded_metrics_find(const struct tch_metric *metrics, size_t count,
                              const struct tch_recorded_run *in, struct tch_values *values,
                              tacho_error *err);

/** Fails with TACHO_EINVAL and a message that lists what the run recorded instead of this
    metric. */
int tch_recorded_metric_missing(const struct tch_metric *metric, const struct tch_recorded_run *in,
                                tacho_error *err);

#endif
