/* Escaping for XML and HTML. */
#include "xml.h"

#include "utf8.h"

/* Returns the text to write for the character at text, or NULL to write its own bytes. */
static const char *replacement(const char *text, uint32_t code, bool lines)
{
    if (code == TCH_UTF8_REPLACEMENT)
        return lines && *text == '\n' ? NULL : TCH_UTF8_REPLACEMENT_TEXT;
    switch (*text) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void add(struct tch_buf *b, const char *text, size_t len, bool lines)
{
    size_t done = 0; /* bytes before here are in b */

    for (size_t i = 0; i < len;) {
        uint32_t code;
        size_t step = tch_utf8_shown(text + i, len - i, &code);
        const char *instead = replacement(text + i, code, lines);

        if (instead) {
            tch_buf_add(b, text + done, i - done);
            tch_buf_adds(b, instead);
            done = i + step;
        }
        i += step;
    }
    tch_buf_add(b, text + done, len - done);
}

void tch_xml_add(struct tch_buf *b, const char *text, size_t len)
{
    add(b, text, len, true);
}

void tch_xml_adds(struct tch_buf *b, const char *text)
{
    add(b, text, strlen(text), true);
}

void tch_xml_add_line(struct tch_buf *b, const char *text, size_t len)
{
    add(b, text, len, false);
}
