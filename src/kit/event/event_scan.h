/*
 * Scans all events of a file on one or several threads. Valid events are passed to the caller on
 * any thread; bad lines are reported in their order.
 */
#ifndef TCH_EVENT_SCAN_H
#define TCH_EVENT_SCAN_H

#include <tacho/event.h>

enum { TCH_SCAN_THREADS = 64 };

struct tch_scan_counts {
    uint64_t bytes;
    uint64_t lines;
    uint64_t blank;
    uint64_t events;   /**< valid ones, salvaged ones included */
    uint64_t bad;      /**< lines without an event, torn ones included */
    uint64_t torn;     /**< lines with a fragment, with or without an event after it */
    uint64_t salvaged; /**< torn lines with an event after the fragment */
};

struct tch_scan {
    unsigned threads;     /**< 1 to TCH_SCAN_THREADS */
    void *const *workers; /**< one per thread; or NULL */
    /** Gets a valid event, on any of the threads, with that thread's worker. May be NULL. */
    int (*event)(void *worker, const tacho_event_view *event, tacho_error *err);
    /** Gets bad lines in their order, one at a time. May be NULL. */
    void (*bad)(void *ctx, const tacho_error *why);
    void *ctx;
};

/**
 * Reads fd to its end. Memory is bounded by the longest line allowed, 16 MiB, times the threads.
 *
 * @return 0 also when lines are bad, TACHO_EIO, TACHO_ENOMEM, or what event() returned
 */
int tch_scan_fd(int fd, const char *name, const struct tch_scan *scan,
                struct tch_scan_counts *counts, tacho_error *err);

#endif
