/* Reads any text as a file of /proc. */
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "lib/measure/proc_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct tch_stat stat;
    struct tch_status status;
    uint64_t pages;
    uint64_t shared;

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    tch_stat_parse(text, &stat);
    tch_statm_parse(text, &pages, &shared);
    tch_status_parse(text, &status);
    free(text);
    return 0;
}
