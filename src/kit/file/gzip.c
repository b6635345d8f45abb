/* Reads and writes gzip with zlib. No other file includes zlib's header. */
#include "gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/fail.h"

enum {
    PIECE = 64 * 1024,
    GZIP_ONLY = 16 + MAX_WBITS, /* accepts gzip only, not zlib's own format */
};

struct tch_inflate {
    z_stream z;
    tch_zip_source *source;
    void *ctx;
    bool ended;            /* the source has no more data */
    bool inside;           /* a member has begun and not ended yet */
    uint64_t taken, given; /* bytes of input and of output */
    unsigned char in[PIECE];
};

int tch_inflate_open(struct tch_inflate **ret, tch_zip_source *source, void *ctx, tacho_error *err)
{
    struct tch_inflate *z = calloc(1, sizeof *z);

    if (!z || inflateInit2(&z->z, GZIP_ONLY) != Z_OK) {
        free(z);
        return tch_fail_memory(err);
    }
    z->source = source;
    z->ctx = ctx;
    *ret = z;
    return 0;
}

void tch_inflate_close(struct tch_inflate *z)
{
    if (!z)
        return;
    inflateEnd(&z->z);
    free(z);
}

bool tch_inflate_cut(const struct tch_inflate *z)
{
    return z->inside && z->ended;
}

/* Reads more input. Returns 1 when there is some, 0 at the end, -1 when the source failed. */
static int fill(struct tch_inflate *z)
{
    ssize_t got;

    if (z->z.avail_in > 0)
        return 1;
    if (z->ended)
        return 0;
    got = z->source(z->ctx, (char *)z->in, sizeof z->in);
    if (got < 0)
        return -1;
    z->ended = got == 0;
    z->taken += (uint64_t)got;
    z->z.next_in = z->in;
    z->z.avail_in = (uInt)got;
    return got > 0;
}

int tch_zip_fail(const char *name, tacho_error *err)
{
    return tch_fail(
        err, TACHO_ELIMIT, 0,
        "'%.150s' is compressed to less than 1/%d; if you trust it, decompress it first", name,
        TCH_ZIP_RATIO);
}

static ssize_t count_given(struct tch_inflate *z, size_t len)
{
    z->given += len;
    if (!tch_zip_is_bomb(z->taken, z->given))
        return (ssize_t)len;
    errno = EFBIG;
    return -1;
}

ssize_t tch_inflate_read(struct tch_inflate *z, char *buf, size_t size)
{
    size_t want = size < PIECE * 64 ? size : PIECE * 64;

    z->z.next_out = (unsigned char *)buf;
    z->z.avail_out = (uInt)want;
    while (z->z.avail_out == want) {
        int have = fill(z), code;

        if (have <= 0)
            return have;
        if (!z->inside && inflateReset(&z->z) != Z_OK)
            break;
        z->inside = true;
        code = inflate(&z->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            z->inside = false;
        else if (code != Z_OK && code != Z_BUF_ERROR)
            break;
        if (z->z.avail_out == 0)
            return count_given(z, want);
    }
    if (z->z.avail_out < want)
        return count_given(z, want - z->z.avail_out);
    errno = EBADMSG;
    return -1;
}

int tch_zlib_inflate(const void *data, size_t len, struct tch_buf *out, tacho_error *err)
{
    unsigned char piece[PIECE];
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)len};
    int code = len <= UINT_MAX && inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR;

    while (code == Z_OK && !out->failed) {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        code = inflate(&z, Z_NO_FLUSH);
        tch_buf_add(out, piece, sizeof piece - z.avail_out);
    }
    inflateEnd(&z);
    if (out->failed || code == Z_MEM_ERROR)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory, or too much data, to inflate");
    return code == Z_STREAM_END ? 0
                                : tch_fail(err, TACHO_EPARSE, 0, "a zlib stream that is damaged");
}

struct tch_deflate {
    z_stream z;
    tch_zip_sink *sink;
    void *ctx;
    int status;
    unsigned char out[PIECE];
};

int tch_deflate_open(struct tch_deflate **ret, int level, tch_zip_sink *sink, void *ctx,
                     tacho_error *err)
{
    struct tch_deflate *z = calloc(1, sizeof *z);

    if (!z || deflateInit2(&z->z, level, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        return tch_fail_memory(err);
    }
    z->sink = sink;
    z->ctx = ctx;
    *ret = z;
    return 0;
}

void tch_deflate_close(struct tch_deflate *z)
{
    if (!z)
        return;
    deflateEnd(&z->z);
    free(z);
}

static int pump(struct tch_deflate *z, int flush)
{
    int code;

    do {
        z->z.next_out = z->out;
        z->z.avail_out = sizeof z->out;
        code = deflate(&z->z, flush);
        if (z->status == 0)
            z->status = z->sink(z->ctx, z->out, sizeof z->out - z->z.avail_out);
    } while (z->status == 0 && (z->z.avail_out == 0 || (flush == Z_FINISH && code == Z_OK)));
    return z->status;
}

int tch_deflate_write(struct tch_deflate *z, const void *data, size_t len)
{
    const unsigned char *at = data;

    while (len > 0 && z->status == 0) {
        uInt n = len < 1u << 30 ? (uInt)len : 1u << 30;

        z->z.next_in = (unsigned char *)(uintptr_t)at;
        z->z.avail_in = n;
        pump(z, Z_NO_FLUSH);
        at += n;
        len -= n;
    }
    return z->status;
}

int tch_deflate_finish(struct tch_deflate *z)
{
    z->z.avail_in = 0;
    return pump(z, Z_FINISH);
}
