/*
 * SplitMix64 (Steele, Lea and Flood 2014): the same numbers for a seed on every machine.
 */
#ifndef EXAMPLE_RANDOM_H
#define EXAMPLE_RANDOM_H

#include <stdint.h>

/** Returns the next number of the stream and advances *state; any state is a good seed. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/** Returns a uniform number in [low, high], a range of fewer than 2^32 numbers. */
static inline uint64_t random_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + ((random_next(state) >> 32) * (high - low + 1) >> 32);
}

/** Returns a uniform number in [-size, size), one of 2^24 steps. */
static inline float random_float(uint64_t *state, float size)
{
    float unit = (float)(random_next(state) >> 40) * 0x1p-24f; /* in [0, 1), exactly */

    return (unit * 2 - 1) * size;
}

#endif
