/* Writes JSON text into a tch_buf. float_text.c formats numbers; json_read.c reads. */
#include "json_write.h"

#include "float_text.h"
#include "utf8.h"

/* b->comma is the writer's only state: the next key or value of the container follows another one.
   A value sets it, an opening bracket and a key clear it. */
static void separate(struct tch_buf *b)
{
    if (b->comma)
        tch_buf_addc(b, ',');
}

void tch_json_part(struct tch_buf *b, const char *text, size_t len, bool comma)
{
    b->comma = comma;
    tch_buf_add(b, text, len);
}

void tch_json_line_end(struct tch_buf *b)
{
    tch_json_part(b, "\n", 1, false);
}

void tch_json_rewind(struct tch_buf *b, size_t len, bool comma)
{
    b->len = len;
    b->comma = comma;
    if (b->cap > 0)
        b->data[len] = '\0';
}

static void value(struct tch_buf *b, const char *text, size_t len)
{
    separate(b);
    tch_json_part(b, text, len, true);
}

void tch_json_begin_object(struct tch_buf *b)
{
    separate(b);
    tch_json_part(b, "{", 1, false);
}

void tch_json_end_object(struct tch_buf *b)
{
    tch_json_part(b, "}", 1, true);
}

void tch_json_begin_array(struct tch_buf *b)
{
    separate(b);
    tch_json_part(b, "[", 1, false);
}

void tch_json_end_array(struct tch_buf *b)
{
    tch_json_part(b, "]", 1, true);
}

/* Returns how many bytes from the start need neither an escape nor a replacement. */
static size_t plain_run(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x20 || c == '"' || c == '\\')
            break;
        if (c < 0x80) {
            i++;
            continue;
        }
        size_t step = tch_utf8_step(text + i, len - i);

        if (step == 0)
            break;
        i += step;
    }
    return i;
}

static void escape(struct tch_buf *b, unsigned char c)
{
    static const char names[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

    if (c == '"' || c == '\\')
        tch_buf_add(b, (char[]){'\\', (char)c}, 2);
    else if (c >= 0x80)
        tch_buf_adds(b, "\xEF\xBF\xBD"); /* U+FFFD for a byte that is not UTF-8 */
    else if (names[c])
        tch_buf_add(b, (char[]){'\\', names[c]}, 2);
    else
        tch_buf_addf(b, "\\u%04x", c);
}

static void quoted(struct tch_buf *b, const char *text, size_t len)
{
    tch_buf_addc(b, '"');
    while (len > 0) {
        size_t run = plain_run(text, len);

        tch_buf_add(b, text, run);
        if (run < len)
            escape(b, (unsigned char)text[run++]);
        text += run;
        len -= run;
    }
    tch_buf_addc(b, '"');
}

void tch_json_key_n(struct tch_buf *b, const char *key, size_t len)
{
    separate(b);
    quoted(b, key, len);
    tch_json_part(b, ":", 1, false);
}

void tch_json_key(struct tch_buf *b, const char *key)
{
    tch_json_key_n(b, key, strlen(key));
}

void tch_json_string(struct tch_buf *b, const char *text, size_t len)
{
    separate(b);
    b->comma = true;
    quoted(b, text, len);
}

void tch_json_text(struct tch_buf *b, const char *text)
{
    tch_json_string(b, text, strlen(text));
}

void tch_json_u64(struct tch_buf *b, uint64_t number)
{
    char text[TCH_U64_TEXT];

    value(b, text, tch_u64_text(text, number));
}

void tch_json_i64(struct tch_buf *b, int64_t number)
{
    char text[TCH_U64_TEXT + 1] = "-";
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t sign = number < 0;

    value(b, text, sign + tch_u64_text(text + sign, size));
}

void tch_json_f64(struct tch_buf *b, double number)
{
    char text[TCH_FLOAT_TEXT];

    value(b, text, tch_f64_json(text, number));
}

void tch_json_f32(struct tch_buf *b, float number)
{
    char text[TCH_FLOAT_TEXT];

    value(b, text, tch_f32_json(text, number));
}

void tch_json_bool(struct tch_buf *b, bool yes)
{
    value(b, yes ? "true" : "false", yes ? 4 : 5);
}

void tch_json_null(struct tch_buf *b)
{
    value(b, "null", 4);
}

void tch_json_raw(struct tch_buf *b, const char *json, size_t len)
{
    value(b, json, len);
}

void tch_json_put_text(struct tch_buf *b, const char *key, const char *text)
{
    tch_json_key(b, key);
    if (text)
        tch_json_text(b, text);
    else
        tch_json_null(b);
}

void tch_json_put_u64(struct tch_buf *b, const char *key, uint64_t number)
{
    tch_json_key(b, key);
    tch_json_u64(b, number);
}

void tch_json_put_f64(struct tch_buf *b, const char *key, double number)
{
    tch_json_key(b, key);
    tch_json_f64(b, number);
}

void tch_json_put_bool(struct tch_buf *b, const char *key, bool yes)
{
    tch_json_key(b, key);
    tch_json_bool(b, yes);
}
