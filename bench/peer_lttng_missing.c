/* Replaces LTTng-UST where it is not installed. */
#include "trace_peers.h"

void bench_lttng_start(const char *folder)
{
    (void)folder;
}

void bench_lttng_stop(void)
{
}

const char *bench_lttng_missing(void)
{
    return "not installed (packages liblttng-ust-dev, lttng-tools)";
}

void bench_lttng_spans(uint64_t count)
{
    (void)count;
}
