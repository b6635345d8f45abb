/*
 * Compares several ways to do the same work (contenders).
 *
 * Every round runs each contender once, in rotated order, so that a machine that slows down slows
 * all of them. CPU time is compared: the result is the median of the ratios within each round.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_role {
    BENCH_FLOOR, /* less work than the task needs, so nothing can be faster */
    BENCH_OURS,
    BENCH_PEER,
};

struct bench_contender {
    const char *name;
    enum bench_role role;
    const char *missing; /* why run is NULL: "not installed (package libfoo-dev)" */
    void *arg;
    /** Makes the state before the first round; NULL: arg is the state. Returns NULL on failure. */
    void *(*setup)(void *work, void *arg);
    /** Called before and after each run, not timed. Return 0 or -1. May be NULL. */
    int (*before)(void *work, void *state);
    int (*after)(void *work, void *state);
    /** Does the work once. Returns 0, or -1 when the result is wrong. NULL: it cannot run here. */
    int (*run)(void *work, void *state);
    void (*teardown)(void *state); /* may be NULL */
    /* Target: at most this many times the CPU time of the floor in the same run; 0: no such target.
       Targets are never nanoseconds, because a slower machine would miss them without a regression.
     */
    double most_floors;
};

/** Returns the text for a target that is met or not. */
static inline const char *bench_met(bool yes)
{
    return yes ? "met" : "NOT MET";
}

/** A target: "ours" must be at least `times` as fast as "peer". */
struct bench_target {
    const char *ours;
    const char *peer;
    double times;
};

struct bench_case {
    const char *name;
    void *work;
    uint64_t bytes;        /* processed by one run */
    uint64_t operations;   /* done by one run */
    const char *operation; /* one of them: "line", "number" */
    const struct bench_contender *contenders;
    size_t contender_count;
    const struct bench_target *targets;
    size_t target_count;
};

struct bench_options {
    size_t rounds;
    bool quick; /* small inputs and few rounds, to check that it runs */
    bool json;
};

/**
 * Parses --rounds N, --quick and --json and removes them from argv. The rest stays for the caller.
 *
 * @return 0, or -1 after a message on stderr
 */
int bench_parse(int *argc, char **argv, struct bench_options *ret);

/** Runs the rounds and prints the result. Returns 0, or -1 after a message on stderr. */
int bench_compare(const struct bench_case *c, const struct bench_options *o);

/** Returns the peak memory of this process in KB; 0 where that cannot be read. */
uint64_t bench_peak_kb(void);

/** Returns the next number of SplitMix64, so that inputs are the same in every run. */
static inline uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

#endif
