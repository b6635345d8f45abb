/* What workload loads while it runs: two thirds in library_hot, a third in library_warm. */
#include <stdint.h>

enum { STEPS = 2000000 };

static volatile uint64_t sink;

/* In a register: how long a store takes to come back from memory is not the same in every loop. */
static inline __attribute__((always_inline)) void spin(int steps)
{
    uint64_t x = sink | 1;

    for (int i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    sink = x;
}

__attribute__((noinline)) static void library_hot(void)
{
    spin(2 * STEPS);
}

__attribute__((noinline)) static void library_warm(void)
{
    spin(STEPS);
}

void library_work(uint64_t rounds);

void library_work(uint64_t rounds)
{
    while (rounds-- > 0) {
        library_hot();
        library_warm();
    }
}
