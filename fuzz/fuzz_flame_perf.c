/* Reads any bytes as the text of perf script and writes the stacks in every format. */
#include "flame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_flame(TCH_READ_PERF, data, size);
    return 0;
}
