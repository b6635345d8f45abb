/* A library that workload loads at run time: two thirds in library_hot, a third in library_warm. */
#include "spin.h"

enum { STEPS = 2000000 };

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
