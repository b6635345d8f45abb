/*
 * gzip as a stream of bytes, both ways, and zlib's own format in one piece. It needs zlib, so it is
 * in the kit and not in libtacho.
 */
#ifndef TCH_GZIP_H
#define TCH_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "base/buf.h"

/** Reads like read(2). */
typedef ssize_t tch_zip_source(void *ctx, char *buf, size_t size);

/** A file of at least TCH_ZIP_FREE bytes that is compressed to less than a TCH_ZIP_RATIO-th of them
    is refused, because a small one could keep the reader busy for hours. Traces shrink to a tenth
   or a sixtieth, and the stacks of a deep recursion to 1/180. */
enum { TCH_ZIP_FREE = 64 << 20, TCH_ZIP_RATIO = 256 };

/** Returns whether `in` bytes are too few for the `out` bytes that they were decompressed to. */
static inline bool tch_zip_is_bomb(uint64_t in, uint64_t out)
{
    return out > TCH_ZIP_FREE && out / TCH_ZIP_RATIO > in;
}

/** Fails with the reason and the next step for a file for which tch_zip_is_bomb(). */
int tch_zip_fail(const char *name, tacho_error *err);

struct tch_inflate;

/** @return 0 or TACHO_ENOMEM */
int tch_inflate_open(struct tch_inflate **ret, tch_zip_source *source, void *ctx, tacho_error *err);
void tch_inflate_close(struct tch_inflate *z);

/** Reads decompressed bytes like read(2); -1 with EBADMSG where the data is damaged, and with
    EFBIG where it is a bomb. Several members are read as one. */
ssize_t tch_inflate_read(struct tch_inflate *z, char *buf, size_t size);

/** Returns whether the input ended inside a member. */
bool tch_inflate_cut(const struct tch_inflate *z);

/**
 * Inflates one whole stream of zlib's own format, up to the buffer's limit.
 *
 * @return 0, TACHO_EPARSE when it is damaged or truncated, TACHO_ENOMEM
 */
int tch_zlib_inflate(const void *data, size_t len, struct tch_buf *out, tacho_error *err);

/** Receives compressed bytes. Returns 0, or a negative code. */
typedef int tch_zip_sink(void *ctx, const void *data, size_t len);

struct tch_deflate;

/** Opens a compressor. level: 1 is fast, 9 is small. The same input always gives the same bytes.
    @return 0 or TACHO_ENOMEM */
int tch_deflate_open(struct tch_deflate **ret, int level, tch_zip_sink *sink, void *ctx,
                     tacho_error *err);
void tch_deflate_close(struct tch_deflate *z);

/** Compresses len bytes. @return 0, or the code of the sink */
int tch_deflate_write(struct tch_deflate *z, const void *data, size_t len);

/** Writes the bytes that are still held, and the end of the stream. */
int tch_deflate_finish(struct tch_deflate *z);

#endif
