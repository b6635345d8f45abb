/*
 * Simulated reports for bench_promise: runs of two sides under noise of many kinds.
 *
 * The runs of a report take place one after the other. Interleaved runs are pairs in random order,
 * the same order for all metrics of a bench. Otherwise all runs of a come first, and b is another
 * session.
 */
#ifndef BENCH_PROMISE_NOISE_H
#define BENCH_PROMISE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROMISE_METRICS = 200, PROMISE_RUNS = 40, PROMISE_BENCH = 20 /* metrics of one bench */ };

struct promise_noise {
    const char *name;
    double sd;         /* standard deviation of the logarithm of one run */
    double sd_b;       /* that of b; 0: the same as sd */
    double ar;         /* correlation with the run before */
    double walk;       /* a step of a random walk */
    double drift;      /* from the first to the last run */
    double wave;       /* height of a wave */
    double period;     /* its period, in runs */
    double outliers;   /* share of runs that take three times as long */
    double burst;      /* 5 to 14 runs in a row of every second side take longer by this share */
    double correlated; /* correlation between the metrics of a bench */
    double session;    /* standard deviation of the session offsets */
    bool heavy;        /* sessions by Student's t with 3 degrees of freedom instead of normal */
    bool own;          /* each metric has a session offset of its own */
    bool pareto;
    bool ties;  /* values in steps of 2.5 % */
    bool modes; /* values have two modes, 10 % apart */
    bool skew;  /* b is exponential, with the median of a */
};

struct promise_report {
    size_t metrics;
    size_t runs; /* runs per side */
    bool paired;
    double change; /* true change of the first metric: 0.1 is +10 % */
    double a[PROMISE_METRICS][PROMISE_RUNS];
    double b[PROMISE_METRICS][PROMISE_RUNS];
};

/* Reports per cell of a table. */
extern size_t promise_reports;

double promise_normal(uint64_t *seed);

/* Draws the offset of one session. */
double promise_session(const struct promise_noise *noise, uint64_t *seed);

/* Fills a and b. */
void promise_make(const struct promise_noise *noise, struct promise_report *r, uint64_t *seed);

#endif
