/*
 * Several ways to do the same work, compared fairly.
 *
 * Every round runs each contender once, in rotated order, so that a machine that slows down slows
 * all of them. What counts is CPU time; ratios are taken within a round, then their median.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_role {
    BENCH_FLOOR, /* less work than the task needs: what nobody can beat */
    BENCH_OURS,
    BENCH_PEER,
};

struct bench_contender {
    const char *name;
    enum bench_role role;
    const char *missing; /* why run is NULL: "not installed (package libfoo-dev)" */
    void *arg;
    /** Before the first round; NULL where arg is the state. Returns NULL on failure. */
    void *(*setup)(void *work, void *arg);
    /** Before and after each run, not timed; 0 or -1; may be NULL. */
    int (*before)(void *work, void *state);
    int (*after)(void *work, void *state);
    /** Does the work once. 0, or -1 when the result is wrong. NULL: it cannot be run here. */
    int (*run)(void *work, void *state);
    void (*teardown)(void *state); /* may be NULL */
    /* Is to take at most so many times the CPU time of the floor in the same run; 0: no such
       target. No target is a number of nanoseconds: a slower machine would miss it and say nothing.
     */
    double most_floors;
};

/** What is said of a target. */
static inline const char *bench_met(bool yes)
{
    return yes ? "met" : "NOT MET";
}

/** "ours" is to be at least `times` as fast as "peer". */
struct bench_target {
    const char *ours;
    const char *peer;
    double times;
};

struct bench_case {
    const char *name;
    void *work;
    uint64_t bytes;        /* that one run goes through */
    uint64_t operations;   /* that one run does */
    const char *operation; /* one of them: "line", "number" */
    const struct bench_contender *contenders;
    size_t contender_count;
    const struct bench_target *targets;
    size_t target_count;
};

struct bench_options {
    size_t rounds;
    bool quick; /* small inputs, few rounds: does it run? */
    bool json;
};

/**
 * Takes --rounds N, --quick and --json out of argv, whatever is left stays for the caller.
 *
 * @return 0, or -1 after saying on stderr what is wrong
 */
int bench_parse(int *argc, char **argv, struct bench_options *ret);

/** Runs the rounds and prints the result. 0, or -1 after saying on stderr what went wrong. */
int bench_compare(const struct bench_case *c, const struct bench_options *o);

/** The most memory that this process held, in KB; 0 where that cannot be read. */
uint64_t bench_peak_kb(void);

/** SplitMix64: the same inputs in every run. */
static inline uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

#endif
