/*
 * Reads what programs recorded about themselves: the one reader of the files in the folders of
 * their runs, FOLDER/iter/NNNN. The values become columns of the result. This is the face of
 * src/kit/recorded/.
 *
 * - memory.*.csv, memory-detail.*.csv: "kv_cache", "activation", "temp_buffer" and "memory.NAME",
 *   in bytes, each the largest of all snapshots of all processes.
 * - latency-ns.*.csv, latency.*.csv: "latency" and "latency_kernel" in nanoseconds, over the
 * records of all processes, and metrics such as "latency:NAME:p99".
 * - profile*.jsonl: "stage:EVENT.STAGE" in microseconds, or a count, over the run's events, and
 *   metrics such as "stage:EVENT.STAGE:max".
 * - recordings and Chrome traces: metrics such as "span:NAME:total". In the total, nested spans of
 *   one name on one track count once. Spans are read only if a metric asks for them.
 *
 * Read after the last run, so that reading disturbs no run that is timed:
 *
 *     tch_recorded_init(&rec, folder);
 *     status = tch_recorded_read(&rec, r, err);       again, when there are more runs
 *     status = tch_recorded_finish(&rec, r, err);     latencies of all runs, cost of recording
 *     tch_recorded_release(&rec);
 */
#ifndef TCH_RECORDED_H
#define TCH_RECORDED_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "kit/result/result.h"
#include "latencies.h"

/** Name of the Chrome trace that a program writes to the folder of its run, because
    FERRUM_TRACE_OUT contains it. */
#define TCH_CHROME_PART "trace-ferrum.json"

/** Bytes that a file of a run may have. A larger one stays where it is, and a warning names it. */
enum { TCH_RECORDED_PART_MAX = 1 << 30 };

/** Sums over the runs that were read. */
struct tch_recorded {
    const char *folder; /**< the run folder */
    size_t next;        /**< runs before this one were read */
    struct tch_latencies wall;
    struct tch_latencies kernel;
    double recordings; /**< of spans, by libtacho: one per process */
    double spans;      /**< records of the kinds that metrics use */
    double events;
    double latencies;
};

void tch_recorded_init(struct tch_recorded *rec, const char *folder);
void tch_recorded_release(struct tch_recorded *rec);

/** Reads the runs that were not read yet. Reads a damaged file up to the damage. Warns if a metric
    misses records. Returns 0, TACHO_EIO or TACHO_ENOMEM. */
int tch_recorded_read(struct tch_recorded *rec, struct tch_result *r, tacho_error *err);

/** Sets the number of recordings per run, of records per run that metrics use, and the cost of one
   of them. Does nothing if nothing was recorded that costs are known of. `scratch` is a folder in
   which recordings are made, to measure their cost; NULL: $TMPDIR. */
void tch_recorded_set_costs(const struct tch_recorded *rec, struct tch_result *r,
                            const char *scratch);

/** Sets the costs, and the latencies of all runs. Returns 0 or TACHO_ENOMEM. */
int tch_recorded_finish(const struct tch_recorded *rec, struct tch_result *r, tacho_error *err);

/** Returns whether a result has a metric that a program must record. */
bool tch_recorded_is_asked(const struct tch_result *r);

/** Fails with TACHO_EINVAL and a message that lists what a run recorded instead of a metric. */
int tch_recorded_missing(const char *metric, const char *folder, uint64_t run, tacho_error *err);

/**
 * Adds a recorded metric to a result that was read from a folder, unless it has it already. Reads
 * spans from the recordings in the folder. Of stages and latencies only the p50 and p99 of each run
 * are kept.
 *
 * @param name  the whole name, with its statistic
 * @return 0, TACHO_EINVAL if no run recorded it, TACHO_ELIMIT, TACHO_EIO, TACHO_ENOMEM
 */
int tch_recorded_add_metric(struct tch_result *r, const char *folder, const char *name,
                            tacho_error *err);

/** Returns whether a key of memory-detail.csv is a category and not a number of the kernel. */
bool tch_recorded_is_category(const char *key, size_t len);

/** Returns whether a name is that of a part, such as memory.4711.csv: whether it starts with
    `prefix` and ends with `suffix`. */
bool tch_recorded_part_is(const char *name, const char *prefix, const char *suffix);

#endif
