/* Reads folded stacks: one valid line, then any bytes. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace("", 0, data, size);
    fuzz_trace("a;b 1\n", 6, data, size);
    return 0;
}
