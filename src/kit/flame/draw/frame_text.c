/* Writes names of frames as XML and as plain text. */
#include "frame_text.h"

#include "base/utf8.h"
#include "change_text.h"
#include "kit/flame/stack/frame_kind.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"

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
        tch_buf_adds(b, "\xe2\x80\xa6");
    }
}

void tch_plain_cut(struct tch_buf *b, struct tch_span text, size_t columns)
{
    bool whole = fit_columns(text, columns) == text.len;
    char out[4];

    if (!whole)
        text.len = columns > 0 ? fit_columns(text, columns - 1) : 0;
    while (text.len > 0) {
        uint32_t code;
        size_t step = tch_utf8_shown(text.p, text.len, &code);

        tch_buf_add(b, out, tch_utf8_put(out, code == '\t' ? ' ' : code));
        text.p += step;
        text.len -= step;
    }
    if (!whole && columns > 0)
        tch_buf_adds(b, "\xe2\x80\xa6");
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
