/*
 * Published rules of other tools, implemented again for bench_promise. Each decides for one metric
 * whether b counts as slower than a.
 */
#ifndef BENCH_PROMISE_PEERS_H
#define BENCH_PROMISE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct promise_peer {
    const char *name;
    bool (*slower)(const double *a, const double *b, size_t n, uint64_t *seed);
};

enum { PROMISE_PEERS = 6 };

extern const struct promise_peer promise_peers[PROMISE_PEERS];

/* Return the two-sided p of n values each, or 1 if b is not slower: Welch's t, Mann-Whitney U. */
double promise_p_welch(const double *a, const double *b, size_t n);
double promise_p_ranks(const double *a, const double *b, size_t n);

#endif
