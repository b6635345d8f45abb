/* Reads the values of an event in both ways and compares them. */
#include "event_ways.h"

#include <stdlib.h>
#include <string.h>

#include "lib/event/event_values.h"

struct result {
    struct tch_json_value values[TCH_EVENT_FIELDS];
    bool is_object;
    int status;
    tacho_error err;
};

static void read_text(const char *text, size_t len, bool plain, struct result *ret)
{
    struct tch_json_reader r;

    memset(ret, 0, sizeof *ret);
    tch_json_open(&r, text, len, &ret->err);
    r.finite = true;
    ret->status = tch_event_read_values(&r, plain, ret->values, &ret->is_object);
}

static bool same_values(const struct result *a, const struct result *b)
{
    for (size_t f = 0; f < TCH_EVENT_FIELDS; f++)
        if (a->values[f].type != b->values[f].type || a->values[f].text != b->values[f].text ||
            a->values[f].len != b->values[f].len || a->values[f].escaped != b->values[f].escaped)
            return false;
    return a->is_object == b->is_object;
}

static bool same_error(const tacho_error *a, const tacho_error *b)
{
    return a->code == b->code && a->line == b->line && a->column == b->column &&
           a->offset == b->offset && strcmp(a->message, b->message) == 0;
}

bool test_event_ways_agree(const char *text, size_t len)
{
    char *copy = malloc(len > 0 ? len : 1); /* AddressSanitizer sees a read beyond its end */
    struct result plain, each;
    bool agree;

    if (!copy)
        abort();
    if (len > 0)
        memcpy(copy, text, len);
    read_text(copy, len, true, &plain);
    read_text(copy, len, false, &each);
    agree = plain.status == each.status &&
            (plain.status < 0 ? same_error(&plain.err, &each.err) : same_values(&plain, &each));
    free(copy);
    return agree;
}
