/*
 * Runs tools that execute a command repeatedly, for bench_run.
 */
#ifndef BENCH_RUN_TOOLS_H
#define BENCH_RUN_TOOLS_H

#include <stdbool.h>

#include "kit/stats/ratio.h"

enum { TOOL_FLOOR, TOOL_OURS, TOOL_HYPERFINE, TOOL_PERF, TOOLS };
enum { TOOL_RUNS_MOST = 1000 };

extern const char *const tool_names[TOOLS];

/** One use of a tool: n runs of a command. Seconds and bytes; NAN: not known. */
struct tool_use {
    double median; /* median run time, as the tool reports it */
    double wall;   /* wall time of the whole use */
    double cpu;    /* CPU time of the tool and its runs */
    double own;    /* CPU time of the tool alone, per run */
    double memory; /* median of the peaks, as the tool reports it */
};

/** Make and remove the folder for the files of the tools. */
int tools_open(void);
void tools_close(void);

/** Returns a path in that folder, valid until the next call. */
const char *tools_path(const char *name);

bool tool_is_there(int tool);

/** Uses a tool for n runs, at most TOOL_RUNS_MOST. Returns 0 or -1. */
int tool_use(int tool, const char *const *command, unsigned n, struct tool_use *ret);

/** Compares wall times of tacho's spawner with those of the plain harness, interleaved run by
    run. */
int tool_agreement(const char *const *command, unsigned pairs, struct tch_ratio *ret);

/** Runs a program in that folder and measures its wall time and CPU time, including children.
    Returns 0 or -1. */
int tool_run(const char *const *argv, double *wall, double *cpu);

/** Returns the median of a row of the last run folder named "bench"; NAN: no such row. */
double tool_said(const char *name);

#endif
