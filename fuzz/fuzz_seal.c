/* Reads any bytes as a seal. A valid seal is invalid after one bit was changed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/witness/folder_seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_all(const char *data, size_t size)
{
    struct tch_seal_line *lines = NULL;
    char hash[TCH_SHA256_HEX];
    size_t count = 0;
    int status = tch_seal_parse(data, size, &lines, &count, hash, NULL);

    tch_seal_free(lines, count);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy;

    if (read_all((const char *)data, size) != 0)
        return 0;
    copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy[size / 2] ^= 4;
    if (read_all(copy, size) == 0)
        abort();
    free(copy);
    return 0;
}
