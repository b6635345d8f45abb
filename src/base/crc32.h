/*
 * The CRC-32 of gzip and of .gnu_debuglink.
 */
#ifndef TCH_CRC32_H
#define TCH_CRC32_H

#include <stddef.h>
#include <stdint.h>

/** Returns the CRC of the bytes whose CRC is `crc` (0: no bytes) followed by these. */
uint32_t tch_crc32(uint32_t crc, const void *data, size_t len);

#endif
