/* Names in XML and in titles. */
#include "frame_text.h"

#include "base/float_text.h"
#include "base/utf8.h"

size_t tch_utf8_decode(struct tch_span text, uint32_t *code)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t step = tch_utf8_step(text.p, text.len);

    *code = (unsigned char)text.p[0] & first[step];
    for (size_t i = 1; i < step; i++)
        *code = *code << 6 | ((unsigned char)text.p[i] & 0x3f);
    return step;
}

/* XML 1.0 has no way to write most control characters. Directional overrides would let a name
   show something else than it is. */
static bool is_shown(uint32_t code)
{
    if (code < ' ')
        return code == '\t';
    if (code >= 0x7f && code < 0xa0)
        return false;
    if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
        return false;
    return code != 0x2028 && code != 0x2029 && (code & 0xfffe) != 0xfffe;
}

static bool is_wide(uint32_t code)
{
    return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
           (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
           (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
           (code >= 0x1f000 && code <= 0x3ffff);
}

/* One character of text: the bytes it takes there; *code is U+FFFD for what cannot be shown. */
static size_t next_char(struct tch_span text, uint32_t *code)
{
    size_t step = tch_utf8_decode(text, code);

    if (step == 0 || !is_shown(*code))
        *code = 0xfffd;
    return step ? step : 1;
}

static void add_char(struct tch_buf *b, uint32_t code)
{
    char out[4];

    switch (code) {
    case '<':
        tch_buf_adds(b, "&lt;");
        break;
    case '>':
        tch_buf_adds(b, "&gt;");
        break;
    case '&':
        tch_buf_adds(b, "&amp;");
        break;
    case '"':
        tch_buf_adds(b, "&quot;");
        break;
    case '\'':
        tch_buf_adds(b, "&#39;");
        break;
    default:
        tch_buf_add(b, out, tch_utf8_put(out, code));
        break;
    }
}

void tch_xml_text(struct tch_buf *b, struct tch_span text)
{
    while (text.len > 0) {
        uint32_t code;
        size_t step = next_char(text, &code);

        add_char(b, code);
        text.p += step;
        text.len -= step;
    }
}

/* Bytes from the start of text that fit the columns. */
static size_t fitting(struct tch_span text, size_t columns)
{
    size_t done = 0;

    while (done < text.len) {
        uint32_t code;
        size_t step = next_char((struct tch_span){text.p + done, text.len - done}, &code);
        size_t width = is_wide(code) ? 2 : 1;

        if (width > columns)
            break;
        columns -= width;
        done += step;
    }
    return done;
}

void tch_xml_cut(struct tch_buf *b, struct tch_span text, size_t columns)
{
    if (fitting(text, columns) == text.len) {
        tch_xml_text(b, text);
    } else if (columns > 0) {
        text.len = fitting(text, columns - 1);
        tch_xml_text(b, text);
        tch_buf_adds(b, "\xe2\x80\xa6");
    }
}

void tch_plain_cut(struct tch_buf *b, struct tch_span text, size_t columns)
{
    bool whole = fitting(text, columns) == text.len;
    char out[4];

    if (!whole)
        text.len = columns > 0 ? fitting(text, columns - 1) : 0;
    while (text.len > 0) {
        uint32_t code;
        size_t step = next_char(text, &code);

        tch_buf_add(b, out, tch_utf8_put(out, code == '\t' ? ' ' : code));
        text.p += step;
        text.len -= step;
    }
    if (!whole && columns > 0)
        tch_buf_adds(b, "\xe2\x80\xa6");
}

void tch_utf8_text(struct tch_buf *b, struct tch_span text)
{
    while (text.len > 0) {
        size_t valid = tch_utf8_valid(text.p, text.len);

        tch_buf_add(b, text.p, valid);
        if (valid < text.len) {
            tch_buf_adds(b, "\xef\xbf\xbd");
            valid++;
        }
        text.p += valid;
        text.len -= valid;
    }
}

void tch_add_grouped(struct tch_buf *b, uint64_t value)
{
    char digits[TCH_U64_TEXT];
    size_t len = tch_u64_text(digits, value);

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            tch_buf_addc(b, ',');
        tch_buf_addc(b, digits[i]);
    }
}

void tch_add_u64(struct tch_buf *b, uint64_t value)
{
    char digits[TCH_U64_TEXT];

    tch_buf_add(b, digits, tch_u64_text(digits, value));
}

void tch_add_fixed(struct tch_buf *b, double value, unsigned decimals)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000};
    uint64_t power = powers[decimals];
    double scaled = value * (double)power;
    uint64_t whole = scaled >= 0 && scaled < 1e15 ? (uint64_t)scaled : 0;
    double rest = scaled - (double)whole;

    /* Near the middle it depends on bits that the product has lost. */
    if (!(rest >= 0 && rest < 1) || (rest > 0.499 && rest < 0.501)) {
        tch_buf_addf(b, "%.*f", (int)decimals, value);
        return;
    }
    whole += rest > 0.5;
    tch_add_u64(b, whole / power);
    tch_buf_addc(b, '.');
    for (whole %= power; power > 1; whole %= power) {
        power /= 10;
        tch_buf_addc(b, (char)('0' + whole / power));
    }
}

char tch_frame_mark(struct tch_span name)
{
    if (name.len < 4 || memcmp(name.p + name.len - 4, "_[", 2) != 0 || name.p[name.len - 1] != ']')
        return 0;
    return memchr("kijw", name.p[name.len - 2], 4) ? name.p[name.len - 2] : 0;
}

struct tch_span tch_frame_text(const struct tch_stacks *stacks, uint32_t name)
{
    struct tch_span text = {"all", 3};

    if (name == TCH_FRAME_ALL)
        return text;
    text.p = tch_names_text(&stacks->names, name, &text.len);
    if (tch_frame_mark(text))
        text.len -= 4;
    return text;
}

void tch_add_share(struct tch_buf *b, const struct tch_layout *layout,
                   const struct tch_frame *frame, const char *count_name)
{
    double total = (double)(layout->total ? layout->total : 1);

    tch_buf_adds(b, " (");
    tch_add_grouped(b, frame->w);
    tch_buf_addc(b, ' ');
    tch_buf_adds(b, count_name);
    tch_buf_adds(b, ", ");
    if (frame->level == 0) {
        tch_buf_adds(b, "100%)");
        return;
    }
    tch_add_fixed(b, 100.0 * (double)frame->w / total, 2);
    tch_buf_addc(b, '%');
    if (layout->total_before > 0) {
        double change = 100.0 * ((double)frame->self - (double)frame->self_before) / total;

        if (frame->self == frame->self_before)
            tch_buf_adds(b, "; 0.00%");
        else
            tch_buf_addf(b, "; %+.2f%%", change);
    }
    tch_buf_addc(b, ')');
}
