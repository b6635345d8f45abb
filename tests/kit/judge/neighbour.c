/* A disturbing neighbour: uses a CPU for random times of 1 to 40 ms, with pauses of 0 to 60 ms,
   until its parent has exited. Its argument is the seed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "kit/stats/random.h"

static const size_t busy_ms = 40;
static const size_t pause_ms = 60;

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    pid_t parent = getppid();

    if (argc > 1 && tch_parse_u64(argv[1], UINT32_MAX, &seed) < 0)
        return 64;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) {
        double end = now_ms() + 1 + (double)tch_random_below(&seed, busy_ms);
        struct timespec pause = {.tv_nsec = 1000000L * (long)tch_random_below(&seed, pause_ms)};

        while (now_ms() < end)
            ;
        nanosleep(&pause, NULL);
    }
    return 0;
}
