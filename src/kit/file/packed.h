/*
 * Reads a file that may be compressed by gzip or zstd. The first bytes decide, not the name.
 *
 *     tch_packed_open(&p, fd, path, &err);
 *     tch_lines_init_source(&lines, tch_packed_read, p, path, 0);
 *     ...
 *     tch_packed_close(p);
 */
#ifndef TCH_PACKED_H
#define TCH_PACKED_H

#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

enum { TCH_PACKED_HEAD = 4096 };

struct tch_packed;

/** Starts to read fd, and reads up to TCH_PACKED_HEAD bytes ahead. fd and name are borrowed until
    the close. @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EPARSE if the data is damaged, TACHO_EINVAL
    if libzstd is needed and missing */
int tch_packed_open(struct tch_packed **ret, int fd, const char *name, tacho_error *err);

/** Accepts NULL. */
void tch_packed_close(struct tch_packed *p);

/** Returns the first decompressed bytes of the file, at most TCH_PACKED_HEAD. They will be read
    again. */
const char *tch_packed_head(const struct tch_packed *p, size_t *len);

/** Reads decompressed bytes; ctx is a struct tch_packed. For tch_lines_init_source(). @return the
    number of bytes, 0 at the end, TACHO_EIO, or TACHO_EPARSE if the data is damaged or truncated */
ssize_t tch_packed_read(void *ctx, void *data, size_t len, tacho_error *err);

#endif
