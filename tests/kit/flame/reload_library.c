/* One of two libraries that reload loads in turn at one address. They differ in the name of their
   hot function only, so they have the same size. */
#include <stdint.h>

uint64_t RELOAD_NAME(uint64_t steps);

/* Uses no memory but its registers, so that its code also runs where only its page is mapped. */
__attribute__((noinline)) uint64_t RELOAD_NAME(uint64_t steps)
{
    uint64_t x = steps | 1;

    while (steps-- > 0) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x)); /* keeps the compiler from merging steps */
    }
    return x;
}
