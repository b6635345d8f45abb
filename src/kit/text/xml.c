/* Escapes text for XML and HTML. */
#include "xml.h"

#include "base/utf8.h"

/* Returns the text to write for the character at text, or NULL to write its own bytes. `line_feed`
   is the one for a line feed. */
static const char *replacement(const char *text, uint32_t code, const char *line_feed)
{
    if (code == TCH_UTF8_REPLACEMENT)
        return *text == '\n' ? line_feed : TCH_UTF8_REPLACEMENT_TEXT;
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

static void add(struct tch_buf *b, const char *text, size_t len, const char *line_feed)
{
    size_t done = 0; /* bytes before here are in b */

    for (size_t i = 0; i < len;) {
        uint32_t code;
        size_t step = tch_utf8_shown(text + i, len - i, &code);
        const char *instead = replacement(text + i, code, line_feed);

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
    add(b, text, len, NULL);
}

void tch_xml_adds(struct tch_buf *b, const char *text)
{
    add(b, text, strlen(text), NULL);
}

void tch_xml_add_line(struct tch_buf *b, const char *text, size_t len)
{
    add(b, text, len, TCH_UTF8_REPLACEMENT_TEXT);
}

void tch_xml_add_attribute(struct tch_buf *b, const char *text)
{
    add(b, text, strlen(text), "&#10;");
}
