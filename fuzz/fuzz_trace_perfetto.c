/* Reads a Perfetto trace: one valid packet, then any bytes. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace("", 0, data, size);
    fuzz_trace("\n\002P\001", 4, data, size); /* packet { trusted_packet_sequence_id: 1 } */
    return 0;
}
