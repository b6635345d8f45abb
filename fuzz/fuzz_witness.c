/* Witness logs, bundles and RVF files: whatever is read ends well; what is sound stays so, and with
   one bit changed is not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/witness.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 0: sound, and it goes on until there is no more. */
static int read_all(const char *data, size_t size, tacho_witness_info *info)
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
    tacho_witness_info_get(r, info);
    info->config = info->hash = NULL; /* go with the reader */
    tacho_witness_reader_close(r);
    return more + (int)(kept & 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_witness_info info;
    char *copy;

    if (read_all((const char *)data, size, &info) != 0 || !info.closed)
        return 0;
    if (info.kind == TACHO_WITNESS_RVF) /* it may have checksums that are not checked */
        return 0;
    copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy[size / 2] ^= 4;
    if (read_all(copy, size, &info) == 0)
        abort();
    free(copy);
    return 0;
}
