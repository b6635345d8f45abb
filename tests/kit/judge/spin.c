/* Allocates some MiB, then spins until it has used the given number of milliseconds of CPU time,
   including its start and the allocation. A busy machine stretches all of these alike. "@FILE"
   instead of the milliseconds reads them from a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

static double used_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int read_ms(const char *arg, double *ms)
{
    char text[64] = "";
    FILE *file = arg[0] == '@' ? fopen(arg + 1, "r") : NULL;

    if (arg[0] != '@')
        return tch_parse_f64(arg, ms);
    if (!file || !fgets(text, sizeof text, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return tch_parse_f64(text, ms);
}

int main(int argc, char **argv)
{
    double ms = 20;
    double mib = 0;
    volatile char *held;

    if ((argc > 1 && read_ms(argv[1], &ms) < 0) || (argc > 2 && tch_parse_f64(argv[2], &mib) < 0))
        return 64;
    held = malloc((size_t)(mib * 1048576) + 1);
    if (!held)
        return 1;
    for (size_t i = 0; i < (size_t)(mib * 1048576); i += 4096)
        held[i] = 1;
    while (used_ms() < ms)
        ;
    free((void *)held);
    return 0;
}
