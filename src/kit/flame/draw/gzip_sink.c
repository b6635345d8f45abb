/* A sink that compresses into another. */
#include "base/gzip.h"

#include "base/fail.h"
#include "profile_formats.h"

enum { LEVEL = 6 };

struct tch_gzip {
    struct tch_deflate *z;
    struct tch_sink *to;
};

static int put(void *ctx, const void *data, size_t len)
{
    struct tch_sink *to = ctx;

    tch_buf_add(&to->b, data, len);
    tch_sink_step(to);
    return to->status;
}

int tch_gzip_open(struct tch_gzip **ret, struct tch_sink *to, tacho_error *err)
{
    struct tch_gzip *gzip = calloc(1, sizeof *gzip);
    int status = TACHO_ENOMEM;

    if (gzip)
        status = tch_deflate_open(&gzip->z, LEVEL, put, to, NULL);
    if (status < 0) {
        free(gzip);
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory compressing");
    }
    gzip->to = to;
    *ret = gzip;
    return 0;
}

int tch_gzip_write(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct tch_gzip *gzip = ctx;

    (void)err;
    return tch_deflate_write(gzip->z, data, len);
}

int tch_gzip_close(struct tch_gzip *gzip, tacho_error *err)
{
    int status = tch_deflate_finish(gzip->z);

    (void)err;
    tch_deflate_close(gzip->z);
    free(gzip);
    return status;
}
