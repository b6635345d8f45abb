/*
 * The CRC-32 of gzip and of .gnu_debuglink.
 */
#ifndef TCH_CRC32_H
#define TCH_CRC32_H

#include <stddef.h>
#include <stdint.h>

/** Continues a CRC-32: `crc` is the CRC of the preceding bytes, or 0 if there are none. Returns the
    CRC of all bytes so far. */
uint32_t tch_crc32(uint32_t crc, const void *data, size_t len);

#endif
