/* Reads any bytes as a calibration. A valid one can be written and reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/judge/calibration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct tch_calibration *c)
{
    struct tch_calibration again = {0};
    struct tch_buf one;
    struct tch_buf two;

    tch_buf_init(&one, TCH_CALIBRATION_MAX);
    tch_buf_init(&two, TCH_CALIBRATION_MAX);
    tch_calibration_format(&one, c, 0);
    if (!one.failed && tch_calibration_parse(&again, one.data, one.len, NULL) < 0)
        abort();
    tch_calibration_format(&two, &again, 0);
    if (!one.failed && (one.len != two.len || memcmp(one.data, two.data, one.len) != 0))
        abort();
    (void)tch_sessions_spread(NULL, &again, "x", "wall", 0.5, 0.02, NULL);
    tch_buf_release(&one);
    tch_buf_release(&two);
    tch_calibration_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_calibration c;

    if (tch_calibration_parse(&c, (const char *)data, size, NULL) == 0)
        write_again(&c);
    tch_calibration_release(&c);
    return 0;
}
