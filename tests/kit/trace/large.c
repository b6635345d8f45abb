/*
 * Prints a Chrome trace of any size to stdout: large EVENTS [backwards]. The spans have eight names
 * on four threads. Their sums go to stderr, name by name as `tacho trace summary` prints them.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMES = 8, THREADS = 4, STEP = 2000 };

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t count[NAMES] = {0}, total[NAMES] = {0};
    static char buffer[1 << 20];

    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    putchar('[');
    for (uint64_t i = 0; i < events; i++) {
        uint64_t n = argc > 2 ? events - 1 - i : i; /* the n-th in order of time */
        uint64_t ts = n / THREADS * STEP, dur = 500 + n * 7919 % 1000, name = n * 31 % NAMES;

        count[name]++;
        total[name] += dur;
        printf("%s{\"name\":\"span %u\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":%" PRIu64
               ".%03u,\"dur\":%u.%03u,\"pid\":1,\"tid\":%u,\"args\":{\"n\":%" PRIu64 "}}",
               i > 0 ? ",\n" : "", (unsigned)name, ts / 1000, (unsigned)(ts % 1000),
               (unsigned)(dur / 1000), (unsigned)(dur % 1000), (unsigned)(n % THREADS) + 1, n);
    }
    puts("]");
    for (unsigned i = 0; i < NAMES; i++)
        fprintf(stderr, "span %u\t%" PRIu64 "\t%" PRIu64 "\n", i, count[i], total[i]);
    return ferror(stdout) || fflush(stdout) != 0;
}
