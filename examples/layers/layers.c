/*
 * Writes Chrome trace files span by span, one file per request, and reads the sum of the layers
 * back.
 *
 *     ./layers OUT_DIR
 *
 * Each request has a writer of its own, a layer is a track, and a span carries the shape of its
 * tensor. OUT_DIR/request-1.json and request-2.json open in Perfetto and chrome://tracing.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tacho/chrome.h>

enum { REQUESTS = 2, LAYERS = 3, NAME_ROOM = 512 };

static void fail(const char *what, const tacho_error *err)
{
    fprintf(stderr, "layers: cannot %s: %s\n", what, err->message);
    exit(1);
}

/* Runs a layer, and returns how long it took in milliseconds. */
static double run_layer(uint32_t layer)
{
    uint64_t start = tacho_trace_now_ns();
    volatile double sum = 0;

    for (uint32_t i = 0; i < 20000 * (layer + 1); i++)
        sum = sum + (double)i;
    return (double)(tacho_trace_now_ns() - start) / 1e6;
}

static void write_request(const char *path)
{
    tacho_chrome *trace = NULL;
    tacho_error err;

    if (tacho_chrome_open(path, &trace, &err) < 0)
        fail("open the trace", &err);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        double elapsed_ms = run_layer(layer);

        if (tacho_chrome_push(trace, "attention", "layer", elapsed_ms, layer,
                              TACHO_FIELDS(tacho_u64("tokens", 4), tacho_json("shape", "[4,4096]")),
                              &err) < 0)
            fail("add a span", &err);
    }
    if (tacho_chrome_close(trace, &err) < 0)
        fail("write the trace", &err);
}

/* Prints the number of spans of a file, and the sum of their durations. */
static void sum_up(const char *path)
{
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    tacho_error err;
    uint64_t sum_us = 0;
    int count = 0, more;

    if (tacho_chrome_reader_open(path, &reader, &err) < 0)
        fail("open the trace", &err);
    for (; (more = tacho_chrome_next(reader, &event, &err)) > 0; count++)
        sum_us += event->dur_us;
    tacho_chrome_reader_close(reader);
    if (more < 0)
        fail("read the trace", &err);
    printf("%s: %d spans, %llu us\n", path, count, (unsigned long long)sum_us);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: layers OUT_DIR\n");
        return 64;
    }
    for (int request = 1; request <= REQUESTS; request++) {
        char path[NAME_ROOM];

        snprintf(path, sizeof path, "%s/request-%d.json", argv[1], request);
        write_request(path);
        sum_up(path);
    }
    return 0;
}
