/* Reads any text as each kind of CSV file. Accepted rows can be written and read again. */
#include <stddef.h>
#include <stdint.h>

#include <tacho/csv.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ignore(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)row;
    (void)err;
    ++*(size_t *)ctx;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_error err;
    size_t rows = 0;

    for (int kind = TACHO_CSV_RESULTS; kind <= TACHO_CSV_MEMORY_DETAIL; kind++)
        if (tacho_csv_parse((const char *)data, size, (enum tacho_csv_kind)kind, ignore, &rows,
                            &err) < 0 &&
            err.code == 0)
            __builtin_trap();
    return 0;
}
