/* Steps of work that take as long wherever they are: in a register, because how long a store takes
   to come back from memory is not the same in every loop. In the caller, so that no frame of its
   own shows. */
#ifndef TEST_FLAME_SPIN_H
#define TEST_FLAME_SPIN_H

#include <stdint.h>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void spin(uint64_t steps)
{
    uint64_t x = sink | 1;

    for (uint64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x)); /* or a compiler makes one step of several */
    }
    sink = x;
}

#endif
