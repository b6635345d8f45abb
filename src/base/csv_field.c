/* Quotes fields of CSV files. */
#include "csv_field.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return false;
}

static size_t put_quoted(char *out, const char *text, size_t len)
{
    char *at = out;

    *at++ = '"';
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            *at++ = '"';
        *at++ = text[i];
    }
    *at++ = '"';
    return (size_t)(at - out);
}

size_t tch_csv_put(char *out, const char *text, size_t len)
{
    if (needs_quotes(text, len))
        return put_quoted(out, text, len);
    if (len > 0)
        memcpy(out, text, len);
    return len;
}

void tch_csv_add(struct tch_buf *b, const char *text, size_t len)
{
    if (needs_quotes(text, len))
        tch_csv_add_quoted(b, text, len);
    else
        tch_buf_add(b, text, len);
}

void tch_csv_add_quoted(struct tch_buf *b, const char *text, size_t len)
{
    size_t room = len + 2;
    char *out;

    for (size_t i = 0; i < len; i++)
        room += text[i] == '"';
    out = tch_buf_room(b, room);
    if (out)
        tch_buf_grew(b, put_quoted(out, text, len));
}
