/* Reads any bytes as the JSON of an event writer's configuration. An accepted one can be written
   and reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/event.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_event_config *config = NULL;
    tacho_event_config *again = NULL;
    char *once = NULL;
    char *twice = NULL;
    size_t once_len;
    size_t twice_len;

    if (tacho_event_config_from_json((const char *)data, size, &config, NULL) < 0)
        return 0;
    if (tacho_event_config_to_json(config, &once, &once_len, NULL) < 0 ||
        tacho_event_config_from_json(once, once_len, &again, NULL) < 0 ||
        tacho_event_config_to_json(again, &twice, &twice_len, NULL) < 0 || once_len != twice_len ||
        memcmp(once, twice, once_len) != 0)
        abort();
    free(config);
    free(again);
    free(once);
    free(twice);
    return 0;
}
