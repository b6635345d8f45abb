/* Reads a CSV file of spans: its header line, then any bytes. */
#include "kit/trace/trace_csv.h"
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace(TCH_CSV_HEAD, sizeof TCH_CSV_HEAD - 1, data, size);
    return 0;
}
