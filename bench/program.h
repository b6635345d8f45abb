/*
 * Programs as contenders. They are started and waited for; their output is discarded or written to
 * a file.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include "bench.h"

enum { BENCH_MOST_ARGUMENTS = 8 };

struct bench_program {
    const char *argv[BENCH_MOST_ARGUMENTS + 1]; /* terminated by NULL */
    const char *locale;                         /* "LC_ALL=..." to set, or NULL */
    const char *output;                         /* path; NULL: the output is discarded */
    uint64_t peak_kb;                           /* peak memory of the last run */
};

/** Runs a contender whose state is a struct bench_program. Returns 0, or -1 when it failed. */
int bench_run_program(void *work, void *state);

/** Makes a contender of a program. One that is not installed is listed in the output with the
    reason, and not run. */
struct bench_contender bench_program_peer(const char *name, const char *missing,
                                          struct bench_program *p);

#endif
