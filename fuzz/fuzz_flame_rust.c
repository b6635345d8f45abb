/* Demangles any text as a symbol of Rust. */
#include <stdint.h>

#include "kit/symbol/symbol_rust.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = malloc(size + 3);

    if (!name)
        return 0;
    memcpy(name, "_R", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    free(tch_demangle_rust(name));
    free(name);
    return 0;
}
