/* Reads any bytes as a baseline. A valid one can be written and reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/judge/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct tch_baseline *b)
{
    struct tch_baseline again = {0};
    struct tch_buf one;
    struct tch_buf two;

    tch_buf_init(&one, TCH_BASELINE_MAX);
    tch_buf_init(&two, TCH_BASELINE_MAX);
    tch_baseline_format(&one, b);
    if (!one.failed && tch_baseline_parse(&again, one.data, one.len, NULL) < 0)
        abort();
    tch_baseline_format(&two, &again);
    if (!one.failed && (one.len != two.len || memcmp(one.data, two.data, one.len) != 0))
        abort();
    (void)tch_baseline_spread(&again, "wall", 0.5, 0.02);
    tch_buf_release(&one);
    tch_buf_release(&two);
    tch_baseline_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_baseline b;

    if (tch_baseline_parse(&b, (const char *)data, size, NULL) == 0)
        write_again(&b);
    tch_baseline_release(&b);
    return 0;
}
