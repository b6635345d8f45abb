/* Decompresses Zstandard with libzstd, which is loaded at run time. */
#include "zstd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"

enum { PIECE = 128 * 1024 };

/* The stable part of libzstd's interface, which has been the same since version 1.0. */
struct in_buffer {
    const void *src;
    size_t size;
    size_t pos;
};

struct out_buffer {
    void *dst;
    size_t size;
    size_t pos;
};

struct tch_unzstd {
    void *library;
    size_t (*free_stream)(void *stream);
    size_t (*decompress)(void *stream, struct out_buffer *out, struct in_buffer *in);
    unsigned (*is_error)(size_t code);
    void *stream;
    tch_zip_source *source;
    void *ctx;
    struct in_buffer in;
    size_t expected;       /* 0: a frame has ended */
    bool ended;            /* the source has no more data */
    uint64_t taken, given; /* bytes of input and of output */
    unsigned char piece[PIECE];
};

/* Loads the library and creates a stream. */
static int load(struct tch_unzstd *z, tacho_error *err)
{
    void *(*create)(void) = NULL;

    z->library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (z->library) {
        *(void **)&create = dlsym(z->library, "ZSTD_createDStream");
        *(void **)&z->free_stream = dlsym(z->library, "ZSTD_freeDStream");
        *(void **)&z->decompress = dlsym(z->library, "ZSTD_decompressStream");
        *(void **)&z->is_error = dlsym(z->library, "ZSTD_isError");
    }
    if (!create || !z->free_stream || !z->decompress || !z->is_error)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "this is Zstandard, and libzstd.so.1 is not installed; decompress it with "
                        "'zstd -d' first");
    z->stream = create();
    return z->stream ? 0 : tch_fail_memory(err);
}

int tch_unzstd_open(struct tch_unzstd **ret, tch_zip_source *source, void *ctx, tacho_error *err)
{
    struct tch_unzstd *z = calloc(1, sizeof *z);
    int status;

    if (!z)
        return tch_fail_memory(err);
    status = load(z, err);
    if (status < 0) {
        tch_unzstd_close(z);
        return status;
    }
    z->source = source;
    z->ctx = ctx;
    z->in.src = z->piece;
    *ret = z;
    return 0;
}

void tch_unzstd_close(struct tch_unzstd *z)
{
    if (!z)
        return;
    if (z->stream)
        z->free_stream(z->stream);
    if (z->library)
        dlclose(z->library);
    free(z);
}

/* Reads more input. Returns false if the source failed. */
static bool fill(struct tch_unzstd *z)
{
    ssize_t got;

    if (z->in.pos < z->in.size || z->ended)
        return true;
    got = z->source(z->ctx, (char *)z->piece, sizeof z->piece);
    if (got < 0)
        return false;
    z->ended = got == 0;
    z->taken += (uint64_t)got;
    z->in.size = (size_t)got;
    z->in.pos = 0;
    return true;
}

ssize_t tch_unzstd_read(struct tch_unzstd *z, char *buf, size_t size)
{
    struct out_buffer out = {.dst = buf, .size = size};

    while (out.pos == 0 && size > 0) {
        size_t before;

        if (!fill(z))
            return -1;
        if (z->ended && z->expected == 0)
            return 0;
        before = z->in.pos;
        z->expected = z->decompress(z->stream, &out, &z->in);
        if (z->is_error(z->expected) || (z->ended && out.pos == 0 && z->in.pos == before)) {
            errno = EBADMSG;
            return -1;
        }
    }
    z->given += out.pos;
    if (tch_zip_is_bomb(z->taken, z->given)) {
        errno = EFBIG;
        return -1;
    }
    return (ssize_t)out.pos;
}
