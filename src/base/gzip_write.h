/*
 * Writes gzip without zlib, because libtacho needs the C library alone. Each piece of text is
 * compressed by itself, with the fixed codes of RFC 1951: larger than zlib's output, and fast.
 *
 *     tch_gzip_writer_open(&z, tch_sink_to_replace, &file, err);
 *     tch_sink_init(&sink, tch_sink_to_gzip, z, err);
 *     ...
 *     tch_sink_end(&sink);
 *     tch_gzip_writer_close(z, err);
 */
#ifndef TCH_GZIP_WRITE_H
#define TCH_GZIP_WRITE_H

#include "sink.h"

struct tch_gzip_writer;

/** Opens a writer. Compressed bytes are passed to `write` with ctx. @return 0 or TACHO_ENOMEM */
int tch_gzip_writer_open(struct tch_gzip_writer **ret, tch_sink_write *write, void *ctx,
                         tacho_error *err);

/** Compresses one piece; ctx is a struct tch_gzip_writer *. Pieces should be large. */
tch_sink_write tch_sink_to_gzip;

/** Writes the end and frees z. Accepts NULL. @return 0 or a negative code */
int tch_gzip_writer_close(struct tch_gzip_writer *z, tacho_error *err);

#endif
