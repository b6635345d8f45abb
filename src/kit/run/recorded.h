/*
 * Values that programs recorded about themselves in each run: latencies, peaks of memory
 * categories, stages of profile events. They are the member "recorded" of a sample, so that runs
 * can be judged by them.
 *
 * - "kv_cache", "activation", "temp_buffer": bytes, the largest of all snapshots of all processes.
 * - "memory.NAME": the same for a category that the program defined.
 * - "latency", "latency_kernel": nanoseconds, over the records of all processes.
 * - "stage:EVENT.STAGE": microseconds, or a count, over the run's events.
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
    TCH_RECORDED_TEXT = 128,        /* bytes of a name with its NUL; longer names are left out */
    TCH_RECORDED_MOST = 1024,       /* limit of names; more are left out */
    TCH_RECORDED_ENTRIES = 1 << 24, /* limit of values in all samples of a run.json */
};

/** Returns the index of a name, or SIZE_MAX if no run recorded it. */
size_t tch_recorded_find(const struct tch_run_samples *samples, const char *name);

/** Sets the value that a sample recorded under a name. Ignores values that are not finite or exceed
    the limits above. Returns 0 or TACHO_ENOMEM. */
int tch_recorded_set(struct tch_run_samples *samples, struct tch_run_sample *sample,
                     const char *name, const struct tch_recorded *value, tacho_error *err);

/** Writes the member "recorded" of a sample, unless it is empty. Each value is a number when p50,
   p95 and p99 are equal, else an object of the three. */
void tch_recorded_write(struct tch_buf *b, const struct tch_run_sample *sample,
                        const struct tch_run_samples *of);

/** Parses the value of that member. Returns 0, TACHO_EPARSE, TACHO_ENOMEM, or TACHO_ELIMIT for more
   than TCH_RECORDED_ENTRIES. */
int tch_recorded_parse(struct tch_json_reader *r, struct tch_run_samples *samples,
                       struct tch_run_sample *sample, tacho_error *err);

/** Returns whether a key of memory-detail.csv is a category and not a number of the kernel. */
bool tch_recorded_is_category(const char *key, size_t len);

/** Reads the files in FOLDER/iter/NNNN for all samples that have no recorded values yet. Reads a
    damaged file up to the damage. Returns 0, TACHO_EIO or TACHO_ENOMEM. */
int tch_recorded_read(struct tch_run_samples *samples, const char *folder, tacho_error *err);

/*
 * Latencies.
 */

/** Converts a column of latency.csv to nanoseconds. */
static inline uint64_t tch_latency_ns(uint64_t us)
{
    return us < UINT64_MAX / 1000 ? us * 1000 : UINT64_MAX;
}

/** Collects latencies. More than 2^25 of them are counted in a histogram, accurate to
    TACHO_HISTOGRAM_ERROR. Initialise it with zeros. */
struct tch_latencies {
    uint64_t *value;
    size_t count;
    size_t room;
    tacho_histogram *histogram;
};

/** Adds a latency. Returns 0 or TACHO_ENOMEM. */
int tch_latencies_add(struct tch_latencies *l, uint64_t ns, tacho_error *err);

/** Computes their statistics: nearest-rank percentiles. Returns 0 or TACHO_ENOMEM. */
int tch_latencies_stats(const struct tch_latencies *l, tacho_latency_stats *ret, tacho_error *err);

/** Returns the median as tch_median() defines it, given the nearest-rank p50. Returns that p50 if
    only a histogram is left. */
double tch_latencies_median(const struct tch_latencies *l, uint64_t p50);
void tch_latencies_release(struct tch_latencies *l);

/** Statistics of all latencies of all runs: the member "latency" of run.json. */
struct tch_latency_summary {
    bool exact;
    tacho_latency_stats wall;   /**< n is 0 when nothing was recorded */
    tacho_latency_stats kernel; /**< statistics of kernel_ns; all 0 when not known */
    double wall_p50;            /**< tch_latencies_median(), as in all results of runs */
    double kernel_p50;
};

/** Summarises FOLDER/latency-ns.csv. A missing file has no latencies. A damaged file is read up to
    the damage. Returns 0, TACHO_EIO or TACHO_ENOMEM. */
int tch_latency_summary_read(struct tch_latency_summary *ret, const char *folder, tacho_error *err);

void tch_latency_summary_write(struct tch_buf *b, const struct tch_latency_summary *s);

/** Parses the member "latency". json may be NULL; n is then 0. */
void tch_latency_summary_parse(struct tch_latency_summary *ret, const char *json, size_t len);

#endif
