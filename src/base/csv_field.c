/* Quotes fields of CSV files. */
#include "csv_field.h"

#include <math.h>
#include <string.h>

#include "float_text.h"
#include "number.h"
#include "utf8.h"

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
    size_t room = len;
    char *out;

    if (needs_quotes(text, len)) {
        room += 2;
        for (size_t i = 0; i < len; i++)
            room += text[i] == '"';
    }
    out = tch_buf_room(b, room);
    if (out)
        tch_buf_grew(b, tch_csv_put(out, text, len));
}

void tch_csv_add_number(struct tch_buf *b, double value)
{
    char text[TCH_PLAIN_TEXT];

    tch_buf_addc(b, ',');
    if (!isnan(value))
        tch_buf_add(b, text, tch_f64_plain(text, value));
}

void tch_csv_add_name(struct tch_buf *b, const char *text, size_t len, bool raw)
{
    struct tch_buf name;
    double number;

    if (raw) {
        tch_csv_add(b, text, len);
        return;
    }
    tch_buf_init(&name, b->limit);
    if (len > 0 && memchr("=+-@", *text, 4) && tch_parse_f64_n(text, len, &number) < 0)
        tch_buf_addc(&name, '\'');
    for (size_t i = 0; i < len; i++)
        tch_buf_addc(&name, tch_utf8_is_control(text[i]) ? '?' : text[i]);
    tch_csv_add(b, name.data, name.len);
    b->failed = b->failed || name.failed;
    tch_buf_release(&name);
}
