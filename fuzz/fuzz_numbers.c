/* Reads any bytes as a file of numbers, with every choice of column. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/stats/number_column.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *ctx, const double *values, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL, "1", "2", "a.b", "wall_time_us"};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct tch_numbers found;
        struct tch_lines lines;

        tch_lines_init_mem(&lines, (const char *)data, size, 0);
        if (tch_numbers_read(&lines, columns[i], i % 2 == 0, take, NULL, &found, NULL) > 0)
            __builtin_trap();
        tch_lines_release(&lines);
    }
    return 0;
}
