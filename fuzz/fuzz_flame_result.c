/* Reads any text as the result of a capture. An accepted one can be written and reads back the
   same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/flame.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_flame *first = NULL, *second = NULL;
    char *json = NULL, *again = NULL;
    tacho_error err;
    size_t len;

    if (tacho_flame_from_json((const char *)data, size, &first, &err) < 0) {
        must(!first && err.message[0]);
        return 0;
    }
    must(tacho_flame_to_json(first, &json, &len, NULL) == 0);
    must(tacho_flame_from_json(json, len, &second, NULL) == 0);
    must(tacho_flame_to_json(second, &again, NULL, NULL) == 0);
    must(strcmp(json, again) == 0);
    free(json);
    free(again);
    tacho_flame_free(first);
    tacho_flame_free(second);
    return 0;
}
