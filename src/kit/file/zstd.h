/*
 * Decompresses Zstandard. libzstd.so.1 is loaded when the first file needs it, so tacho can be
 * built and installed without it.
 */
#ifndef TCH_ZSTD_H
#define TCH_ZSTD_H

#include "gzip.h"

struct tch_unzstd;

/** Opens a decompressor. @return 0, TACHO_ENOMEM, or TACHO_EINVAL if libzstd is not installed */
int tch_unzstd_open(struct tch_unzstd **ret, tch_zip_source *source, void *ctx, tacho_error *err);

/** Accepts NULL. */
void tch_unzstd_close(struct tch_unzstd *z);

/** Reads decompressed bytes like read(2); -1 with EBADMSG where the data is damaged or truncated,
    and with EFBIG where it is a bomb, see tch_zip_is_bomb().
    Several frames are read as one. */
ssize_t tch_unzstd_read(struct tch_unzstd *z, char *buf, size_t size);

#endif
