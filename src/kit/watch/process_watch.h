/*
 * Polls the memory, CPU time and power of a process tree, and writes them to CSV files.
 */
#ifndef TCH_PROCESS_WATCH_H
#define TCH_PROCESS_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <tacho/error.h>
#include <tacho/memory.h>
#include <tacho/power.h>

#include "base/buf.h"
#include "kit/power/power_origin.h"
#include "lib/measure/csv_write.h"

enum { TCH_WATCH_SOURCES = 8 };

struct tch_watch;

/** The process tree at the last poll. */
struct tch_watch_now {
    tacho_tree_sample tree;
    double cpu;   /**< CPUs that it used since the poll before; NaN at the first poll */
    double watts; /**< sum of all sources; NaN: no source, or too early */
};

/** The summary of all polls. */
struct tch_watch_report {
    double seconds;
    uint64_t looks;
    uint64_t missed;        /**< further polls that failed; their rows are missing in the files */
    tacho_error why_missed; /**< error of the first failed poll; code 0: none */
    uint64_t most_processes;
    uint64_t peak_rss_bytes; /**< 0: not known, it exited too soon */
    uint64_t peak_at_most;   /**< if peak_rss_bytes is 0: an upper limit of the peak; 0: not known
                                either */
    uint64_t mean_rss_bytes; /**< over the polls while it was alive */
    uint64_t swap_bytes;     /**< the largest of all polls */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t cpu_ns;
    size_t sources;
    tacho_power_report power[TCH_WATCH_SOURCES];
    double joules;      /**< sum of all sources that were read; NaN: none */
    double tree_joules; /**< the tree's share by CPU time, an estimate; NaN: none */
    struct tch_power_origin origin;
};

/** The process tree to watch, and the options. */
struct tch_watch_plan {
    const char *root; /**< path before /proc and /sys; "" for this machine */
    pid_t pid;
    const char *power;          /**< name of a power source; NULL: all that there are */
    double idle_watts;          /**< power of the machine when it is idle */
    struct tch_power_idle idle; /**< set by tch_watch_idle() */
    const char *folder;         /**< for memory.csv, memory-detail.csv and power.csv; NULL: none */
    enum tch_csv_columns columns; /**< of memory.csv */
};

/**
 * Measures the idle power of the machine for `ns` nanoseconds, and sets plan->idle and
 * plan->idle_watts. Returns at once without a power source.
 *
 * @return 0, 1 if it was stopped, or the error of a source given by name
 */
int tch_watch_idle(struct tch_watch_plan *plan, uint64_t ns, const volatile sig_atomic_t *stop,
                   tacho_error *err);

/**
 * Starts watching and polls once.
 *
 * @param no_power  receives why there is no power source; "" if there is one. A missing source is
 * an error only if it was requested by name.
 */
int tch_watch_open(const struct tch_watch_plan *plan, struct tch_watch **ret, tacho_error *no_power,
                   tacho_error *err);

/** Polls the tree. Returns 0 or a negative code. A tree that has exited has no processes. */
int tch_watch_poll(struct tch_watch *w, struct tch_watch_now *ret, tacho_error *err);

/**
 * Adds what wait4() reports about our child and the children that it waited for. These values are
 * exact, except a peak that is not larger than our own memory when the child started, because the
 * kernel counts ours too. Call it before tch_watch_report().
 */
void tch_watch_ended(struct tch_watch *w, const struct rusage *usage, uint64_t our_peak);

void tch_watch_report(struct tch_watch *w, struct tch_watch_report *ret);

/**
 * Adds the document tacho.watch.v1 and a line feed.
 *
 * @param wait_status  how our child exited; NULL: it is still running, or is not our child
 * @param no_power     why there is no power source; NULL: there is one
 */
void tch_watch_json(struct tch_buf *b, const struct tch_watch_report *r, pid_t pid,
                    const int *wait_status, const char *no_power);

/** Flushes the files and renames them to their final names. */
int tch_watch_close(struct tch_watch *w, tacho_error *err);

/** Stops watching and deletes the files. Accepts NULL. */
void tch_watch_discard(struct tch_watch *w);

#endif
