/* Fits text into columns of a terminal by truncating and wrapping. width.c knows how wide a
   character is. */
#include "text.h"

#include "base/utf8.h"

/* Returns the number of bytes of one character, and its columns in *width. */
static size_t character(const char *text, size_t len, size_t *width)
{
    uint32_t code;
    size_t step = tch_utf8_decode(text, len, &code);

    *width = step > 1 ? cli_code_width(code) : 1;
    return step > 0 ? step : 1;
}

size_t cli_text_width(const char *text, size_t len)
{
    size_t total = 0;

    for (size_t i = 0; i < len;) {
        size_t width;

        i += character(text + i, len - i, &width);
        total += width;
    }
    return total;
}

size_t cli_text_fit(const char *text, size_t len, size_t columns)
{
    size_t used = 0;
    size_t i = 0;

    while (i < len) {
        size_t width;
        size_t step = character(text + i, len - i, &width);

        if (used + width > columns)
            break;
        used += width;
        i += step;
    }
    return i;
}

size_t cli_text_line(const char *text, size_t len, size_t columns, size_t *next)
{
    const char *feed = memchr(text, '\n', len);
    size_t line = feed ? (size_t)(feed - text) : len;
    size_t end = cli_text_fit(text, line, columns);

    *next = end;
    if (end < line) {
        size_t blank = end;
        size_t width;

        while (blank > 0 && text[blank] != ' ')
            blank--;
        if (blank > 0)
            end = blank;
        else if (end == 0) /* too wide for any line, but each line must take something */
            end = character(text, line, &width);
        *next = end;
        while (*next < line && text[*next] == ' ')
            ++*next;
    }
    if (feed && *next == line)
        ++*next;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    return end;
}

void cli_add_cut(struct tch_buf *b, const char *text, size_t len, size_t columns, bool utf8)
{
    const char *dots = utf8 ? "\u2026" : "...";
    size_t dots_width = utf8 ? 1 : 3;

    if (cli_text_width(text, len) <= columns) {
        tch_buf_add(b, text, len);
        return;
    }
    if (columns < dots_width)
        return;
    tch_buf_add(b, text, cli_text_fit(text, len, columns - dots_width));
    tch_buf_adds(b, dots);
}

void cli_add_blanks(struct tch_buf *b, size_t count)
{
    char *room = tch_buf_room(b, count);

    if (!room)
        return;
    memset(room, ' ', count);
    tch_buf_grew(b, count);
}

void cli_add_wrapped(struct tch_buf *b, const char *text, size_t indent, size_t width)
{
    size_t len = strlen(text);
    size_t columns = width > indent ? width - indent : 1;

    while (len > 0) {
        size_t next;
        size_t line = cli_text_line(text, len, columns, &next);

        if (line > 0)
            cli_add_blanks(b, indent);
        tch_buf_add(b, text, line);
        tch_buf_addc(b, '\n');
        text += next;
        len -= next;
    }
}

void cli_add_clean(struct tch_buf *b, const char *text, bool utf8)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len;) {
        uint32_t code;
        size_t step = tch_utf8_decode(text + i, len - i, &code);

        if (step > 0 && (step == 1 || utf8) && code != '\t' && tch_utf8_is_shown(code))
            tch_buf_add(b, text + i, step);
        else
            tch_buf_addc(b, '?');
        i += step > 0 ? step : 1;
    }
}
