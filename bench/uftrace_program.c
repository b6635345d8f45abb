/* uftrace_program COUNT THREADS: calls a function COUNT times on each thread; compiled with -pg. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t count;

static __attribute__((noinline)) void rms_norm(void)
{
    __asm__ volatile("" ::: "memory");
}

static __attribute__((no_instrument_function)) void *run(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < count; i++)
        rms_norm();
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned long long number = 0;
    int threads = 1;
    pthread_t other;

    if (argc != 3 || sscanf(argv[1], "%llu", &number) != 1 || sscanf(argv[2], "%d", &threads) != 1)
        return 64;
    count = number;
    if (threads > 1 && pthread_create(&other, NULL, run, NULL) != 0)
        return 1;
    run(NULL);
    if (threads > 1)
        pthread_join(other, NULL);
    return 0;
}
