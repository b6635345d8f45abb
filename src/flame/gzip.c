/* gzip by zlib, whose header appears here alone. */
#include <zlib.h>

#include "base/error.h"
#include "formats.h"

struct tch_gzip {
    z_stream z;
    struct tch_sink *to;
};

enum {
    GZIP_WRAPPER = 15 + 16, /* the largest window; plus 16 for gzip's head, without time and name */
    LEVEL = 6,
    MEMORY = 8
};

int tch_gzip_open(struct tch_gzip **ret, struct tch_sink *to, tacho_error *err)
{
    struct tch_gzip *gzip = calloc(1, sizeof *gzip);

    if (!gzip || deflateInit2(&gzip->z, LEVEL, Z_DEFLATED, GZIP_WRAPPER, MEMORY,
                              Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory compressing");
    }
    gzip->to = to;
    *ret = gzip;
    return 0;
}

static int pump(struct tch_gzip *gzip, int flush)
{
    enum { CHUNK = 32 * 1024 };

    do {
        char *room = tch_buf_room(&gzip->to->b, CHUNK);

        if (!room)
            break;
        gzip->z.next_out = (unsigned char *)room;
        gzip->z.avail_out = CHUNK;
        deflate(&gzip->z, flush);
        tch_buf_grew(&gzip->to->b, CHUNK - gzip->z.avail_out);
        tch_sink_step(gzip->to);
    } while (gzip->z.avail_out == 0);
    tch_sink_step(gzip->to);
    return gzip->to->status;
}

int tch_gzip_write(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct tch_gzip *gzip = ctx;
    const unsigned char *p = data;
    int status = 0;

    (void)err;
    while (len > 0 && status == 0) {
        size_t n = len < (1U << 30) ? len : 1U << 30;

        gzip->z.next_in = (unsigned char *)p;
        gzip->z.avail_in = (unsigned)n;
        status = pump(gzip, Z_NO_FLUSH);
        p += n;
        len -= n;
    }
    return status;
}

int tch_gzip_close(struct tch_gzip *gzip, tacho_error *err)
{
    int status;

    (void)err;
    gzip->z.next_in = NULL;
    gzip->z.avail_in = 0;
    status = pump(gzip, Z_FINISH);
    deflateEnd(&gzip->z);
    free(gzip);
    return status;
}
