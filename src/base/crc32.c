/* CRC-32 by a table of 256 entries, made at the first call. */
#include "crc32.h"

#include <pthread.h>

static uint32_t table[256];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;

        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        table[i] = value;
    }
}

uint32_t tch_crc32(uint32_t crc, const void *data, size_t len)
{
    const unsigned char *bytes = data;

    pthread_once(&table_made, make_table);
    crc = ~crc;
    for (size_t i = 0; i < len; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}
