/* Steps of work that always take the same time. They work in a register, because the latency of a
   store differs from loop to loop. They are inlined into the caller, so that they have no frame of
   their own. */
#ifndef TEST_FLAME_SPIN_H
#define TEST_FLAME_SPIN_H

#include <stdint.h>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void spin(uint64_t steps)
{
    uint64_t x = sink | 1;

    for (uint64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x)); /* keeps the compiler from merging steps */
    }
    sink = x;
}

#endif
