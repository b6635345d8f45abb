/* Reads any bytes as a compressed trace, and the trace in it. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace("", 0, data, size);
    fuzz_trace("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10, data, size);
    return 0;
}
