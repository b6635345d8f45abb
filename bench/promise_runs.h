/*
 * Tables of bench_promise about the runs of one side: intervals and limits of runs that depend on
 * each other.
 */
#ifndef BENCH_PROMISE_RUNS_H
#define BENCH_PROMISE_RUNS_H

#include <stddef.h>

/* Prints the table "dependent": coverage of 95 % intervals, and wrong FAILs of `max`. */
void promise_dependent(void);

/* Prints a few cells of that table. Returns how many are worse than is promised. */
int promise_dependent_check(size_t reports);

#endif
