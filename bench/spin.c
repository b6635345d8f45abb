/* spin MS: keeps the CPU busy for MS milliseconds. bench_run measures it. */
#include "base/clock.h"
#include "base/number.h"

int main(int argc, char **argv)
{
    uint64_t ms = 0;
    uint64_t end = tch_now_ns();

    if (argc != 2 || tch_parse_u64(argv[1], 10000, &ms) < 0)
        return 64;
    end += ms * 1000000;
    while (tch_now_ns() < end)
        ;
    return 0;
}
