/*
 * A process tree watched at an interval: memory, CPU time and power, as numbers and as CSV files.
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

enum { TCH_WATCH_SOURCES = 8 };

struct tch_watch;

/** How it is now. */
struct tch_watch_now {
    tacho_tree_sample tree;
    double cpu;   /**< CPUs busy with it since the last look; NaN at first */
    double watts; /**< of all sources; NaN: no source, or too early to tell */
};

/** How it was, all in all. */
struct tch_watch_report {
    double seconds;
    uint64_t looks;
    uint64_t most_processes;
    uint64_t peak_rss_bytes; /**< 0: not known, it ended too soon */
    uint64_t peak_at_most;   /**< then: the peak was no larger; 0: not known either */
    uint64_t mean_rss_bytes; /**< over the looks at which it lived */
    uint64_t swap_bytes;     /**< the most */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t cpu_ns;
    size_t sources;
    tacho_power_report power[TCH_WATCH_SOURCES];
    double joules;      /**< of all sources; NaN: none */
    double tree_joules; /**< the tree's share by CPU time; NaN: none */
};

/** What to watch, and how. */
struct tch_watch_plan {
    const char *root; /**< before /proc and /sys; "" for this machine */
    pid_t pid;
    const char *power;  /**< a source's name; NULL: what there is */
    double idle_watts;  /**< what the machine draws doing nothing */
    const char *folder; /**< for memory.csv, memory-detail.csv and power.csv; NULL: none */
};

/**
 * Starts with a first look.
 *
 * @param no_power  says why there is no power source; "" when there is one. That is no failure
 *                  unless a source was asked for by name.
 */
int tch_watch_open(const struct tch_watch_plan *plan, struct tch_watch **ret, tacho_error *no_power,
                   tacho_error *err);

/** Looks. 0 or a negative code; a tree that has ended has no processes. */
int tch_watch_look(struct tch_watch *w, struct tch_watch_now *ret, tacho_error *err);

/**
 * What wait told of a child of ours, and of the children that it waited for: exact, but for a peak
 * that is not larger than ours was when it started, because that one is counted, too. Call before
 * the report.
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

/** The files take their names. */
int tch_watch_close(struct tch_watch *w, tacho_error *err);

/** Without the files. Accepts NULL. */
void tch_watch_discard(struct tch_watch *w);

#endif
