/*
 * The texts of /proc: numbers out of status, statm and stat.
 */
#ifndef TCH_PROC_TEXT_H
#define TCH_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/** What a status says of memory, in bytes. */
struct tch_status {
    uint64_t rss;
    uint64_t peak;
    uint64_t anon;
    uint64_t file; /* RssFile and RssShmem */
    uint64_t swap;
};

void tch_status_parse(const char *status, struct tch_status *ret);

/** The second number of statm, in pages; false when it is not one. */
bool tch_statm_resident(const char *statm, uint64_t *ret);

/** What is used of /proc/PID/stat. */
struct tch_stat {
    uint64_t ppid;
    char state;
    uint64_t minor_faults; /* with those of children waited for */
    uint64_t major_faults;
    uint64_t cpu_ticks; /* the same */
    uint64_t threads;
    uint64_t start; /* in ticks since boot: tells apart processes that had the same number */
};

/** The name in brackets may hold anything. False when the text is not of that form. */
bool tch_stat_parse(const char *text, struct tch_stat *ret);

#endif
