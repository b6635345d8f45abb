/* Reads any bytes as a file of events, line by line. The canonical form of an accepted event does
   not change again: canon(canon(x)) == canon(x). An object made of it is written as the same
   text. Reading a line by its marks gives the same as reading it member by member. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/event.h>

#include "kit/event/event_stages.h"
#include "kit/event/event_stages_sum.h"
#include "support/event_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An event with a NUL in a text cannot be an object. */
static void check_object(const char *canon, size_t len)
{
    tacho_event *event = NULL;
    char *json = NULL;
    size_t json_len;

    if (tacho_event_from_json(canon, len, &event, NULL) == 0 &&
        (tacho_event_to_json(event, &json, &json_len, NULL) < 0 || json_len != len ||
         memcmp(json, canon, len) != 0))
        abort();
    free(event);
    free(json);
}

static void check_stable(const tacho_event_view *event)
{
    tacho_event_view again = TACHO_EVENT_VIEW_INIT;
    char *once = NULL;
    char *twice = NULL;
    size_t once_len;
    size_t twice_len;

    if (tacho_event_canon(event, &once, &once_len, NULL) < 0)
        return;
    if (tacho_event_parse(once, once_len, &again, NULL) < 0 ||
        tacho_event_canon(&again, &twice, &twice_len, NULL) < 0 || once_len != twice_len ||
        memcmp(once, twice, once_len) != 0)
        abort();
    check_object(once, once_len);
    free(once);
    free(twice);
}

static void check_ways(const char *text, const char *end)
{
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = stop ? stop : end;

        if (!test_event_ways_agree(text, (size_t)(line_end - text)))
            abort();
        text = line_end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_event_reader *reader = NULL;
    struct tch_stages stages;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    int more;

    if (tacho_event_reader_open_mem((const char *)data, size, &reader, NULL) < 0)
        return 0;
    check_ways((const char *)data, (const char *)data + size);
    tch_stages_init(&stages, NULL, "batch");
    while ((more = tacho_event_next(reader, &event, &err)) != 0) {
        if (more < 0)
            continue;
        check_stable(&event);
        if (tch_stages_add(&stages, &event, NULL) < 0)
            abort();
    }
    tch_stages_sort(&stages);
    tch_stages_release(&stages);
    tacho_event_reader_close(reader);
    return 0;
}
