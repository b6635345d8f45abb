/* Reads any text as a log of histograms, with and without a tag, skipping invalid lines or not. */
#include <stddef.h>
#include <stdint.h>

#include "kit/measure/hdr_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int i = 0; i < 2; i++) {
        struct tch_hdr_log found;
        struct tch_lines lines;

        tch_lines_init_mem(&lines, (const char *)data, size, 0);
        if (tch_hdr_log_read(&lines, i ? "a" : NULL, i, &found, NULL) == 0 && found.values > 0 &&
            found.intervals == 0)
            __builtin_trap();
        tch_lines_release(&lines);
        tch_hdr_log_release(&found);
    }
    return 0;
}
