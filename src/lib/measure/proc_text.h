/*
 * Parses /proc/PID/status, statm and stat.
 */
#ifndef TCH_PROC_TEXT_H
#define TCH_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/** The memory of a process as its status shows it, in bytes. */
struct tch_status {
    uint64_t rss;
    uint64_t peak;
    uint64_t anon;
    uint64_t file; /* RssFile plus RssShmem */
    uint64_t swap;
};

void tch_status_parse(const char *status, struct tch_status *ret);

/** Parses the resident size of statm and the part of it that belongs to files or shared memory,
    both in pages. Returns false when one is not a number. */
bool tch_statm_parse(const char *statm, uint64_t *resident, uint64_t *shared);

/** The fields of /proc/PID/stat that are used. */
struct tch_stat {
    uint64_t ppid;
    char state;
    uint64_t minor_faults; /* including children that were waited for */
    uint64_t major_faults;
    uint64_t cpu_ticks; /* including children that were waited for */
    uint64_t threads;
    uint64_t start; /* ticks since boot; distinguishes processes that had the same process id */
};

/** Parses stat. The name in brackets may contain anything. Returns false for a text of another
    form. */
bool tch_stat_parse(const char *text, struct tch_stat *ret);

#endif
