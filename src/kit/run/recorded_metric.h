/*
 * Metrics of what the program recorded of itself in each run: one number per run.
 *
 *     span:NAME[:STATISTIC]          durations of spans; the total by default
 *     stage:EVENT.STAGE[:STATISTIC]  values of a stage of profile events; the median by default
 *     latency:NAME[:STATISTIC]       latencies; the median by default. NAME is "wall" or "kernel"
 * of all records, or the NAME of a file latency-ns.NAME[.PID].csv
 *
 * STATISTIC is total, count, mean, p50, p99 or max. The name of a metric always contains it. Times
 * are nanoseconds. In the total, spans of one name inside each other on one track count once.
 */
#ifndef TCH_RECORDED_METRIC_H
#define TCH_RECORDED_METRIC_H

#include "advise.h"
#include "run_plan.h"
#include "run_sample.h"

enum { TCH_RECORDED_METRIC_TEXT = 128 }; /* of the name of such a metric with its NUL */

/** Says whether a text is meant as such a name. */
bool tch_recorded_metric_is(const char *text);

/** Writes the whole name, with its statistic. false: it is none, or too long. */
bool tch_recorded_metric_name(const char *text, char ret[TCH_RECORDED_METRIC_TEXT]);

/** Says whether a text is such a name and ends in a statistic. */
bool tch_recorded_metric_complete(const char *text);

/** Returns where the numbers of a metric come from, by its name. */
enum tch_metric_source tch_metric_source_of(const char *name);

/** Returns the unit of a metric by its name: TCH_NS or TCH_COUNT; TCH_PLAIN of what is printed. */
enum tch_unit tch_metric_unit(const char *name);

/** Parses such a name. 0, TACHO_EINVAL, TACHO_ENOMEM. */
int tch_recorded_metric_init(struct tch_metric *metric, const char *spec, tacho_error *err);

/** A run whose records are read. */
struct tch_recorded_run {
    const char *folder; /**< of all runs: the records are in iter/NNNN */
    uint64_t run;
    struct tch_warnings *warnings; /**< gets one when records were lost; may be NULL */
};

/**
 * Computes the metrics that are recorded and adds each to its list of values. The list of
 * what was not recorded stays empty. A damaged file counts up to the damage.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM
 */
int tch_recorded_metrics_find(const struct tch_metric *metrics, size_t count,
                              const struct tch_recorded_run *in, struct tch_values *values,
                              tacho_error *err);

/** Fails with TACHO_EINVAL and says what the run recorded instead of this metric. */
int tch_recorded_metric_missing(const struct tch_metric *metric, const struct tch_recorded_run *in,
                                tacho_error *err);

#endif
