/* Works for some milliseconds in functions that call each other, prints "done" and exits with 5. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline uint64_t inlined(uint64_t x)
{
    return x * x + 3;
}

__attribute__((noinline)) static uint64_t leaf(uint64_t n)
{
    volatile uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += inlined(i);
    return sum;
}

__attribute__((noinline)) static uint64_t middle(uint64_t n)
{
    return leaf(n) + leaf(n / 2) + 1;
}

int main(void)
{
    struct timespec used;

    do {
        middle(100000);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_sec == 0 && used.tv_nsec < 30 * 1000 * 1000);
    puts("done");
    return 5;
}
