/* Reads any bytes as the slots of a ring. The sampled program can write them, so nothing in them is
   trusted. */
#include "kit/flame/sample/ring_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STACK = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_collect_options options = {.user_stack = true, .weigh = true, .by_hand = true};
    struct tch_ring_reader r;
    struct tch_collect c;
    int status = tch_collect_init(&c, &options, NULL);

    if (tch_ring_open(&r, STACK, 1000, NULL) < 0)
        status = -1;
    for (uint32_t at = 0; status == 0 && size > 0 && at < r.sizes.slots; at++) {
        size_t len = size - 1 < r.sizes.slot_bytes ? size - 1 : r.sizes.slot_bytes;

        memcpy((uint8_t *)r.ring + TCH_RING_DATA + (size_t)at * r.sizes.slot_bytes, data + 1, len);
        r.ring->state[at] = data[0] % 4;
        data += len + 1;
        size -= len + 1;
    }
    for (int i = 0; status == 0 && i < 2; i++)
        status = tch_ring_drain(&r, i == 0 ? 1 << 20 : UINT64_MAX, &c, NULL);
    tch_collect_release(&c);
    tch_ring_close(&r);
    return 0;
}
