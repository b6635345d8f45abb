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
#include "power_origin.h"

enum { TCH_WATCH_SOURCES = 8 };

struct tch_watch;

/** How it is now. */
struct tch_watch_now {
    tacho_tree_sample tree;
    double cpu;   /**< CPUs that it used since the last poll; NaN at first */
    double watts; /**< of all sources; NaN: no source, or too early to tell */
};

/** The summary of all polls. */
struct tch_watch_report {
    double seconds;
    uint64_t looks;
    uint64_t missed;        /**< polls besides these that failed: rows that are not in the files */
    tacho_error why_missed; /**< of the first; code 0: none */
    uint64_t most_processes;
    uint64_t peak_rss_bytes; /**< 0: not known, it exited too soon */
    uint64_t peak_at_most;   /**< then: an upper limit of the peak; 0: not known either */
    uint64_t mean_rss_bytes; /**< over the polls while it was alive */
    uint64_t swap_bytes;     /**< the most */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t cpu_ns;
    size_t sources;
    tacho_power_report power[TCH_WATCH_SOURCES];
    double joules;      /**< of all sources that were read; NaN: none */
    double tree_joules; /**< the tree's share by CPU time, an estimate; NaN: none */
    struct tch_power_origin origin;
};

/** What to watch, and how. */
struct tch_watch_plan {
    const char *root; /**< before /proc and /sys; "" for this machine */
    pid_t pid;
    const char *power;          /**< a source's name; NULL: what there is */
    double idle_watts;          /**< what the machine draws doing nothing */
    struct tch_power_idle idle; /**< set by tch_watch_idle() */
    const char *folder;         /**< for memory.csv, memory-detail.csv and power.csv; NULL: none */
};

/**
 * Measures the idle power of the machine for so long, and sets plan->idle and plan->idle_watts.
 * Returns at once without a power source.
 *
 * @return 0, 1 when it was stopped, or the error of a source given by name
 */
int tch_watch_idle(struct tch_watch_plan *plan, uint64_t ns, const volatile sig_atomic_t *stop,
                   tacho_error *err);

/**
 * Starts watching and polls once.
 *
 * @param no_power  says why there is no power source; "" when there is one. That is no failure
 *                  unless a source was asked for by name.
 */
int tch_watch_open(const struct tch_watch_plan *plan, struct tch_watch **ret, tacho_error *no_power,
                   tacho_error *err);

/** Polls. 0 or a negative code; a tree that is gone has no processes. */
int tch_watch_poll(struct tch_watch *w, struct tch_watch_now *ret, tacho_error *err);

/**
 * Adds what wait4() says about our child and the children that it waited for. That is exact, except
 * a peak no larger than our own when it started, because the kernel counts ours too. Call it before
 * tch_watch_report().
 */
void tch_watch_ended(struct tch_watch *w, const struct rusage *usage, uint64_t our_peak);

void tch_watch_report(struct tch_watch *w, struct tch_watch_report *ret);

/**
 * Adds tacho.watch.v1 and a line feed.
 *
 * @param wait_status  how a child of ours ended; NULL: it did not, or was none
 * @param no_power     why there is no power source; NULL: there is one
 */
void tch_watch_json(struct tch_buf *b, const struct tch_watch_report *r, pid_t pid,
                    const int *wait_status, const char *no_power);

/** Writes the rest of the files and gives them their names. */
int tch_watch_close(struct tch_watch *w, tacho_error *err);

/** Closes it and drops the files. Accepts NULL. */
void tch_watch_discard(struct tch_watch *w);

#endif
