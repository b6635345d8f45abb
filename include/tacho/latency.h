/*
 * Latencies: a list of records with exact statistics, and a histogram of fixed size for any number
 * of values.
 *
 * Values are whole numbers, nanoseconds by convention; statistics are in the unit of the values.
 */
#ifndef TACHO_LATENCY_H
#define TACHO_LATENCY_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/*
 * Exact statistics.
 */

/** Percentiles are nearest-rank: each is one of the values. All 0 when n is 0. */
typedef struct tacho_latency_stats {
    size_t size; /**< set by TACHO_LATENCY_STATS_INIT */
    uint64_t n;
    uint64_t min;
    uint64_t p50;
    uint64_t p90;
    uint64_t p95;
    uint64_t p99;
    uint64_t p999; /**< 99.9 % */
    uint64_t max;
    uint64_t mad; /**< median of the distances from p50, nearest-rank too */
    double mean;
    double std; /**< standard deviation of the population: divided by n */
} tacho_latency_stats;

#define TACHO_LATENCY_STATS_INIT                                     \
    {                                                                \
        sizeof(tacho_latency_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Computes the statistics of n values, which stay unchanged. Sums may exceed 64 bits.
 *
 * @return 0, TACHO_EINVAL, or TACHO_ENOMEM; it needs memory for the values near a percentile, in
 * the worst case for all
 */
TACHO_API TACHO_MUST_CHECK int tacho_latency_stats_of(const uint64_t *values, size_t n,
                                                      tacho_latency_stats *ret, tacho_error *err);

/*
 * A list of records. One thread at a time.
 */

/** One step of a benchmark. */
typedef struct tacho_latency_record {
    uint64_t sample_id;
    uint64_t wall_ns;
    uint64_t kernel_ns; /**< the part on the device or in the kernel under test; 0: not known */
    uint64_t seq_len;
} tacho_latency_record;

/** A list of such records. */
typedef struct tacho_latency tacho_latency;

/**
 * Makes an empty list. When TACHO_RUN_DIR is set, its records are also written to
 * latency-ns.PID.csv there (latency-ns.PID.2.csv for the second list, and so on), 64 KB at a time
 * and after each second of wall_ns. A forked child writes its own records to a file of its own.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EIO when that file cannot be made
 */
TACHO_API TACHO_MUST_CHECK int tacho_latency_new(tacho_latency **ret, tacho_error *err);

/** Writes the remaining records to the file and frees the list. Accepts NULL. */
TACHO_API void tacho_latency_free(tacho_latency *list);

/** Adds a record. Returns 0, TACHO_ENOMEM, or TACHO_EIO when the file cannot be written; the record
    is then in memory only. */
TACHO_API TACHO_MUST_CHECK int
tacho_latency_add(tacho_latency *list, const tacho_latency_record *record, tacho_error *err);

/** One step of a benchmark, with times in microseconds. */
typedef struct tacho_latency_record_us {
    uint64_t sample_id;
    uint64_t wall_time_us;
    uint64_t kernel_time_us; /**< 0: not known */
    uint64_t seq_len;
} tacho_latency_record_us;

/** Adds a record in microseconds. Returns like tacho_latency_add(), and TACHO_EINVAL for a time
    above 2^64 ns, 584 years. */
TACHO_API TACHO_MUST_CHECK int
tacho_latency_add_us(tacho_latency *list, const tacho_latency_record_us *record, tacho_error *err);

/** Returns the number of records. */
TACHO_API size_t tacho_latency_count(const tacho_latency *list);

/** Returns the i-th record, i < count. */
TACHO_API tacho_latency_record tacho_latency_at(const tacho_latency *list, size_t i);

/** Computes the statistics of all wall_ns. */
TACHO_API TACHO_MUST_CHECK int tacho_latency_wall_stats(const tacho_latency *list,
                                                        tacho_latency_stats *ret, tacho_error *err);

/** Computes the statistics of all wall times in microseconds, rounded half up as latency.csv has
    them. */
TACHO_API TACHO_MUST_CHECK int
tacho_latency_wall_stats_us(const tacho_latency *list, tacho_latency_stats *ret, tacho_error *err);

/** Writes all records as latency.csv, in microseconds rounded half up; complete or not at all.
    Makes the folders above it. */
TACHO_API TACHO_MUST_CHECK int tacho_latency_write_csv(const tacho_latency *list, const char *path,
                                                       tacho_error *err);

/*
 * A histogram of values from 0 to TACHO_HISTOGRAM_MAX. Its size is always 58 KB. Buckets have width
 * 1 up to 255, and above that at most 1/128 of their value, so percentiles and the mean are within
 * TACHO_HISTOGRAM_ERROR of the exact ones. n, min and max are exact. One thread at a time; the
 * recorder below serves many.
 */

#define TACHO_HISTOGRAM_MAX   INT64_MAX   /**< larger values count as this */
#define TACHO_HISTOGRAM_ERROR (1.0 / 256) /**< relative, of every percentile and of the mean */

typedef struct tacho_histogram tacho_histogram;

/** Makes an empty histogram. The caller frees it by tacho_histogram_free(). Returns 0 or
 * TACHO_ENOMEM. */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_new(tacho_histogram **ret, tacho_error *err);

/** Frees the histogram. Accepts NULL. */
TACHO_API void tacho_histogram_free(tacho_histogram *h);

/** Counts a value in less than two nanoseconds, without a lock or a system call. It is inline: see
    the end of this file. The two functions after it are in the library, for other languages. */
static inline void tacho_histogram_record(tacho_histogram *h, uint64_t value);
TACHO_API void tacho_histogram_record_count(tacho_histogram *h, uint64_t value, uint64_t count);
TACHO_API void tacho_histogram_record_all(tacho_histogram *h, const uint64_t *values, size_t n);

/**
 * Counts a value and corrects for coordinated omission: for a value above the expected interval,
 * also counts the values that it delayed: value - interval, value - 2 * interval, and so on down to
 * the interval. With an interval of 0 it corrects nothing.
 */
TACHO_API void tacho_histogram_record_corrected(tacho_histogram *h, uint64_t value,
                                                uint64_t interval);

/** Adds all values of `from`, which may come from another process. */
TACHO_API void tacho_histogram_merge(tacho_histogram *h, const tacho_histogram *from);

/** Removes all values. */
TACHO_API void tacho_histogram_reset(tacho_histogram *h);

/** Return the number of values, and statistics of them. All are 0 when it is empty. */
TACHO_API uint64_t tacho_histogram_count(const tacho_histogram *h);
TACHO_API uint64_t tacho_histogram_min(const tacho_histogram *h);
TACHO_API uint64_t tacho_histogram_max(const tacho_histogram *h);
TACHO_API double tacho_histogram_mean(const tacho_histogram *h);
TACHO_API double tacho_histogram_std(const tacho_histogram *h);

/** Returns the value at a percentile (0 to 100), nearest-rank; 0 when empty. */
TACHO_API uint64_t tacho_histogram_percentile(const tacho_histogram *h, double percent);

/** Computes all members of tacho_latency_stats, within TACHO_HISTOGRAM_ERROR. Returns 0 or
   TACHO_EINVAL. */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_stats(const tacho_histogram *h,
                                                     tacho_latency_stats *ret, tacho_error *err);

/** The values from low to high, and how many there are. */
typedef struct tacho_histogram_bucket {
    uint64_t low;  /**< the smallest value of the bucket */
    uint64_t high; /**< the largest value of the bucket */
    uint64_t count;
} tacho_histogram_bucket;

/** Gets the next bucket that is not empty. Start with *at = 0. Returns 1, or 0 after the last. */
TACHO_API int tacho_histogram_next(const tacho_histogram *h, size_t *at,
                                   tacho_histogram_bucket *ret);

/**
 * Encodes the histogram in HdrHistogram's format V2 compressed (2 significant digits), which its
 * tools in any language can read. The zlib stream in it is stored, not deflated, so that no
 * compressor is needed. min and max become those of their buckets.
 *
 * @param ret      set on success only; the caller frees it with free()
 * @param ret_len  its bytes; not NULL
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_encode(const tacho_histogram *h, void **ret,
                                                      size_t *ret_len, tacho_error *err);

/** Decodes this format, or V2 without compression, with 2 to 5 significant digits. min and max are
    those of their buckets. Returns TACHO_EUNSUPPORTED for other numbers of digits, and for deflated
    data, which libtacho cannot inflate. */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_decode(const void *data, size_t len,
                                                      tacho_histogram **ret, tacho_error *err);

/**
 * Writes the text form: one line of an HdrHistogram log, "start,length,max,base64" with seconds,
 * and "Tag=…," before it when there is a tag (no comma, no blank in it). max is in units of 10^6.
 *
 * @param ret  set on success only; ends with a line feed and a NUL; the caller frees it with free()
 * @return 0, TACHO_EINVAL for an invalid tag, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_line(const tacho_histogram *h, const char *tag,
                                                    double start_s, double length_s, char **ret,
                                                    tacho_error *err);

/** Reads the histogram of such a line and ignores the rest. Fails like tacho_histogram_decode(). */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_parse_line(const char *line, size_t len,
                                                          tacho_histogram **ret, tacho_error *err);

/** Writes the first lines of an HdrHistogram log: version 1.3, the start in seconds since 1970. */
TACHO_API TACHO_MUST_CHECK int tacho_histogram_log_head(double start_s, char **ret,
                                                        tacho_error *err);

/*
 * A recorder that many threads use at once, without a lock: a few nanoseconds per record. It has a
 * histogram for each of the first 63 living threads and one that all others share, 58 KB each once
 * used.
 */

typedef struct tacho_latency_recorder tacho_latency_recorder;

/** Makes an empty recorder. The caller frees it by tacho_latency_recorder_free(). Returns 0 or
 * TACHO_ENOMEM. */
TACHO_API TACHO_MUST_CHECK int tacho_latency_recorder_new(tacho_latency_recorder **ret,
                                                          tacho_error *err);

/** Frees the recorder, which no thread may use any more. Accepts NULL. */
TACHO_API void tacho_latency_recorder_free(tacho_latency_recorder *r);

/** Counts a value. Do not call it from a signal handler. */
TACHO_API void tacho_latency_recorder_record(tacho_latency_recorder *r, uint64_t value);

/** Adds all records so far to h. A record that another thread makes at the same time may be
    included in min and max but not in the count, or the other way round. */
TACHO_API void tacho_latency_recorder_snapshot(const tacho_latency_recorder *r, tacho_histogram *h);

/*
 * The hot path. Do not use the rest of this header directly. It is frozen, because programs have it
 * compiled in.
 */

enum {
    TACHO_HISTOGRAM_BITS = 7, /**< 128 buckets for each doubling */
    TACHO_HISTOGRAM_BUCKETS = (63 - TACHO_HISTOGRAM_BITS + 1) << TACHO_HISTOGRAM_BITS
};

/** Only tacho_histogram_new() makes one: later versions may have more members. */
struct tacho_histogram {
    uint64_t min; /**< UINT64_MAX when empty */
    uint64_t max; /**< up to TACHO_HISTOGRAM_MAX */
    uint64_t counts[TACHO_HISTOGRAM_BUCKETS];
};

/** Returns the bucket of a value up to TACHO_HISTOGRAM_MAX. Each value below 256 has its own. */
static inline unsigned tacho_histogram_index(uint64_t value)
{
    unsigned top = 63u ^ (unsigned)__builtin_clzll(value | ((2u << TACHO_HISTOGRAM_BITS) - 1));
    unsigned shift = top - TACHO_HISTOGRAM_BITS;

    return (shift << TACHO_HISTOGRAM_BITS) + (unsigned)(value >> shift);
}

static inline void tacho_histogram_record(tacho_histogram *h, uint64_t value)
{
    if (__builtin_expect(value < h->min || value > h->max,
                         0)) { /* a new minimum or maximum is rare */
        tacho_histogram_record_count(h, value, 1);
        return;
    }
    if (value > TACHO_HISTOGRAM_MAX)
        __builtin_unreachable(); /* h->max never exceeds it */
    h->counts[tacho_histogram_index(value)]++;
}

TACHO_END_DECLS

#endif
