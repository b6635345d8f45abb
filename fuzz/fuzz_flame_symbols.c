/* Reads any text as the kernel's list of symbols and as the map of a JIT compiler. */
#include "kit/symbol/symbol_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_symbol_table tables[2] = {{0}, {0}};

    tch_symbol_table_kallsyms(&tables[0], (const char *)data, size);
    tch_symbol_table_perf_map(&tables[1], (const char *)data, size);
    for (int i = 0; i < 2; i++) {
        tch_symbol_table_find(&tables[i], 0xffffffff81000000, 0);
        tch_symbol_table_release(&tables[i]);
    }
    return 0;
}
