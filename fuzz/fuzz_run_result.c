/* Reads any bytes as run.json. A valid one can be written and read back. */
#include <stdint.h>
#include <stdlib.h>

#include "kit/result/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(struct tch_result *r)
{
    const struct tch_result_end end = {.state = "recovered",
                                       .stopped = "killed",
                                       .power = {.status = "unavailable", .why_not = "no"}};
    struct tch_result again = {0};
    struct tch_buf b;

    tch_buf_init(&b, 64 << 20);
    if (tch_result_end(r, &end, NULL) == 0)
        tch_result_write(&b, r);
    if (b.len > 0 && !b.failed && tch_result_parse(&again, b.data, b.len, NULL) < 0)
        abort();
    tch_result_release(&again);
    tch_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_result r;

    if (tch_result_parse(&r, (const char *)data, size, NULL) == 0 && tch_result_sum(&r, NULL) == 0)
        write_again(&r);
    tch_result_release(&r);
    return 0;
}
