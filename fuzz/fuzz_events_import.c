/* Imports any bytes as a line of a log. Each imported event is valid and in canonical form. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/event/event_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_import how = {.graph_enabled = true};
    struct tch_buf b;
    const char *why = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    char *canon = NULL;
    size_t len;
    int made;

    how.config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    tch_buf_init(&b, 64 << 20);
    made = tch_import_line(&how, (const char *)data, size, &b, &why, NULL);
    if (made == 0 && !why)
        abort();
    if (made > 0) {
        if (tacho_event_parse(b.data, b.len, &event, NULL) < 0)
            abort();
        if (tacho_event_canon(&event, &canon, &len, NULL) == 0 &&
            (len + 1 != b.len || memcmp(canon, b.data, len) != 0))
            abort();
        free(canon);
    }
    tch_buf_release(&b);
    return 0;
}
