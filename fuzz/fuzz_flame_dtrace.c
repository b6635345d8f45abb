/* Reads any bytes as stacks of DTrace and writes them in every format. */
#include "flame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_flame(TCH_READ_DTRACE, data, size);
    return 0;
}
