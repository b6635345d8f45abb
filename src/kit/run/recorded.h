/*
 * What programs recorded about themselves in each run: latencies, peaks of memory categories,
 * stages of profile events. Samples have it as "recorded", so that runs can be judged by it.
 *
 * - "kv_cache", "activation", "temp_buffer": bytes, the largest of all snapshots of all processes.
 * - "memory.NAME": the same of a category of the program's own.
 * - "latency", "latency_kernel": nanoseconds, of the records of all processes.
 * - "stage:EVENT.STAGE": microseconds, or a count, of the run's events.
 */
#ifndef TCH_RECORDED_H
#define TCH_RECORDED_H

#include <tacho/latency.h>

#include "base/json_read.h"
#include "run_sample.h"

#define TCH_RECORDED_MEMORY "memory."
#define TCH_RECORDED_STAGE  "stage:"

#define TCH_RECORDED_LATENCY        "latency"
#define TCH_RECORDED_LATENCY_KERNEL "latency_kernel"

enum {
    TCH_RECORDED_TEXT = 128,        /* of a name with its NUL; longer names are left out */
    TCH_RECORDED_MOST = 1024,       /* names; more are left out */
    TCH_RECORDED_ENTRIES = 1 << 24, /* of all samples of a run.json */
};

/** Returns the number of a name, SIZE_MAX when no run recorded it. */
size_t tch_recorded_find(const struct tch_run_samples *samples, const char *name);

/** Sets what a sample recorded under a name. Ignores values that are not finite or pass the limits
    above. 0 or TACHO_ENOMEM. */
int tch_recorded_set(struct tch_run_samples *samples, struct tch_run_sample *sample,
                     const char *name, const struct tch_recorded *value, tacho_error *err);

/** Writes the member "recorded" of a sample, unless it is empty. Each value is a number when p50,
   p95 and p99 are equal, else an object of the three. */
void tch_recorded_write(struct tch_buf *b, const struct tch_run_sample *sample,
                        const struct tch_run_samples *of);

/** Parses the value of that member. 0, TACHO_EPARSE, TACHO_ENOMEM, or TACHO_ELIMIT for more than
    TCH_RECORDED_ENTRIES. */
int tch_recorded_parse(struct tch_json_reader *r, struct tch_run_samples *samples,
                       struct tch_run_sample *sample, tacho_error *err);

/** Says whether a key of memory-detail.csv is a category: numbers of the kernel are none. */
bool tch_recorded_is_category(const char *key, size_t len);

/** Reads the parts (FOLDER/iter/NNNN) of all samples that have nothing yet. A damaged file counts
   up to the damage. 0, TACHO_EIO, TACHO_ENOMEM. */
int tch_recorded_read(struct tch_run_samples *samples, const char *folder, tacho_error *err);

/*
 * Latencies.
 */

/** Converts a column of latency.csv to nanoseconds. */
static inline uint64_t tch_latency_ns(uint64_t us)
{
    return us < UINT64_MAX / 1000 ? us * 1000 : UINT64_MAX;
}

/** Collects latencies. Beyond 2^25 of them they are counted by a histogram, within
    TACHO_HISTOGRAM_ERROR. Starts as zeros. */
struct tch_latencies {
    uint64_t *value;
    size_t count;
    size_t room;
    tacho_histogram *histogram;
};

/** 0 or TACHO_ENOMEM. */
int tch_latencies_add(struct tch_latencies *l, uint64_t ns, tacho_error *err);

/** Computes their statistics: nearest-rank percentiles. 0 or TACHO_ENOMEM. */
int tch_latencies_stats(const struct tch_latencies *l, tacho_latency_stats *ret, tacho_error *err);

/** Returns the median as tch_median() defines it, given its nearest-rank p50; that p50 itself where
    only a histogram is left. */
double tch_latencies_median(const struct tch_latencies *l, uint64_t p50);
void tch_latencies_release(struct tch_latencies *l);

/** All latencies of all runs, the member "latency" of run.json. */
struct tch_latency_summary {
    bool exact;
    tacho_latency_stats wall;   /**< n is 0 when nothing was recorded */
    tacho_latency_stats kernel; /**< all 0 when that part is not known */
    double wall_p50;            /**< tch_latencies_median(), as in all results of runs */
    double kernel_p50;
};

/** Sums up FOLDER/latency-ns.csv. A missing file has no latencies, a damaged one those before the
    damage. 0, TACHO_EIO, TACHO_ENOMEM. */
int tch_latency_summary_read(struct tch_latency_summary *ret, const char *folder, tacho_error *err);

void tch_latency_summary_write(struct tch_buf *b, const struct tch_latency_summary *s);

/** Parses that member. json may be NULL: then n is 0. */
void tch_latency_summary_parse(struct tch_latency_summary *ret, const char *json, size_t len);

#endif
