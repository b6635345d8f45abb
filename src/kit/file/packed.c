/* Reads a file that may be compressed. */
#include "packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "gzip.h"
#include "zstd.h"

enum { MAGIC = 4 };

struct tch_packed {
    int fd;
    const char *name;
    struct tch_inflate *gunzip; /* not NULL: gzip */
    struct tch_unzstd *unzstd;  /* not NULL: zstd */
    char magic[MAGIC];          /* the first bytes of the file */
    size_t magic_len;
    size_t magic_at;
    char head[TCH_PACKED_HEAD]; /* the first decompressed bytes */
    size_t head_len;
    size_t head_at;
};

/* Copies bytes that were read ahead. Returns their number. */
static size_t take_ahead(const char *from, size_t len, size_t *at, void *to, size_t size)
{
    size_t n = len - *at < size ? len - *at : size;

    memcpy(to, from + *at, n);
    *at += n;
    return n;
}

/* Reads the bytes of the file. */
static ssize_t read_raw(void *ctx, char *buf, size_t size)
{
    struct tch_packed *p = ctx;
    ssize_t got;

    if (p->magic_at < p->magic_len)
        return (ssize_t)take_ahead(p->magic, p->magic_len, &p->magic_at, buf, size);
    do
        got = read(p->fd, buf, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static ssize_t fail_read(const struct tch_packed *p, tacho_error *err)
{
    if (errno == EBADMSG)
        return tch_fail(err, TACHO_EPARSE, 0, "the %s data is damaged or truncated",
                        p->gunzip ? "gzip" : "zstd");
    if (errno == EFBIG && (p->gunzip || p->unzstd))
        return tch_zip_fail(p->name, err);
    return tch_fail_errno(err, errno, "cannot read '%s'", p->name);
}

static ssize_t read_plain(struct tch_packed *p, void *data, size_t len, tacho_error *err)
{
    ssize_t got = p->gunzip   ? tch_inflate_read(p->gunzip, data, len)
                  : p->unzstd ? tch_unzstd_read(p->unzstd, data, len)
                              : read_raw(p, data, len);

    if (got == 0 && p->gunzip && tch_inflate_cut(p->gunzip)) {
        errno = EBADMSG;
        got = -1;
    }
    return got < 0 ? fail_read(p, err) : got;
}

/* Reads the first bytes of the file and chooses the decompressor. */
static int choose(struct tch_packed *p, tacho_error *err)
{
    ssize_t got = 1;

    while (p->magic_len < MAGIC && got > 0) {
        p->magic_at = p->magic_len;
        got = read_raw(p, p->magic + p->magic_len, MAGIC - p->magic_len);
        if (got < 0)
            return (int)fail_read(p, err);
        p->magic_len += (size_t)got;
    }
    p->magic_at = 0;
    if (p->magic_len >= 2 && memcmp(p->magic, "\x1f\x8b", 2) == 0)
        return tch_inflate_open(&p->gunzip, read_raw, p, err);
    if (p->magic_len == MAGIC && memcmp(p->magic, "\x28\xb5\x2f\xfd", MAGIC) == 0)
        return tch_unzstd_open(&p->unzstd, read_raw, p, err);
    return 0;
}

int tch_packed_open(struct tch_packed **ret, int fd, const char *name, tacho_error *err)
{
    struct tch_packed *p = calloc(1, sizeof *p);
    ssize_t got = 1;
    int status;

    if (!p)
        return tch_fail_memory(err);
    p->fd = fd;
    p->name = name;
    status = choose(p, err);
    while (status == 0 && got > 0 && p->head_len < sizeof p->head) {
        got = read_plain(p, p->head + p->head_len, sizeof p->head - p->head_len, err);
        if (got < 0)
            status = (int)got;
        else
            p->head_len += (size_t)got;
    }
    if (status < 0)
        tch_packed_close(p);
    else
        *ret = p;
    return status;
}

void tch_packed_close(struct tch_packed *p)
{
    if (!p)
        return;
    tch_inflate_close(p->gunzip);
    tch_unzstd_close(p->unzstd);
    free(p);
}

const char *tch_packed_head(const struct tch_packed *p, size_t *len)
{
    *len = p->head_len;
    return p->head;
}

ssize_t tch_packed_read(void *ctx, void *data, size_t len, tacho_error *err)
{
    struct tch_packed *p = ctx;

    if (p->head_at < p->head_len)
        return (ssize_t)take_ahead(p->head, p->head_len, &p->head_at, data, len);
    return read_plain(p, data, len, err);
}
