/*
 * Memory of this process by category, and memory of a process tree.
 *
 * /proc/PID/smaps is never read, because the kernel walks every page to write it.
 */
#ifndef TACHO_MEMORY_H
#define TACHO_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

/** Categories that exist from the start; tacho_memory_category() adds others. */
enum tacho_memory_category {
    TACHO_MEMORY_KV_CACHE = 0,
    TACHO_MEMORY_ACTIVATIONS = 1,
    TACHO_MEMORY_TEMP_BUFFERS = 2,
    TACHO_MEMORY_CATEGORIES = 32 /**< limit, including those three */
};

/** How much a snapshot contains. */
enum tacho_memory_level {
    TACHO_MEMORY_BASIC = 0, /**< resident size and page faults; costs about 3 getrusage() calls */
    TACHO_MEMORY_FULL = 1   /**< also peak, anonymous, file, swap; about 4 calls (13 with swap) */
};

typedef struct tacho_memory_snapshot {
    size_t size;           /**< set by TACHO_MEMORY_SNAPSHOT_INIT */
    uint64_t timestamp_us; /**< since 1970; never decreases */
    uint64_t rss_bytes;    /**< resident at that moment */
    uint64_t minor_faults; /**< since the process started */
    uint64_t major_faults;
    uint64_t peak_rss_bytes; /**< peak of the resident size; this and the next three: FULL only */
    uint64_t anon_bytes;
    uint64_t file_bytes; /**< pages of files, including shared memory */
    uint64_t swap_bytes;
    uint64_t kv_cache_bytes; /**< as counted by tacho_memory_add() */
    uint64_t activation_bytes;
    uint64_t temp_buffer_bytes;
} tacho_memory_snapshot;

