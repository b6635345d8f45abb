/*
 * Records made-up spans, events and latencies: spans PERCENT. The span "parse" lasts a tenth of 20
 * ms, plus PERCENT, and varies by 1 % with the number of the run. It contains another "parse",
 * which a total counts once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/tacho.h>

#include "base/number.h"

/* Returns the number of the run, the last part of TACHO_RUN_DIR. */
static uint64_t run_number(void)
{
    const char *folder = getenv("TACHO_RUN_DIR");
    const char *slash = folder ? strrchr(folder, '/') : NULL;
    uint64_t run;

    return slash && tch_parse_u64(slash + 1, UINT32_MAX, &run) == 0 ? run : 0;
}

static int record_latencies(void)
{
    const char *folder = getenv("TACHO_RUN_DIR");
    tacho_latency *list;
    char path[4096];
    FILE *file;
    int status = tacho_latency_new(&list, NULL);

    for (uint64_t i = 1; status == 0 && i <= 100; i++)
        status = tacho_latency_add(list, &(tacho_latency_record){.wall_ns = 1000 * i}, NULL);
    if (status == 0)
        tacho_latency_free(list);
    snprintf(path, sizeof path, "%s/latency.login.csv", folder ? folder : ".");
    file = fopen(path, "w");
    if (!file)
        return -1;
    fputs("sample_id,wall_time_us,kernel_time_us,seq_len\n0,7,0,0\n1,9,0,0\n", file);
    return fclose(file) == 0 ? status : -1;
}

int main(int argc, char **argv)
{
    double percent = 0;
    double jitter = (double)(run_number() * 7 % 11) / 11 - 0.5;
    uint64_t now = tacho_trace_now_ns();
    uint64_t long_ns;
    uint32_t track = tacho_track("made up");
    int status = 0;

    if (argc > 1 && tch_parse_f64_n(argv[1], strlen(argv[1]), &percent) < 0)
        return 64;
    long_ns = (uint64_t)(2e6 * (1 + percent / 100) * (1 + 0.01 * jitter));
    tacho_track_span(track, "parse", "test", now, now + long_ns, TACHO_NO_FIELDS);
    tacho_track_span(track, "parse", "test", now + 1000, now + 11000, TACHO_NO_FIELDS);
    for (uint64_t i = 1; i <= 100; i++)
        tacho_track_span(track, "step=1", "test", now + long_ns + 100000 * i,
                         now + long_ns + 100000 * i + 1000 * i, TACHO_NO_FIELDS);
    for (int i = 1; i <= 4; i++)
        status |= TACHO_EVENT("load", TACHO_NO_FIELDS,
                              TACHO_FIELDS(tacho_f64("read_us", 10.0 * i), tacho_i64("calls", i),
                                           tacho_f64("write_us", 5 * i * (1 + 0.01 * jitter))),
                              false);
    return status < 0 || record_latencies() < 0;
}
