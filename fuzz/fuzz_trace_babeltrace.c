/* Reads the text of babeltrace2: one valid line, then any bytes. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char line[] = "[00:00:00.1] (+0.1) h p:e_begin: { cpu_id = 0 }, { n = 1 }\n";

    fuzz_trace("", 0, data, size);
    fuzz_trace(line, sizeof line - 1, data, size);
    return 0;
}
