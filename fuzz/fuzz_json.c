/* Reads any bytes as JSON. All ways of reading agree with each other and with the plain
   validator. */
#include <stdint.h>

#include "support/json_plain.h"
#include "support/json_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    tacho_error err;
    bool agree;
    unsigned pick = size > 0 ? data[size / 2] : 0; /* any byte will do */
    int status = test_json_some_ways(text, size, pick, &err, &agree);

    if (!agree || (status == 0) != test_json_plain(text, size, TCH_JSON_DEPTH))
        abort();
    return 0;
}
