/* Reads any bytes as run.json. A valid one can be written and read back. */
#include <stdint.h>

#include "kit/run/receipt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(struct tch_receipt *r)
{
    const struct tch_run_end end = {
        .state = "recovered", .stopped = "killed", .power = {.status = "unavailable", .why = "no"}};
    struct tch_receipt again = {0};
    struct tch_buf b;

    tch_buf_init(&b, 64 << 20);
    if (tch_receipt_end(r, &end, NULL) == 0)
        tch_receipt_write(&b, r);
    if (b.len > 0 && !b.failed && tch_receipt_parse(&again, &b, NULL) < 0)
        abort();
    tch_receipt_release(&again);
    tch_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_receipt r;
    struct tch_buf b;

    tch_buf_init(&b, 64 << 20);
    tch_buf_add(&b, data, size);
    if (tch_receipt_parse(&r, &b, NULL) == 0 && tch_receipt_sum(&r, NULL) == 0)
        write_again(&r);
    tch_receipt_release(&r);
    tch_buf_release(&b);
    return 0;
}
