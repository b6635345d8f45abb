/*
 * Random numbers for simulations. The same seed gives the same numbers on every machine.
 */
#ifndef TEST_JUDGE_RANDOM_H
#define TEST_JUDGE_RANDOM_H

#include <math.h>
#include <stdint.h>

/* splitmix64. */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a number between 0 and 1, exclusive. */
static inline double random_share(uint64_t *state)
{
    return ((double)(random_bits(state) >> 11) + 0.5) * 0x1p-53;
}

static inline double random_normal(uint64_t *state)
{
    double u = random_share(state);
    double v = random_share(state);

    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

#endif
