/* Reads a Perfetto trace: any bytes, in half of the inputs after one valid packet. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char packet[] = "\n\002P\001"; /* packet { trusted_packet_sequence_id: 1 } */

    fuzz_trace(packet, size % 2 == 0 ? 0 : 4, data, size);
    return 0;
}
