/* Writes the SVG: a head, one <g> per frame, a script. */
#include "flame_svg.h"

#include <math.h>

#include "base/human_number.h"
#include "base/xml.h"
#include "frame_text.h"

const char *const tch_themes[] = {"auto", "light", "dark", NULL};

enum {
    WIDTH = 1200,
    MARGIN = 10,
    ROW = 16,
    HEAD = 52, /* above the frames: title, subtitle */
    FOOT = 48, /* below the frames: text about the frame under the mouse and the frames left out */
    LEGEND = 18,   /* more space below, for the meaning of the colours, if they have one */
    LONGEST = 1000 /* columns of a name; a longer tooltip does not help */
};

/* Width of a column of the 12 px monospace font with some reserve; common fonts have 0.6 em. */
static const double column_px = 7.3;

struct picture {
    const struct tch_stacks *stacks;
    const struct tch_layout *layout;
    const struct tch_svg_options *options;
    struct tch_sink *sink;
    struct tch_buf *b;
    unsigned width;
    unsigned height;
    const char *count_name; /* escaped for XML */
    double full_change;     /* change, in samples, that has the full colour in a differential */
};

static struct tch_span span(const char *text)
{
    return (struct tch_span){text, strlen(text)};
}

static void add_attribute(struct tch_buf *b, const char *name, const char *value)
{
    tch_buf_addf(b, " %s=\"", name);
    tch_xml_add_line(b, value, strlen(value));
    tch_buf_addc(b, '"');
}

/* Returns the change that has the full colour: the largest one, but at least a tenth of all
   samples. Otherwise the noise of two equal runs would look as bad as a real change. */
static double full_change(const struct tch_layout *layout)
{
    double most = fmax(1, (double)layout->total / 10);

    for (size_t i = 0; i < layout->count; i++)
        most = fmax(most, fabs((double)layout->list[i].self - layout->list[i].self_before));
    return most;
}

static void add_head(struct picture *p)
{
    const struct tch_svg_options *o = p->options;
    bool diff = p->layout->total_before > 0;
    const char *title = o->inverted ? "Icicle Graph" : "Flame Graph";
    const char *subtitle = o->subtitle ? o->subtitle
                           : diff      ? "red: more than before, blue: less"
                                       : NULL;

    tch_buf_addf(p->b,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tacho-flame\" version=\"1.1\" "
                 "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" tabindex=\"0\"",
                 p->width, p->height, p->width, p->height);
    if (o->label)
        add_attribute(p->b, "data-label", o->label);
    tch_buf_addf(p->b, " data-count=\"%s\"", p->count_name);
    add_attribute(p->b, "data-theme", tch_themes[o->theme]);
    tch_buf_addf(p->b, " data-total=\"%llu\" data-inverted=\"%d\" data-diff=\"%d\">\n",
                 (unsigned long long)p->layout->total, o->inverted, diff);
    if (o->notes) {
        tch_buf_adds(p->b, "<desc>");
        tch_xml_add_line(p->b, o->notes, strlen(o->notes));
        tch_buf_adds(p->b, "</desc>\n");
    }
    tch_buf_adds(p->b, "<style><![CDATA[\n");
    tch_buf_add(p->b, tch_flame_css, tch_flame_css_len);
    tch_buf_adds(p->b, "]]></style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    tch_buf_addf(p->b, "<text class=\"title\" x=\"50%%\" y=\"20\" text-anchor=\"middle\">");
    tch_xml_cut(p->b, span(o->title ? o->title : title), (size_t)(p->width / column_px) / 3);
    tch_buf_adds(p->b, "</text>\n");
    if (subtitle) {
        tch_buf_adds(p->b, "<text class=\"subtitle\" x=\"50%\" y=\"40\" text-anchor=\"middle\">");
        tch_xml_cut(p->b, span(subtitle), (size_t)(p->width / column_px) / 2);
        tch_buf_adds(p->b, "</text>\n");
    }
}

static struct tch_color color_of(const struct picture *p, const struct tch_frame *f)
{
    struct tch_span name = {"all", 3};

    if (p->layout->total_before > 0) {
        double change = ((double)f->self - f->self_before) / p->full_change;

        /* The square root makes small changes visible. */
        return tch_palette_change(change < 0 ? -sqrt(-change) : sqrt(change));
    }
    if (f->name != TCH_FRAME_ALL)
        name = tch_span_interned(&p->stacks->names, f->name);
    return tch_palette_color(p->options->palette, name);
}

