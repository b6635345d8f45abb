/*
 * A program that records itself: it allocates memory for two categories, and writes five profile
 * events and five latencies. Its arguments alone determine what it records, so nothing depends on
 * the machine.
 *
 *     model KV_KIB WEIGHTS_KIB ATTENTION_US
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/event.h>
#include <tacho/latency.h>
#include <tacho/memory.h>

#include "base/number.h"

enum { EVENTS = 5 };

static void *take(tacho_memory *m, int category, double kib)
{
    size_t size = (size_t)(kib * 1024);
    void *held = malloc(size + 1);

    if (held)
        memset(held, 1, size);
    tacho_memory_add(m, category, (int64_t)size);
    return held;
}

static int hold(double kv_kib, double weights_kib, tacho_error *err)
{
    tacho_memory *m;
    void *held[2];
    int weights;
    int status = tacho_memory_new("model", &m, err);

    if (status < 0)
        return status;
    weights = tacho_memory_category(m, "weights", err);
    held[0] = take(m, TACHO_MEMORY_KV_CACHE, kv_kib);
    held[1] = take(m, weights, weights_kib);
    status = tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, NULL, err);
    tacho_memory_add(m, TACHO_MEMORY_KV_CACHE, -(int64_t)(kv_kib * 1024) / 2);
    if (status == 0)
        status = tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, NULL, err);
    free(held[0]);
    free(held[1]);
    tacho_memory_free(m);
    return status;
}

/* Durations around the one asked for, so that it is the median; the last is an outlier. */
static const double shares[EVENTS] = {0.98, 1.01, 1, 0.99, 3};

/* Records one nanosecond more, which microseconds would lose. The kernel's part is half of it. */
static int record_latencies(double us, tacho_error *err)
{
    tacho_latency *list;
    int status = tacho_latency_new(&list, err);

    if (status < 0)
        return status;
    for (int i = 0; i < EVENTS && status == 0; i++) {
        uint64_t ns = (uint64_t)(us * 1e3 * shares[i] + 0.5);

        status = tacho_latency_add(
            list, &(tacho_latency_record){.wall_ns = ns + 1, .kernel_ns = ns / 2}, err);
    }
    tacho_latency_free(list);
    return status;
}

static int write_events(double us, tacho_error *err)
{
    int status = 0;

    for (int i = 0; i < EVENTS && status == 0; i++) {
        char stages[128];

        snprintf(stages, sizeof stages,
                 "{\"attention_us\": %.3f, \"mlp\": {\"up_us\": %.3f}, \"kernel_calls\": 12}",
                 us * shares[i], 100 * shares[i]);
        status = tacho_event_push_json(tacho_event_global(), "decode", "{}", stages, false, err);
    }
    return status;
}

int main(int argc, char **argv)
{
    double number[3];
    tacho_error err;

    if (argc != 4)
        return 64;
    for (int i = 0; i < 3; i++)
        if (tch_parse_f64(argv[i + 1], &number[i]) < 0)
            return 64;
    if (hold(number[0], number[1], &err) < 0 || write_events(number[2], &err) < 0 ||
        record_latencies(number[2], &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return 0;
}
