/* Imports any bytes with every format, which gives results with runs, problems or an error. */
#include <stdint.h>
#include <stdlib.h>

#include "kit/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void import(const char *format, const uint8_t *data, size_t size)
{
    const struct tch_import_options options = {.format = format};
    struct tch_import_set set;
    tacho_error err = {0};

    tch_import_init(&set);
    if (tch_import_text(&set, "input", (const char *)data, size, 1, &options, &err) == 0 &&
        tch_import_finish(&set, &options, &err) == 0)
        for (size_t i = 0; i < set.count; i++)
            if (set.results[i].run_count == 0 || !set.results[i].name)
                abort();
    tch_import_release(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import(NULL, data, size);
    for (size_t i = 0; tch_import_format_at(i); i++)
        import(tch_import_format_at(i)->name, data, size);
    return 0;
}
