/*
 * Writes and reads the CSV files of a benchmark, row by row.
 *
 * A file starts with its header line; lines end with LF. A float has the fewest digits that read
 * back as the same value, and never an exponent ("1", "-0", "0.0000001", "NaN", "inf"). A text with
 * a comma, a quote, LF or CR is quoted. A leading = + - or @ is left unchanged, although a
 * spreadsheet may take it for a formula. A text in a row has a length and needs no NUL.
 */
#ifndef TACHO_CSV_H
#define TACHO_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/** The kind of a file, which defines its columns. Values are stable. */
enum tacho_csv_kind {
    TACHO_CSV_RESULTS = 0,
    TACHO_CSV_LATENCY = 1,
    TACHO_CSV_MEMORY = 2,
    TACHO_CSV_POWER = 3,
    TACHO_CSV_MEMORY_DETAIL = 4,
    TACHO_CSV_LATENCY_NS = 5
};

/** results.csv: one row per setting. */
typedef struct tacho_csv_result {
    const char *setting; /**< NULL: empty; when read: valid during the call only */
    size_t setting_len;  /**< in bytes; 0: the text ends at its NUL */
    double coherence_delta;
    double kv_cache_reduction;
    double peak_mem_reduction;
    double energy_reduction;
    uint64_t p95_latency_us;
    double accuracy;
} tacho_csv_result;

/** latency.csv: one row per step. */
typedef struct tacho_csv_latency {
    uint64_t sample_id;
    uint64_t wall_time_us;
    uint64_t kernel_time_us;
    uint64_t seq_len;
} tacho_csv_latency;

/** memory.csv: one row per snapshot. peak_rss_bytes is the resident size at that moment. A new
    file has all columns. A file that has only the first two is read with 0 in the others, and keeps
    its columns when rows are appended. */
typedef struct tacho_csv_memory {
    uint64_t timestamp_us;
    uint64_t peak_rss_bytes;
    uint64_t kv_cache_bytes;
    uint64_t activation_bytes;
    uint64_t temp_buffer_bytes;
} tacho_csv_memory;

/** power.csv: one row per sample. joules is counted from the first sample; NaN: not known. */
typedef struct tacho_csv_power {
    uint64_t timestamp_us;
    const char *source;
    size_t source_len; /**< in bytes; 0: the text ends at its NUL */
    double watts;
    double joules;
} tacho_csv_power;

/** memory-detail.csv: values without a column in memory.csv. */
typedef struct tacho_csv_memory_detail {
    uint64_t timestamp_us;
    uint64_t pid;
    const char *key;
    size_t key_len; /**< in bytes; 0: the text ends at its NUL */
    uint64_t value;
} tacho_csv_memory_detail;

/** latency-ns.csv: latency.csv in nanoseconds. */
typedef struct tacho_csv_latency_ns {
    uint64_t sample_id;
    uint64_t wall_ns;
    uint64_t kernel_ns;
    uint64_t seq_len;
} tacho_csv_latency_ns;

typedef struct tacho_csv tacho_csv;

/** How a file is written. */
enum tacho_csv_mode {
    TACHO_CSV_WHOLE = 0,  /**< appears under its name when closed: complete or not at all */
    TACHO_CSV_STREAM = 1, /**< exists from the start; rows that were flushed survive a kill */
    TACHO_CSV_APPEND = 2  /**< like STREAM, but keeps the rows that exist */
};

/** Opens a file for writing and makes the folders above it.
    @return 0, TACHO_EINVAL, TACHO_ENOMEM, TACHO_EIO */
TACHO_API TACHO_MUST_CHECK int tacho_csv_open(const char *path, enum tacho_csv_kind kind,
                                              enum tacho_csv_mode mode, tacho_csv **ret,
                                              tacho_error *err);

/**
 * Adds a row to a buffer, which is written 64 KB at a time. After a failure, every later call
 * returns the same failure, so it is enough to check the last call.
 *
 * @return 0; TACHO_EINVAL when the file is of another kind, TACHO_EIO, TACHO_ELIMIT for a text of
 *         more than 64 KB
 */
TACHO_API int tacho_csv_add_result(tacho_csv *csv, const tacho_csv_result *row, tacho_error *err);
TACHO_API int tacho_csv_add_latency(tacho_csv *csv, const tacho_csv_latency *row, tacho_error *err);
TACHO_API int tacho_csv_add_memory(tacho_csv *csv, const tacho_csv_memory *row, tacho_error *err);
TACHO_API int tacho_csv_add_power(tacho_csv *csv, const tacho_csv_power *row, tacho_error *err);
TACHO_API int tacho_csv_add_memory_detail(tacho_csv *csv, const tacho_csv_memory_detail *row,
                                          tacho_error *err);
TACHO_API int tacho_csv_add_latency_ns(tacho_csv *csv, const tacho_csv_latency_ns *row,
                                       tacho_error *err);

enum { TACHO_CSV_FLOAT = 345 }; /**< bytes that the text of any double needs, with its NUL */

/** Writes a float in the notation of these files, for files with other columns. Returns ret. */
TACHO_API const char *tacho_csv_float(char ret[TACHO_CSV_FLOAT], double value);

/** Writes the buffered rows to the file. */
TACHO_API int tacho_csv_flush(tacho_csv *csv, tacho_error *err);

/** Writes the remaining rows and frees csv. In mode WHOLE, this makes the file appear, unless a
    call failed. */
TACHO_API TACHO_MUST_CHECK int tacho_csv_close(tacho_csv *csv, tacho_error *err);

/** Frees csv. In mode WHOLE, no file appears. Accepts NULL. */
TACHO_API void tacho_csv_discard(tacho_csv *csv);

/** A row that was read. */
typedef struct tacho_csv_row {
    uint64_t line; /**< line of the file where the row starts */
    union {
        tacho_csv_result result;
        tacho_csv_latency latency;
        tacho_csv_memory memory;
        tacho_csv_power power;
        tacho_csv_memory_detail memory_detail;
        tacho_csv_latency_ns latency_ns;
    } as;
} tacho_csv_row;

/** Receives a row. Any result but 0 stops tacho_csv_read(), which then returns it. */
typedef int tacho_csv_row_fn(const tacho_csv_row *row, void *ctx, tacho_error *err);

/**
 * Reads a file row by row, in bounded memory. Its header line must be that of the kind. An empty
 * field where a float is expected becomes NaN, which means "not measured".
 *
 * @return 0, what `each` returned, TACHO_EIO, TACHO_ENOMEM, or TACHO_EPARSE with the line
 */
TACHO_API TACHO_MUST_CHECK int tacho_csv_read(const char *path, enum tacho_csv_kind kind,
                                              tacho_csv_row_fn *each, void *ctx, tacho_error *err);

/** Reads like tacho_csv_read(), from memory. */
TACHO_API TACHO_MUST_CHECK int tacho_csv_parse(const char *data, size_t len,
                                               enum tacho_csv_kind kind, tacho_csv_row_fn *each,
                                               void *ctx, tacho_error *err);

TACHO_END_DECLS

#endif
