/* Chrome JSON, also as JSON lines: any input behind a bracket, which the reader then cannot take
 * for another format. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace("", 0, data, size);
    fuzz_trace("[", 1, data, size);
    return 0;
}
