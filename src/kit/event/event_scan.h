/*
 * All events of a file, on one thread or several: what is sound goes to whoever asked, what is not
 * is told in the order of its lines.
 */
#ifndef TCH_EVENT_SCAN_H
#define TCH_EVENT_SCAN_H

#include <tacho/event.h>

enum { TCH_SCAN_THREADS = 64 };

struct tch_scan_counts {
    uint64_t bytes;
    uint64_t lines;
    uint64_t blank;
    uint64_t events;   /**< sound ones, those salvaged included */
    uint64_t bad;      /**< lines that hold no event, torn ones included */
    uint64_t torn;     /**< lines with a fragment, whether an event stood behind it or not */
    uint64_t salvaged; /**< ... those where one did */
};

struct tch_scan {
    unsigned threads;     /**< 1 to TCH_SCAN_THREADS */
    void *const *workers; /**< one a thread; or NULL */
    /** A sound event, on any of the threads, with that thread's worker. May be NULL. */
    int (*event)(void *worker, const tacho_event *event, tacho_error *err);
    /** A line that is not as it should be, in order, one at a time. May be NULL. */
    void (*bad)(void *ctx, const tacho_error *why);
    void *ctx;
};

/**
 * Reads fd to its end. Memory is bounded by the longest line allowed, 16 MiB, times the threads.
 *
 * @return 0 however bad the lines are, TACHO_EIO, TACHO_ENOMEM, or what event() returned
 */
int tch_scan_fd(int fd, const char *name, const struct tch_scan *scan,
                struct tch_scan_counts *counts, tacho_error *err);

#endif
