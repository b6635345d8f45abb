/*
 * Shared by the targets of traces: reads the input as a file, orders its events and summarises
 * them.
 */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/trace/trace_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Reads head followed by data. */
static inline void fuzz_trace(const char *head, size_t head_len, const uint8_t *data, size_t size)
{
    static const struct tch_trace_read_options options = {.args = true};
    char path[64];
    struct tch_trace_load load;
    struct tch_ev ev;
    tacho_error err;
    int fd = memfd_create("trace", MFD_CLOEXEC);

    if (fd < 0 || tch_write_all(fd, "memory", head, head_len, NULL) < 0 ||
        tch_write_all(fd, "memory", data, size, NULL) < 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (tch_trace_load_open(&load, path, &options, tch_by_track_and_time, &err) == 0)
        while (tch_trace_load_next(&load, &ev, &err) > 0)
            if (ev.track >= tch_model_track_count(&load.model) ||
                ev.name >= load.model.texts.count || ev.dur < 0)
                abort();
    tch_trace_load_close(&load);
    close(fd);
}

#endif
