/*
 * Reads any bytes as a recording and writes a trace of it, whose format the size of the input
 * chooses. Every pass must succeed and count the
 * same. An input that begins like a recording is used as a whole file. Any other input is two bytes
 * with the number of words of names, these words, and the words of a stage, which are put into a
 * file with a valid header.
 */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/trace/record_words.h"
#include "lib/trace/recording_convert.h"
#include "lib/trace/recording_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

static void put(int fd, const void *data, size_t size, uint64_t offset)
{
    must(pwrite(fd, data, size, (off_t)offset) == (ssize_t)size);
}

static void put_header(int fd)
{
    struct tch_rec_header head = {.version = TCH_REC_VERSION,
                                  .byte_order = TCH_REC_BYTE_ORDER,
                                  .header_size = TCH_REC_HEADER,
                                  .chunk_size = TCH_REC_CHUNK,
                                  .pid = 1,
                                  .clock = TCH_REC_CLOCK_NS,
                                  .tracks = 1,
                                  .dropped = 1,
                                  .reasons = TCH_REC_DISK,
                                  .first = {.ticks = 1, .ns = 2, .check = 1 ^ 2},
                                  .last = {{.ticks = 1001, .ns = 1002, .check = 1001 ^ 1002}}};

    memcpy(head.magic, TCH_REC_MAGIC, sizeof head.magic);
    put(fd, &head, sizeof head, 0);
}

static void put_chunk(int fd, uint64_t slot, uint32_t type, const uint8_t *data, size_t size)
{
    struct tch_rec_chunk chunk = {
        .magic = TCH_REC_CHUNK_MAGIC, .type = type, .thread = 1, .tid = 1};
    uint64_t offset = TCH_REC_HEADER + slot * TCH_REC_CHUNK;

    put(fd, &chunk, sizeof chunk, offset);
    if (size > TCH_REC_CHUNK - sizeof chunk)
        size = TCH_REC_CHUNK - sizeof chunk;
    put(fd, data, size, offset + sizeof chunk);
}

static void put_parts(int fd, const uint8_t *data, size_t size)
{
    size_t names = ((size_t)data[0] | (size_t)data[1] << 8) * 8;

    data += 2;
    size -= 2;
    if (names > size)
        names = size;
    put_header(fd);
    put_chunk(fd, 0, TCH_REC_TABLE, data, names);
    put_chunk(fd, 1, TCH_REC_STAGE, data + names, size - names);
}

/* A sum over all events, to compare two passes. */
struct sum {
    const struct tch_recording *r;
    uint64_t of;
};

static int add(void *ctx, const struct tch_seen_event *e)
{
    struct sum *sum = ctx;
    struct tch_rec_args args = e->args;
    struct tch_rec_arg arg;

    sum->of = sum->of * 31 + e->id + e->ns;
    while (tch_rec_next_arg(sum->r, &args, &arg))
        sum->of += arg.key->name_len + arg.len + arg.bits;
    return 0;
}

static int drop(void *ctx, const void *data, size_t len, tacho_error *err)
{
    (void)ctx, (void)data, (void)len, (void)err;
    return 0;
}

static void write_as(struct tch_recording *r, const struct tch_trace_format *format)
{
    must(format->write(r, drop, NULL, NULL) == 0);
}

static void read_all(struct tch_recording *r, const struct tch_trace_format *format)
{
    struct sum first = {.r = r}, second = {.r = r};

    must(tch_recording_walk(r, add, &first, NULL) == 0);
    must(tch_recording_walk(r, add, &second, NULL) == 0);
    must(first.of == second.of);
    write_as(r, format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    struct tch_recording r;
    char path[64];

    must(fd >= 0);
    if (size >= 8 && memcmp(data, TCH_REC_MAGIC, 8) == 0)
        put(fd, data, size, 0);
    else if (size >= 2)
        put_parts(fd, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (tch_recording_open(&r, path, NULL) == 0) {
        read_all(&r, size % 2 == 0 ? &tch_trace_chrome : &tch_trace_perfetto);
        tch_recording_close(&r);
    }
    close(fd);
    return 0;
}
