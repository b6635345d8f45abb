/* Reads any bytes as a Chrome trace file. A compressed file is refused when it is opened. Each
   accepted event can be written and reads back the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/chrome.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        __builtin_trap();
}

static void check_event(const tacho_trace_event *event)
{
    const tacho_trace_event *back = NULL;
    tacho_chrome_reader *reader = NULL;
    char *json = NULL, *again = NULL;
    size_t len;

    must(tacho_chrome_event_to_json(event, &json, &len, NULL) == 0);
    must(tacho_chrome_reader_open_mem(json, len, &reader, NULL) == 0);
    must(tacho_chrome_next(reader, &back, NULL) == 1);
    must(tacho_chrome_event_to_json(back, &again, NULL, NULL) == 0);
    must(strcmp(json, again) == 0);
    must(tacho_chrome_next(reader, &back, NULL) == 0);
    tacho_chrome_reader_close(reader);
    free(json);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    tacho_error err;
    int more = tacho_chrome_reader_open_mem((const char *)data, size, &reader, &err);

    if (more < 0) {
        must(size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0 && err.code == more && err.message[0]);
        return 0;
    }
    while ((more = tacho_chrome_next(reader, &event, &err)) > 0)
        check_event(event);
    must(more == 0 || (err.code == more && err.message[0]));
    tacho_chrome_reader_close(reader);
    return 0;
}
