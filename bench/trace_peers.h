/*
 * Other tracers that bench_trace compares with, each in a file of its own. A missing one says so.
 */
#ifndef BENCH_TRACE_PEERS_H
#define BENCH_TRACE_PEERS_H

#include <stdint.h>
#include <time.h>

/** Returns the time of the clock that spans of tacho read. */
static inline uint64_t bench_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

/** Start and stop a session around the spans, which are a begin and an end event each. */
void bench_lttng_start(const char *folder);
void bench_lttng_stop(void);
const char *bench_lttng_missing(void); /* NULL: it can be run */
void bench_lttng_spans(uint64_t count);

/** uftrace record runs a program whose functions are the spans. */
const char *bench_uftrace_missing(void);
int bench_uftrace_run(const char *folder, uint64_t count, int threads);
void bench_uftrace_clean(const char *folder);

#endif
