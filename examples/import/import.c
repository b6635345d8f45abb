/*
 * Converts timings that another program has printed, one per line, to a trace:
 *
 *     NAME CATEGORY START_US DURATION_US TRACK
 *     NAME CATEGORY - DURATION_MS TRACK
 *
 *     ./import OUT.json <timings.txt
 *
 * The first form gives an event of ferrum's Chrome trace with its own times. The second one is a
 * span that ends when its line is read, for a program that prints each timing at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/trace.h>

/* Records one line. Returns 0 when the line has neither form. */
static int record_line(const char *line, uint64_t number)
{
    char name[64], category[64], start[32], duration[32], tid[32];
    uint64_t track;

    if (sscanf(line, "%63s %63s %31s %31s %31s", name, category, start, duration, tid) != 5)
        return 0;
    track = strtoull(tid, NULL, 10);
    if (track > UINT32_MAX)
        return 0;
    if (strcmp(start, "-") == 0)
        tacho_trace_push_args(name, category, strtod(duration, NULL), (uint32_t)track,
                              TACHO_FIELDS(tacho_u64("line", number)));
    else
        tacho_trace_push_event(
            &(tacho_trace_event){.name = name,
                                 .category = category,
                                 .phase = "X",
                                 .ts_us = strtoull(start, NULL, 10),
                                 .dur_us = strtoull(duration, NULL, 10),
                                 .tid = track,
                                 .args = TACHO_FIELDS(tacho_u64("line", number))});
    return 1;
}

int main(int argc, char **argv)
{
    unsigned long long lines = 0, recorded = 0;
    char line[512];
    tacho_error err;

    if (argc != 2) {
        fprintf(stderr, "usage: import OUT.json <timings.txt\n");
        return 2;
    }
    if (tacho_trace_start(argv[1], &err) < 0) {
        fprintf(stderr, "import: %s\n", err.message);
        return 1;
    }
    while (fgets(line, sizeof line, stdin))
        recorded += (unsigned long long)record_line(line, ++lines);
    if (tacho_trace_stop(&err) < 0) {
        fprintf(stderr, "import: %s\n", err.message);
        return 1;
    }
    printf("%llu of %llu lines\n", recorded, lines);
    return 0;
}
