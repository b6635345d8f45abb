/* Works for about 20 ms, a tenth of it in 200 spans "parse", which are PERCENT longer: spans_real
   PERCENT. */
#include <string.h>

#include <tacho/tacho.h>

#include "base/number.h"

enum { SPANS = 200, ROUNDS = 5000 };

static unsigned work(unsigned x, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        x = x * 1664525 + (1013904223 ^ (x >> 7));
    return x;
}

int main(int argc, char **argv)
{
    uint64_t percent = 0;
    unsigned x = 1;

    if (argc > 1 && tch_parse_u64(argv[1], 1000, &percent) < 0)
        return 64;
    for (int i = 0; i < SPANS; i++) {
        x = work(x, 9 * ROUNDS);
        TACHO_SPAN("parse", "test");
        x = work(x, ROUNDS + ROUNDS / 100 * (unsigned)percent);
    }
    return x == 1; /* never true, but the compiler does not know that */
}
