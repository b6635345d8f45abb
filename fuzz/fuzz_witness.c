/* Reads any bytes as a witness log, a bundle or an RVF file. A valid file reads the same again, and
   is invalid after one bit was changed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/witness.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the whole file. Returns 0 when it is valid, and then sets *covered to whether every byte
   was checked. */
static int read_all(const char *data, size_t size, bool *covered)
{
    tacho_witness_reader *r;
    tacho_witness_entry e;
    tacho_error err = {0};
    size_t kept = 0;
    int more;

    if (tacho_witness_reader_open_mem(data, size, &r, NULL) < 0)
        return -1;
    while ((more = tacho_witness_next(r, &e, &err)) > 0) {
        kept += strlen(e.q_hash) + strlen(e.k_hash);
        for (size_t i = 0; i < e.keep_count; i++)
            kept += e.keep_mask[i];
    }
    if (more < 0 &&
        (err.code != more || !err.message[0] || tacho_witness_next(r, &e, NULL) != more))
        abort();
    *covered =
        tacho_witness_reader_is_closed(r) && tacho_witness_reader_kind(r) != TACHO_WITNESS_RVF;
    tacho_witness_reader_close(r);
    return more + (int)(kept & 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool covered;
    char *copy;

    if (read_all((const char *)data, size, &covered) != 0 || !covered)
        return 0;
    copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy[size / 2] ^= 4;
    if (read_all(copy, size, &covered) == 0)
        abort();
    free(copy);
    return 0;
}
