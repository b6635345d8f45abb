/* White space in UTF-8, from the front and from the back. */
#include "white_space.h"

static bool is_ascii_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_blank2(const unsigned char *p)
{
    return p[0] == 0xC2 && (p[1] == 0x85 || p[1] == 0xA0);
}

static bool is_blank3(const unsigned char *p)
{
    if (p[0] == 0xE1)
        return p[1] == 0x9A && p[2] == 0x80; /* U+1680 */
    if (p[0] == 0xE3)
        return p[1] == 0x80 && p[2] == 0x80; /* U+3000 */
    if (p[0] != 0xE2)
        return false;
    if (p[1] == 0x81)
        return p[2] == 0x9F; /* U+205F */
    /* U+2000 to U+200A, U+2028, U+2029, U+202F */
    return p[1] == 0x80 &&
           ((p[2] >= 0x80 && p[2] <= 0x8A) || p[2] == 0xA8 || p[2] == 0xA9 || p[2] == 0xAF);
}

/* Bytes of the white space at the start of text, or 0. */
static size_t blank_at_start(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;

    if (len >= 1 && is_ascii_blank(p[0]))
        return 1;
    if (len >= 2 && is_blank2(p))
        return 2;
    return len >= 3 && is_blank3(p) ? 3 : 0;
}

static size_t blank_at_end(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text + len;

    if (len >= 1 && is_ascii_blank(p[-1]))
        return 1;
    if (len >= 2 && is_blank2(p - 2))
        return 2;
    return len >= 3 && is_blank3(p - 3) ? 3 : 0;
}

void tch_trim(const char **text, size_t *len)
{
    size_t n;

    /* An event, mostly, has nothing to take off. */
    if (*len > 0 && **text == '{' && (*text)[*len - 1] == '}')
        return;
    while ((n = blank_at_start(*text, *len)) > 0) {
        *text += n;
        *len -= n;
    }
    while ((n = blank_at_end(*text, *len)) > 0)
        *len -= n;
}

bool tch_is_blank(const char *text, size_t len)
{
    tch_trim(&text, &len);
    return len == 0;
}
