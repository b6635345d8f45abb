/* Reads any text as a configuration, as JSON to be hashed and as an environment. The canonical form
   of a canonical form is the same, and has no difference from itself. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/fingerprint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int differs(const char *path, const char *a, const char *b, void *ctx)
{
    (void)path;
    (void)a;
    (void)b;
    (void)ctx;
    __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char *once = NULL;
    char *twice = NULL;
    char *class = NULL;
    size_t once_len;
    size_t twice_len;

    if (tacho_config_canonical(text, size, &once, &once_len, NULL) == 0)
        free(once);
    if (tacho_machine_class(text, size, &class, NULL) == 0)
        free(class);
    if (tacho_json_canonical(text, size, &once, &once_len, NULL) < 0)
        return 0;
    if (tacho_json_canonical(once, once_len, &twice, &twice_len, NULL) < 0 ||
        once_len != twice_len || memcmp(once, twice, once_len) != 0)
        __builtin_trap();
    if (tacho_json_diff(text, size, once, once_len, differs, NULL, NULL) < 0)
        __builtin_trap();
    free(once);
    free(twice);
    return 0;
}