/* Adds a percentage such as "12.3456" without trailing zeros. */
static void add_percent(struct tch_buf *b, double value)
{
    tch_add_fixed(b, value, 4);
    while (!b->failed && b->len > 0 && b->data[b->len - 1] == '0')
        b->data[--b->len] = '\0';
    if (!b->failed && b->len > 0 && b->data[b->len - 1] == '.')
        b->data[--b->len] = '\0';
}

/* Adds a colour such as "#e05a10". */
static void add_color(struct tch_buf *b, struct tch_color c)
{
    static const char hex[] = "0123456789abcdef";
    const char text[] = {'#',           hex[c.r >> 4], hex[c.r & 15], hex[c.g >> 4],
                         hex[c.g & 15], hex[c.b >> 4], hex[c.b & 15]};

    tch_buf_add(b, text, sizeof text);
}

static void add_label(struct picture *p, const struct tch_frame *f, struct tch_span name, double x,
                      double share, unsigned y)
{
    double room = share * (p->width - 2 * MARGIN) - 6;
    size_t columns = room > 0 ? (size_t)(room / column_px) : 0;
    bool ascii = true;

    for (size_t i = 0; i < name.len && ascii; i++)
        ascii = (unsigned char)name.p[i] < 0x80;
    if (f->w == 0 || columns < 3)
        return;
    tch_buf_adds(p->b, "<text x=\"");
    add_percent(p->b, x);
    tch_buf_adds(p->b, "%\" dx=\"3\" y=\"");
    tch_add_u64(p->b, y + 11);
    tch_buf_addc(p->b, '"');
    /* Text outside of ASCII may use other fonts, whose widths are unknown. */
    if (!ascii)
        tch_buf_adds(p->b, " class=\"wide\"");
    tch_buf_addc(p->b, '>');
    tch_xml_cut(p->b, name, ascii ? columns : columns / 2);
    tch_buf_adds(p->b, "</text>");
}

static void add_frame(struct picture *p, const struct tch_frame *f)
{
    double total = (double)(p->layout->total ? p->layout->total : 1);
    struct tch_span name = tch_frame_text(p->stacks, f->name);
    struct tch_color c = color_of(p, f);
    unsigned y = (p->options->inverted ? f->level : p->layout->levels - 1 - f->level) * ROW;
    double x = 100.0 * (double)f->x / total;

    tch_buf_adds(p->b, "<g data-x=\"");
    tch_add_u64(p->b, f->x);
    tch_buf_adds(p->b, "\" data-w=\"");
    tch_add_u64(p->b, f->w);
    tch_buf_adds(p->b, "\"><title>");
    tch_xml_cut(p->b, name, LONGEST);
    tch_add_share(p->b, p->layout, f, p->count_name);
    tch_buf_adds(p->b, "</title><rect x=\"");
    add_percent(p->b, x);
    tch_buf_adds(p->b, "%\" y=\"");
    tch_add_u64(p->b, y);
    tch_buf_adds(p->b, "\" width=\"");
    add_percent(p->b, 100.0 * (double)f->w / total);
    tch_buf_adds(p->b, "%\" height=\"");
    tch_add_u64(p->b, ROW - 1);
    tch_buf_adds(p->b, "\" fill=\"");
    add_color(p->b, c);
    tch_buf_adds(p->b, "\"/>");
    add_label(p, f, name, x, (double)f->w / total, y);
    tch_buf_adds(p->b, "</g>\n");
    tch_sink_step(p->sink);
}

static void add_frames(struct picture *p)
{
    const struct tch_layout *l = p->layout;

    tch_buf_addf(p->b, "<svg class=\"frames\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\">\n",
                 MARGIN, HEAD, p->width - 2 * MARGIN, l->levels * ROW);
    /* A caller follows its callees in a layout, but precedes them in the file. */
    for (size_t i = l->count; i > 0; i--)
        if (l->list[i - 1].w > 0 || l->list[i - 1].level == 0)
            add_frame(p, l->list + i - 1);
    tch_buf_adds(p->b, "</svg>\n");
}

/* Returns whether a legend is needed: for languages, or for programs and the kernel if both are
   drawn. */
static bool has_legend(const struct tch_stacks *stacks, const struct tch_layout *layout,
                       const struct tch_svg_options *options)
{
    bool kernel = false;

    for (size_t i = 0; i < layout->count && !kernel; i++)
        kernel = layout->list[i].name != TCH_FRAME_ALL &&
                 tch_frame_mark(tch_span_interned(&stacks->names, layout->list[i].name)) == 'k';
    return layout->total_before == 0 && (options->palette == TCH_PALETTE_LANGUAGE ||
                                         (options->palette == TCH_PALETTE_HASH && kernel));
}

