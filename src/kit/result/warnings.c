/* Warnings in memory and in run.json. */
#include "warnings.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/json_fields.h"
#include "base/json_write.h"

static const struct tch_json_field fields[] = {
    {TCH_JSON_CHARS(struct tch_warning, code, TCH_JSON_ALWAYS)},
    {TCH_JSON_CHARS(struct tch_warning, text, TCH_JSON_ALWAYS)},
    {TCH_JSON_CHARS(struct tch_warning, advice, TCH_JSON_ALWAYS)},
    {0},
};

void tch_warn(struct tch_warnings *w, const char *code, const char *advice, const char *fmt, ...)
{
    struct tch_warning *item = &w->item[w->count];
    va_list args;

    if (w->count == TCH_WARNINGS_MAX)
        return;
    va_start(args, fmt);
    vsnprintf(item->text, sizeof item->text, fmt, args);
    va_end(args);
    snprintf(item->code, sizeof item->code, "%s", code);
    snprintf(item->advice, sizeof item->advice, "%s", advice);
    w->count++;
}

void tch_warnings_write(struct tch_buf *b, const struct tch_warnings *w)
{
    tch_json_begin_array(b);
    for (size_t i = 0; i < w->count; i++)
        tch_json_fields_write(b, fields, &w->item[i]);
    tch_json_end_array(b);
}

int tch_warnings_read(struct tch_json_reader *r, struct tch_warnings *w, tacho_error *err)
{
    struct tch_json_value value;
    int more;

    w->count = 0;
    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "'warnings' must be an array");
    while ((more = tch_json_element(r)) > 0) {
        struct tch_warning item = {0};
        int status = tch_json_fields_read(r, fields, &item, NULL, err);

        if (status < 0)
            return status;
        if (w->count < TCH_WARNINGS_MAX)
            w->item[w->count++] = item;
    }
    return more;
}
