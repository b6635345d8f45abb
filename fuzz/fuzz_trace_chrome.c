/* Reads Chrome JSON, also as JSON lines: a bracket, then any bytes. The bracket keeps the reader
   from detecting another format. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace("", 0, data, size);
    fuzz_trace("[", 1, data, size);
    return 0;
}
