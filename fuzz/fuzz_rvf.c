/* Makes RVF files with valid headers and checksums, so that the reader reaches their payloads. The
   input is a list of segments, each a type, two bytes of length and a payload. */
#include <stdint.h>
#include <string.h>

#include <tacho/witness.h>

#include "base/buf.h"
#include "lib/witness/rvf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_segment(struct tch_buf *b, uint8_t type, uint64_t id, const uint8_t *payload,
                        size_t len)
{
    static const uint8_t zeros[TCH_RVF_HEADER];
    uint8_t header[TCH_RVF_HEADER];
    uint8_t hash[TCH_RVF_HASH];

    tch_shake256(payload, len, hash, sizeof hash);
    tch_rvf_header(header, type, id, len, hash);
    tch_buf_add(b, header, sizeof header);
    tch_buf_add(b, payload, len);
    tch_buf_add(b, zeros, tch_rvf_padding(len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_witness_reader *r;
    tacho_witness_entry e;
    tacho_error err = {0};
    struct tch_buf b;
    int more = 0;

    tch_buf_init(&b, 1 << 24);
    for (uint64_t id = 1; size > 3; id++) {
        size_t len = (size_t)(data[1] | data[2] << 8);

        len = len < size - 3 ? len : size - 3;
        add_segment(&b, data[0], id, data + 3, len);
        data += 3 + len;
        size -= 3 + len;
    }
    if (!b.failed && tacho_witness_reader_open_mem(b.data, b.len, &r, NULL) == 0) {
        while ((more = tacho_witness_next(r, &e, &err)) > 0)
            ;
        if (more < 0 && (err.code != more || !err.message[0]))
            __builtin_trap();
        tacho_witness_reader_close(r);
    }
    tch_buf_release(&b);
    return 0;
}
