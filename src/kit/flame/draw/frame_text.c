/* Writes names of frames as XML and as plain text. */
#include "frame_text.h"

#include "base/utf8.h"
#include "change_text.h"
#include "kit/flame/stack/frame_kind.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"

static const char ellipsis[] = "\xe2\x80\xa6";

static bool is_wide(uint32_t code)
{
    return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
           (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
           (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
           (code >= 0x1f000 && code <= 0x3ffff);
}

/* Returns how many bytes from the start of text fit into the columns. */
static size_t fit_columns(struct tch_span text, size_t columns)
{
    size_t done = 0;

    while (done < text.len) {
        uint32_t code;
        size_t step = tch_utf8_shown(text.p + done, text.len - done, &code);
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
    if (fit_columns(text, columns) == text.len) {
        tch_xml_add_line(b, text.p, text.len);
    } else if (columns > 0) {
        text.len = fit_columns(text, columns - 1);
        tch_xml_add_line(b, text.p, text.len);
        tch_buf_adds(b, ellipsis);
    }
}

/* Adds a text for a terminal: one line, without characters that cannot be shown. */
static void add_plain(struct tch_buf *b, struct tch_span text)
{
    char out[4];

    while (text.len > 0) {
        uint32_t code;
        size_t step = tch_utf8_shown(text.p, text.len, &code);

        tch_buf_add(b, out, tch_utf8_put(out, code == '\t' ? ' ' : code));
        text.p += step;
        text.len -= step;
    }
}

void tch_plain_cut(struct tch_buf *b, struct tch_span text, size_t columns)
{
    bool whole = fit_columns(text, columns) == text.len;

    if (!whole)
        text.len = columns > 0 ? fit_columns(text, columns - 1) : 0;
    add_plain(b, text);
    if (!whole && columns > 0)
        tch_buf_adds(b, ellipsis);
}

/* --- Names that are too long --- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ')';
}

/* Returns whether the "<" at i begins template arguments. It does not in `operator<`, in `<lambda>`
   and in Rust's `<T as Trait>::f`. */
static bool begins_arguments(struct tch_span name, size_t i)
{
    return i > 0 && is_word(name.p[i - 1]) &&
           !(i >= 8 && memcmp(name.p + i - 8, "operator", 8) == 0);
}

/* Adds a name whose template arguments are replaced by an ellipsis, unless they are as short. */
static void add_collapsed(struct tch_buf *b, struct tch_span name)
{
    size_t depth = 0;
    size_t mark = 0; /* where the outermost arguments begin in b */

    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];

        if (c == '<' && depth == 0 && begins_arguments(name, i)) {
            mark = b->len;
            depth = 1;
        } else if (depth > 0) {
            depth += c == '<';
            depth -= c == '>' && name.p[i - 1] != '-';
        }
        tch_buf_addc(b, c);
        if (c == '>' && depth == 0 && mark > 0 && b->len > mark + 3) {
            b->data[b->len = mark] = '\0';
            tch_buf_adds(b, "\xe2\x80\xb9\xe2\x80\xa6\xe2\x80\xba"); /* three columns */
        }
        if (depth == 0)
            mark = 0;
    }
}

/* Adds both ends of a text that has more columns. The end gets more, because names of one program
   rather begin alike. In a few columns only the beginning can be recognised. */
static void add_ends(struct tch_buf *b, struct tch_span text, size_t columns)
{
    enum { FEW = 10 };
    size_t room = columns < FEW ? 0 : columns - 1 - (columns - 1) / 3;
    size_t head = fit_columns(text, columns - 1 - room);
    struct tch_span tail = {text.p + head, text.len - head};

    while (fit_columns(tail, room) < tail.len) {
        uint32_t code;
        size_t step = tch_utf8_shown(tail.p, tail.len, &code);

        tail.p += step;
        tail.len -= step;
    }
    tch_buf_add(b, text.p, head);
    tch_buf_adds(b, ellipsis);
    tch_buf_add(b, tail.p, tail.len);
}

static struct tch_span span_of(const struct tch_buf *b)
{
    return (struct tch_span){b->data, b->len};
}

/* Adds a name, shortened to the columns, to a buffer for any text. */
static void add_short(struct tch_buf *b, struct tch_span name, size_t columns)
{
    struct tch_buf collapsed;

    tch_buf_init(&collapsed, SIZE_MAX);
    add_collapsed(&collapsed, name);
    if (columns > 0 && fit_columns(span_of(&collapsed), columns) < collapsed.len)
        add_ends(b, span_of(&collapsed), columns);
    else if (columns > 0)
        tch_buf_add(b, collapsed.data, collapsed.len);
    b->failed |= collapsed.failed;
    tch_buf_release(&collapsed);
}

static void add_name(struct tch_buf *b, struct tch_span name, size_t columns,
                     void (*add)(struct tch_buf *, struct tch_span))
{
    struct tch_buf text;

    if (fit_columns(name, columns) == name.len) {
        add(b, name);
        return;
    }
    tch_buf_init(&text, SIZE_MAX);
    name.len = fit_columns(name, TCH_NAME_COLUMNS); /* no more are shown anywhere */
    add_short(&text, name, columns);
    add(b, span_of(&text));
    b->failed |= text.failed;
    tch_buf_release(&text);
}

static void add_xml(struct tch_buf *b, struct tch_span text)
{
    tch_xml_add_line(b, text.p, text.len);
}

void tch_xml_name(struct tch_buf *b, struct tch_span name, size_t columns)
{
    add_name(b, name, columns, add_xml);
}

void tch_plain_name(struct tch_buf *b, struct tch_span name, size_t columns)
{
    add_name(b, name, columns, add_plain);
}

struct tch_span tch_frame_text(const struct tch_stacks *stacks, uint32_t name)
{
    if (name == TCH_FRAME_ALL)
        return (struct tch_span){"all", 3};
    return tch_frame_unmarked(tch_span_interned(&stacks->names, name));
}

static void add_share(struct tch_buf *b, const struct tch_layout *layout,
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
    tch_buf_addc(b, ')');
}

void tch_add_title(struct tch_buf *b, const struct tch_stacks *stacks,
                   const struct tch_layout *layout, const struct tch_frame *frame,
                   const char *count_name)
{
    struct tch_change change;

    if (!stacks->before) {
        add_share(b, layout, frame, count_name);
        return;
    }
    change = tch_change_of(stacks, frame->before, (double)frame->w);
    tch_buf_adds(b, " (");
    tch_change_counts(b, stacks, &change, count_name);
    tch_buf_adds(b, ", ");
    tch_change_text(b, stacks, &change);
    tch_buf_addc(b, ')');
}
