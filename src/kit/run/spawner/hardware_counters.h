/*
 * Hardware counters of commands. The spawner opens them once, commands inherit them, and they count
 * from execve() on. Counters that the machine lacks are left out.
 */
#ifndef TCH_HARDWARE_COUNTERS_H
#define TCH_HARDWARE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "kit/result/result.h"

enum { TCH_COUNTERS = 6 };

struct tch_counter {
    enum tch_field field;
    uint32_t type; /**< as in perf_event_open(2) */
    uint64_t config;
};

/** Cycles, instructions, branches and branch misses, cache references and cache misses. */
extern const struct tch_counter tch_hardware_counters[TCH_COUNTERS];

struct tch_counters {
    struct {
        enum tch_field field;
        int fd;
        double before;
    } open[TCH_COUNTERS];
    size_t count;
    int guard; /* never counts; see tch_counters_open() in hardware_counters.c */
};

/**
 * Opens the counters of `list` that the machine has. Counts user space only if the kernel allows no
 * more.
 */
void tch_counters_open(struct tch_counters *c, const struct tch_counter *list, size_t count);

/** Sets the fields to the counts since the last call; NAN for a counter that never ran. Uses only
    system calls. */
void tch_counters_read(struct tch_counters *c, double field[TCH_FIELDS]);

#endif
