/* What workload loads while it runs: two thirds in library_hot, a third in library_warm. */
#include <stdint.h>

enum { STEPS = 2000000 };

static volatile uint64_t sink;

__attribute__((noinline)) static void library_hot(void)
{
    for (int i = 0; i < 2 * STEPS; i++)
        sink = sink * 3 + 1;
}

__attribute__((noinline)) static void library_warm(void)
{
    for (int i = 0; i < STEPS; i++)
        sink = sink * 3 + 1;
}

void library_work(uint64_t rounds);

void library_work(uint64_t rounds)
{
    while (rounds-- > 0) {
        library_hot();
        library_warm();
    }
}
