/*
 * gzip as a stream of bytes, both ways. zlib is known in gzip.c alone.
 */
#ifndef TCH_TRACE_GZIP_H
#define TCH_TRACE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

/** As read(2). */
typedef ssize_t tch_gzip_source(void *ctx, char *buf, size_t size);

struct tch_gunzip;

/** @return 0 or TACHO_ENOMEM */
int tch_gunzip_open(struct tch_gunzip **ret, tch_gzip_source *source, void *ctx, tacho_error *err);
void tch_gunzip_close(struct tch_gunzip *z);

/** As read(2); -1 with EBADMSG where the data is damaged. Several members are read as one. */
ssize_t tch_gunzip_read(struct tch_gunzip *z, char *buf, size_t size);

/** Did the input end inside a member? */
bool tch_gunzip_cut(const struct tch_gunzip *z);

/** Takes what has been compressed. 0, or a negative code. */
typedef int tch_gzip_sink(void *ctx, const void *data, size_t len);

struct tch_gzip;

/** @return 0 or TACHO_ENOMEM */
int tch_gzip_open(struct tch_gzip **ret, tch_gzip_sink *sink, void *ctx, tacho_error *err);
void tch_gzip_close(struct tch_gzip *z);

/** @return 0, or what the sink returned */
int tch_gzip_write(struct tch_gzip *z, const void *data, size_t len);

/** Writes what is held, and the end. */
int tch_gzip_finish(struct tch_gzip *z);

#endif
