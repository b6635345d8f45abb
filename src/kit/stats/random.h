/*
 * Random numbers from a seed: the same seed gives the same numbers on every machine.
 *
 * SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, 2014): small, and good for any seed. Not for
 * secrets.
 */
#ifndef TCH_RANDOM_H
#define TCH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t tch_random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/** Returns a number below n, all equally likely: draws that would favour small numbers are
    repeated. */
static inline size_t tch_random_below(uint64_t *state, size_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t x;

    do
        x = tch_random_bits(state);
    while (x >= limit);
    return (size_t)(x % n);
}

/** Shuffles x so that every order is equally likely (R. Durstenfeld, 1964). */
static inline void tch_random_shuffle(uint64_t *state, uint32_t *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = tch_random_below(state, i);
        uint32_t kept = x[i - 1];

        x[i - 1] = x[j];
        x[j] = kept;
    }
}

#endif
