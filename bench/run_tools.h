/*
 * Tools that run a command again and again, used as whole programs: by bench_run.
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
    double median; /* of the runs, as the tool says */
    double wall;   /* of all of it */
    double cpu;    /* of the tool and its runs */
    double own;    /* of the tool alone, a run */
    double memory; /* median of the peaks, as the tool says */
};

/** Where tools leave their files; made by tools_open(), removed by tools_close(). */
int tools_open(void);
void tools_close(void);

/** A path in that folder, valid until the next call. */
const char *tools_path(const char *name);

bool tool_is_there(int tool);

/** At most TOOL_RUNS_MOST runs. 0 or -1. */
int tool_use(int tool, const char *const *command, unsigned n, struct tool_use *ret);

/** Wall times of the spawner of tacho run by those of the plain harness, run by run in turns. */
int tool_agreement(const char *const *command, unsigned pairs, struct tch_ratio *ret);

/** Runs a program in that folder; its wall time and CPU time, children included. 0 or -1. */
int tool_run(const char *const *argv, double *wall, double *cpu);

/** Median of a row of the last run folder that tacho made by the name "bench"; NAN: no such row. */
double tool_said(const char *name);

#endif
