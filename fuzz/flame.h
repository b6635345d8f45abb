/*
 * Shared by the flamegraph targets: reads any bytes as one kind of text and writes the stacks in
 * one format, which the size of the input chooses. All formats would take ten times as long, and
 * inputs of other sizes try the others.
 */
#ifndef FUZZ_FLAME_H
#define FUZZ_FLAME_H

#include "kit/flame/draw/palette.h"
#include "kit/flame/draw/profile_formats.h"

static int take_anything(void *ctx, const void *data, size_t len, tacho_error *err)
{
    (void)ctx;
    (void)data;
    (void)len;
    (void)err;
    return 0;
}

static const struct tch_format *format_for(size_t size)
{
    size_t count = 1; /* there is at least one */

    while (tch_formats[count].name)
        count++;
    return &tch_formats[size % count];
}

static inline void fuzz_flame(enum tch_read_kind kind, const uint8_t *data, size_t size)
{
    struct tch_flame_read_options read = {.kind = kind};
    struct tch_format_options write = {.columns = 60, .utf8 = true};
    struct tch_stacks stacks = {0};
    struct tch_timeline timeline = {0};
    struct tch_profile profile = {.stacks = &stacks, .timeline = &timeline, .name = "fuzz"};
    struct tch_flame_reader reader;

    /* The first byte chooses the options. */
    if (size > 0) {
        read.tid = data[0] & 1;
        read.mark_kernel = read.mark_jit = read.mark_inlined = data[0] & 2;
        read.source = data[0] & 4;
        read.addrs = data[0] & 8;
        read.reverse = data[0] & 16;
        read.merge_threads = data[0] & 32;
        read.strip_hex = read.collapse_recursion = data[0] & 64;
        read.kind = data[0] & 128 ? TCH_READ_AUTO : kind;
        write.svg.palette = data[0] & 128 ? TCH_PALETTE_LANGUAGE : TCH_PALETTE_LIBRARY;
        data++;
        size--;
    }
    tch_read_init(&reader, &stacks, &read);
    reader.timeline = &timeline;
    if (tch_read_mem(&reader, (const char *)data, size, NULL) == 0) {
        struct tch_sink sink;

        tch_sink_init(&sink, take_anything, NULL, NULL);
        format_for(size)->write(&profile, &write, &sink);
        tch_sink_end(&sink);
    }
    tch_read_release(&reader);
    tch_timeline_release(&timeline);
    tch_stacks_release(&stacks);
}

#endif