/* Adds an entry and returns the x of the next one. */
static unsigned add_legend_entry(struct picture *p, unsigned x, struct tch_color c,
                                 const char *name)
{
    unsigned y = p->height - FOOT - LEGEND + 10;

    tch_buf_addf(p->b,
                 "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"#%02x%02x%02x\"/>"
                 "<text x=\"%u\" y=\"%u\">%s</text>",
                 x, y, c.r, c.g, c.b, x + 14, y + 9, name);
    return x + 14 + (unsigned)(column_px * (double)(strlen(name) + 2));
}

static void add_legend(struct picture *p)
{
    unsigned x = MARGIN;

    tch_buf_adds(p->b, "<g class=\"legend\">");
    if (p->options->palette == TCH_PALETTE_HASH) {
        x = add_legend_entry(p, x, (struct tch_color){230, 160, 60}, "programs");
        add_legend_entry(p, x, (struct tch_color){120, 182, 222}, "kernel");
    } else {
        for (const char *const *name = tch_languages; *name; name++)
            x = add_legend_entry(p, x, tch_language_color(*name), *name);
    }
    tch_buf_adds(p->b, "</g>\n");
}

/* Adds the text below the frames, which says what was left out. */
static void add_foot(struct picture *p)
{
    const struct tch_layout *l = p->layout;
    double total = (double)(l->total ? l->total : 1);

    tch_buf_addf(p->b, "<text class=\"details\" x=\"%d\" y=\"%u\"> </text>\n", MARGIN,
                 p->height - FOOT + 18);
    tch_buf_addf(p->b, "<text class=\"pruned\" x=\"%d\" y=\"%u\">", MARGIN, p->height - 12);
    if (l->pruned > 0) {
        tch_add_grouped(p->b, l->pruned);
        tch_buf_addf(p->b, " frames of fewer than ");
        tch_add_grouped(p->b, l->least);
        tch_buf_addf(p->b, " %s are not shown; %.2f%% of all end in them.", p->count_name,
                     100.0 * (double)l->pruned_samples / total);
    }
    if (l->total == 0)
        tch_buf_adds(p->b, "No stacks: the profile is empty.");
    tch_buf_adds(p->b, "</text>\n");
}

int tch_svg_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                  const struct tch_svg_options *options, struct tch_sink *sink)
{
    struct picture p = {
        .stacks = stacks,
        .layout = layout,
        .options = options,
        .sink = sink,
        .b = &sink->b,
        .width = options->width ? options->width : WIDTH,
    };
    bool legend = has_legend(stacks, layout, options);
    const char *counted = options->count_name ? options->count_name : "samples";
    struct tch_buf count_name;

    tch_buf_init(&count_name, 1 << 16);
    tch_xml_add_line(&count_name, counted, strlen(counted));
    p.count_name = count_name.data;
    p.full_change = full_change(layout);
    p.height = HEAD + layout->levels * ROW + FOOT + (legend ? LEGEND : 0);
    add_head(&p);
    if (legend)
        add_legend(&p);
    add_frames(&p);
    add_foot(&p);
    tch_buf_adds(p.b, "<script><![CDATA[\n");
    tch_buf_add(p.b, tch_flame_js, tch_flame_js_len);
    tch_buf_adds(p.b, "]]></script>\n</svg>\n");
    p.b->failed |= count_name.failed;
    tch_buf_release(&count_name);
    tch_sink_step(sink);
    return sink->status;
}

void tch_frames_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                      const char *count_name, struct tch_sink *sink)
{
    tch_buf_adds(&sink->b, "level\tx\tw\ttitle\n");
    for (size_t i = layout->count; i > 0; i--) {
        const struct tch_frame *f = layout->list + i - 1;
        struct tch_span name = tch_frame_text(stacks, f->name);

        if (f->w == 0)
            continue;
        tch_buf_addf(&sink->b, "%u\t%llu\t%llu\t", f->level, (unsigned long long)f->x,
                     (unsigned long long)f->w);
        tch_buf_add(&sink->b, name.p, name.len);
        tch_add_share(&sink->b, layout, f, count_name ? count_name : "samples");
        tch_buf_addc(&sink->b, '\n');
        tch_sink_step(sink);
    }
}