#define TACHO_MEMORY_SNAPSHOT_INIT                                     \
    {                                                                  \
        sizeof(tacho_memory_snapshot), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/** A tracker of this process, which keeps its snapshots. May be used by several threads. */
typedef struct tacho_memory tacho_memory;

/**
 * Makes a tracker. When TACHO_RUN_DIR is set, snapshots are also written to memory.PID.csv there,
 * and values without a column to memory-detail.PID.csv, both 64 KB at a time.
 *
 * @param label  for the report; copied
 * @param ret    set on success only; the caller frees it by tacho_memory_free()
 * @return 0, TACHO_ENOMEM, TACHO_EIO
 */
TACHO_API TACHO_MUST_CHECK int tacho_memory_new(const char *label, tacho_memory **ret,
                                                tacho_error *err);

/** Stops sampling and flushes the CSV files. Accepts NULL. */
TACHO_API void tacho_memory_free(tacho_memory *m);

/** Returns the label. Valid as long as the tracker. */
TACHO_API const char *tacho_memory_label(const tacho_memory *m);

/** Finds or makes the category of this name. Returns its number, TACHO_ELIMIT, or TACHO_EINVAL for
   a name that is empty or longer than 63 bytes. */
TACHO_API TACHO_MUST_CHECK int tacho_memory_category(tacho_memory *m, const char *name,
                                                     tacho_error *err);

/** Counts bytes that any thread allocated, or freed when negative. Takes a few nanoseconds and no
    locked instruction: each of the first 63 living threads counts for itself and adds its count to
   the sum every 32 KiB. Do not call it from a signal handler. */
TACHO_API void tacho_memory_add(tacho_memory *m, int category, int64_t bytes);

/** Returns the bytes of a category. Exact, unless other threads are counting at this moment. */
TACHO_API uint64_t tacho_memory_held(const tacho_memory *m, int category);

/** Takes a snapshot. ret may be NULL. Returns 0, TACHO_EINVAL or TACHO_EIO. */
TACHO_API TACHO_MUST_CHECK int tacho_memory_snapshot_take(tacho_memory *m,
                                                          enum tacho_memory_level level,
                                                          tacho_memory_snapshot *ret,
                                                          tacho_error *err);

/** Adds a snapshot of your own unchanged, such as one of a device. It is reported, written and kept
    like the others. Returns 0, TACHO_EINVAL or TACHO_EIO. */
TACHO_API TACHO_MUST_CHECK int
tacho_memory_snapshot_add(tacho_memory *m, const tacho_memory_snapshot *snapshot, tacho_error *err);

/** The first TACHO_MEMORY_KEPT snapshots are kept, 96 bytes each. Later ones, and all after one for
    which there was no memory, are only in the report and in the files of TACHO_RUN_DIR. */
enum { TACHO_MEMORY_KEPT = 1 << 20 };

/** Returns the number of snapshots that are kept. */
TACHO_API size_t tacho_memory_snapshot_count(tacho_memory *m);

/** Returns the number of snapshots that are not kept. */
TACHO_API uint64_t tacho_memory_snapshot_dropped(tacho_memory *m);

/** Gets the i-th snapshot. Start at 0. Returns 0, or TACHO_EINVAL after the last one that is
    kept. */
TACHO_API TACHO_MUST_CHECK int
tacho_memory_snapshot_at(tacho_memory *m, size_t i, tacho_memory_snapshot *ret, tacho_error *err);

/**
 * Writes the snapshots that are kept as memory.csv, complete or not at all. Makes the folders above
 * it.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO; TACHO_ELIMIT when the file was written and lacks snapshots
 */
TACHO_API TACHO_MUST_CHECK int tacho_memory_write_csv(tacho_memory *m, const char *path,
                                                      tacho_error *err);

/** Starts a thread that takes snapshots at an interval and handles no signals. Returns 0,
    TACHO_EALREADY when it already runs, TACHO_EINVAL for an interval of 0, or TACHO_EIO. */
TACHO_API TACHO_MUST_CHECK int tacho_memory_start(tacho_memory *m, enum tacho_memory_level level,
                                                  uint64_t interval_ns, tacho_error *err);

/** Takes one last snapshot and stops the thread of tacho_memory_start(). Returns the first failure
    since the start, or 0. */
TACHO_API TACHO_MUST_CHECK int tacho_memory_stop(tacho_memory *m, tacho_error *err);

/** A report over all snapshots so far. A sum that exceeds 64 bits is reported as UINT64_MAX; the
    mean is exact. */
typedef struct tacho_memory_report {
    size_t size; /**< set by TACHO_MEMORY_REPORT_INIT */
    uint64_t snapshots;
    uint64_t peak_rss; /**< the largest resident size of any snapshot */
    uint64_t mean_rss; /**< rounded down */
    uint64_t kv_cache_total;
    uint64_t activation_total;
} tacho_memory_report;

#define TACHO_MEMORY_REPORT_INIT                   \
    {                                              \
        sizeof(tacho_memory_report), 0, 0, 0, 0, 0 \
    }

/** Makes the report. Returns 0 or TACHO_EINVAL. */
TACHO_API TACHO_MUST_CHECK int tacho_memory_summary(tacho_memory *m, tacho_memory_report *ret,
                                                    tacho_error *err);

/**
 * Writes the report as JSON: label, peak_rss, mean_rss, kv_cache_total, activation_total.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_memory_summary_to_json(tacho_memory *m, char **ret,
                                                            size_t *ret_len, tacho_error *err);

/** The peak of a category, also between snapshots. It is exact when only the thread that takes the
    snapshots counts, and otherwise within 64 KiB per counting thread. */
typedef struct tacho_memory_peak {
    size_t size;      /**< set by TACHO_MEMORY_PEAK_INIT */
    const char *name; /**< valid as long as the tracker */
    uint64_t now;
    uint64_t peak;
    uint64_t timestamp_us; /**< time of the first snapshot after this peak; 0: none yet */
} tacho_memory_peak;

#define TACHO_MEMORY_PEAK_INIT                   \
    {                                            \
        sizeof(tacho_memory_peak), NULL, 0, 0, 0 \
    }

/** Gets the peak of a category. Start at 0. Returns 0, or TACHO_EINVAL after the last category. */
TACHO_API TACHO_MUST_CHECK int tacho_memory_category_peak(tacho_memory *m, int category,
                                                          tacho_memory_peak *ret, tacho_error *err);

/*
 * A process and all its descendants. Each sample finds new children. A process whose parent has
 * exited still belongs to the tree.
 */

typedef struct tacho_tree tacho_tree;

typedef struct tacho_tree_sample {
    size_t size; /**< set by TACHO_TREE_SAMPLE_INIT */
    uint64_t timestamp_us;
    uint64_t processes; /**< living processes; 0: all have exited, and the other members are those
                           of the sample before */
    uint64_t rss_bytes; /**< the sum; shared memory counts for each process */
    uint64_t anon_bytes;
    uint64_t file_bytes;
    uint64_t swap_bytes;
    uint64_t peak_rss_bytes; /**< the largest sum, or the largest peak of one process */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t cpu_ns; /**< CPU time of the members and of the children that they waited for */
} tacho_tree_sample;

#define TACHO_TREE_SAMPLE_INIT                                  \
    {                                                           \
        sizeof(tacho_tree_sample), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Opens the tree of a process.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EINVAL when there is no such process
 */
TACHO_API TACHO_MUST_CHECK int tacho_tree_open(pid_t pid, tacho_tree **ret, tacho_error *err);

/** Takes a sample of the tree. Returns 0, TACHO_EINVAL, TACHO_ENOMEM, or TACHO_EIO when /proc
   cannot be read. */
TACHO_API TACHO_MUST_CHECK int tacho_tree_poll(tacho_tree *tree, tacho_tree_sample *ret,
                                               tacho_error *err);

/** Closes the tree. Accepts NULL. */
TACHO_API void tacho_tree_close(tacho_tree *tree);

TACHO_END_DECLS

#endif
