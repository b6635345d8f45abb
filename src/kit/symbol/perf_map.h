/*
 * Reads the maps that JITs write, /tmp/perf-PID.map, within limits of bytes and time.
 */
#ifndef TCH_PERF_MAP_H
#define TCH_PERF_MAP_H

#include "base/buf.h"
#include "symbol_table.h"

/** Reasons why the names of a map are not used. */
enum tch_perf_map_problem {
    TCH_PERF_MAP_FOREIGN, /**< the map belongs to another user */
    TCH_PERF_MAP_CUT,     /**< the map is too large, so some of its names are missing */
    TCH_PERF_MAP_SKIPPED, /**< other maps used up the limit of bytes or of time */
};
enum { TCH_PERF_MAP_PROBLEMS = TCH_PERF_MAP_SKIPPED + 1 };

/** The cost and the problems of reading the maps of one capture. Start with all zero. */
struct tch_perf_maps {
    uint64_t bytes;
    uint64_t ns;
    unsigned problems[TCH_PERF_MAP_PROBLEMS]; /**< number of maps with each problem */
    char first[TCH_PERF_MAP_PROBLEMS][64];    /**< the path of the first one */
};

/** Adds the names of /tmp/perf-PID.map: the file that the process sees or, after its exit, the one
    that we see. PID is that in the process's namespace; inner_pid is that for the time after its
   exit, 0: the same as `pid`. Returns false if memory runs out. */
bool tch_perf_maps_read(struct tch_perf_maps *maps, struct tch_symbol_table *table, uint32_t pid,
                        uint32_t inner_pid);

/** Adds a warning, terminated by '\0', for each problem. */
void tch_perf_maps_explain(const struct tch_perf_maps *maps, struct tch_buf *lines);

#endif
