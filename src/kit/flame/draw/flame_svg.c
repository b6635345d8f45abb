/* Writes the SVG: a head, one <g> per frame, a script. */
#include "flame_svg.h"

#include <math.h>

#include "change_text.h"
#include "flame_detail.h"
#include "frame_text.h"
#include "kit/flame/stack/frame_kind.h"
#include "kit/symbol/symbol.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "palette.h"

const char *const tch_themes[] = {"auto", "light", "dark", NULL};

enum {
    WIDTH = 1200,
    MARGIN = 10,
    ROW = 16,
    HEAD = 52, /* above the frames: title, subtitle */
    FOOT = 48, /* below the frames: text about the frame under the mouse and the frames left out */
    LEGEND = 18, /* more space below, for the meaning of the colours, if they have one */
    LINE = 16    /* height of a line in the table of changes */
};

/* Width of a column of the 12 px monospace font with some reserve; common fonts have 0.6 em. */
static const double column_px = 7.3;

struct picture {
    const struct tch_stacks *stacks;
    const struct tch_layout *layout;
    const struct tch_layout *all;
    const struct tch_svg_options *options;
    struct tch_sink *sink;
    struct tch_buf *b;
    unsigned width;
    unsigned height;        /* without the table */
    const char *count_name; /* escaped for XML */
    double full_change;     /* change, in samples, that has the full colour in a differential */
    const struct tch_changes *changes; /* shown in the table below the picture; NULL: no table */
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
   samples. Otherwise a small change would look as bad as a large one. */
static double full_change(const struct tch_layout *layout)
{
    double most = fmax(1, fmax((double)layout->total, layout->total_before) / 10);

    for (size_t i = 0; i < layout->count; i++)
        most = fmax(most, fabs((double)layout->list[i].w - layout->list[i].before));
    return most;
}

/* Returns the height of the table: a headline, and two lines for each function. */
static unsigned table_height(const struct picture *p)
{
    return p->changes ? (2 * (unsigned)p->changes->count + 2) * LINE : 0;
}

static void add_subtitle(struct picture *p)
{
    struct tch_buf text;

    tch_buf_init(&text, 1 << 16);
    if (p->options->subtitle)
        tch_buf_adds(&text, p->options->subtitle);
    else if (p->stacks->before)
        tch_counted_explain(&text, p->stacks);
    if (text.len > 0) {
        tch_buf_adds(p->b, "<text class=\"subtitle\" x=\"50%\" y=\"40\" text-anchor=\"middle\">");
        tch_xml_cut(p->b, span(text.data), (size_t)(p->width / column_px) / 2);
        tch_buf_adds(p->b, "</text>\n");
    }
    p->b->failed |= text.failed;
    tch_buf_release(&text);
}

static void add_head(struct picture *p)
{
    const struct tch_svg_options *o = p->options;
    const char *title = o->inverted ? "Icicle Graph" : "Flame Graph";
    unsigned height = p->height + table_height(p);

    tch_buf_addf(p->b,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tacho-flame\" version=\"1.1\" "
                 "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" tabindex=\"0\"",
                 p->width, height, p->width, height);
    if (o->label)
        add_attribute(p->b, "data-label", o->label);
    tch_buf_addf(p->b, " data-count=\"%s\"", p->count_name);
    add_attribute(p->b, "data-theme", tch_themes[o->theme]);
    tch_buf_addf(p->b, " data-total=\"%llu\" data-inverted=\"%d\" data-diff=\"%d\">\n",
                 (unsigned long long)p->layout->total, o->inverted, p->stacks->before != NULL);
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
    add_subtitle(p);
}

static struct tch_color color_of(const struct picture *p, const struct tch_frame *f)
{
    struct tch_span name = {"all", 3};

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

/* Adds the colour of a change. The class gives it in both themes, and the attribute to programs
   that do not know the style. */
static void add_change_fill(struct tch_buf *b, int sign, double opacity)
{
    static const char *const classes[] = {"less", "same", "more"};

    tch_buf_addf(b, " class=\"%s\" fill=\"", classes[sign + 1]);
    add_color(b, tch_palette_change(sign));
    tch_buf_addc(b, '"');
    if (opacity < 1)
        tch_buf_addf(b, " fill-opacity=\"%.2f\"", opacity);
}

static void add_fill(struct picture *p, const struct tch_frame *f)
{
    struct tch_change change;

    if (!p->stacks->before) {
        tch_buf_adds(p->b, " fill=\"");
        add_color(p->b, color_of(p, f));
        tch_buf_addc(p->b, '"');
        return;
    }
    change = tch_change_of(p->stacks, f->before, (double)f->w);
    add_change_fill(p->b, change.sign, tch_palette_opacity(&change, p->full_change));
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
    tch_xml_name(p->b, name, ascii ? columns : columns / 2);
    tch_buf_adds(p->b, "</text>");
}

static void add_frame(struct picture *p, const struct tch_frame *f)
{
    double total = (double)(p->layout->total ? p->layout->total : 1);
    struct tch_span name = tch_frame_text(p->stacks, f->name);
    unsigned y = (p->options->inverted ? f->level : p->layout->levels - 1 - f->level) * ROW;
    double x = 100.0 * (double)f->x / total;

    tch_buf_adds(p->b, "<g data-x=\"");
    tch_add_u64(p->b, f->x);
    tch_buf_adds(p->b, "\" data-w=\"");
    tch_add_u64(p->b, f->w);
    tch_buf_adds(p->b, "\"><title>");
    tch_xml_cut(p->b, name, TCH_NAME_COLUMNS);
    tch_add_title(p->b, p->stacks, p->layout, f, p->count_name);
    tch_buf_adds(p->b, "</title><rect x=\"");
    add_percent(p->b, x);
    tch_buf_adds(p->b, "%\" y=\"");
    tch_add_u64(p->b, y);
    tch_buf_adds(p->b, "\" width=\"");
    add_percent(p->b, 100.0 * (double)f->w / total);
    tch_buf_adds(p->b, "%\" height=\"");
    tch_add_u64(p->b, ROW - 1);
    tch_buf_addc(p->b, '"');
    add_fill(p, f);
    tch_buf_adds(p->b, "/>");
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

/* Returns whether threads wait for a CPU in this picture. */
static bool shows_preempted(const struct tch_stacks *stacks, const struct tch_layout *layout)
{
    for (size_t i = 0; i < layout->count; i++)
        if (layout->list[i].name != TCH_FRAME_ALL &&
            tch_span_starts(tch_span_interned(&stacks->names, layout->list[i].name),
                            TCH_NAME_PREEMPTED))
            return true;
    return false;
}

/* Returns whether a legend is needed: for changes, for languages, or for programs and the kernel if
   both are drawn. */
static bool has_legend(const struct tch_stacks *stacks, const struct tch_layout *layout,
                       const struct tch_svg_options *options)
{
    bool kernel = false;

    for (size_t i = 0; i < layout->count && !kernel; i++)
        kernel = layout->list[i].name != TCH_FRAME_ALL &&
                 tch_frame_mark(tch_span_interned(&stacks->names, layout->list[i].name)) == 'k';
    return stacks->before || options->palette == TCH_PALETTE_LANGUAGE ||
           (options->palette == TCH_PALETTE_HASH && kernel);
}

/* Adds a box up to its colour. */
static void begin_box(struct picture *p, unsigned x, unsigned y)
{
    tch_buf_addf(p->b, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\"", x, y);
}

/* Adds the name of an entry, whose box was begun, and returns the x of the next one. */
static unsigned end_legend_entry(struct picture *p, unsigned x, const char *name)
{
    tch_buf_addf(p->b, "/><text x=\"%u\" y=\"%u\">%s</text>", x + 14,
                 p->height - FOOT - LEGEND + 19, name);
    return x + 14 + (unsigned)(column_px * (double)(strlen(name) + 2));
}

static unsigned add_legend_entry(struct picture *p, unsigned x, struct tch_color c,
                                 const char *name)
{
    begin_box(p, x, p->height - FOOT - LEGEND + 10);
    tch_buf_addf(p->b, " fill=\"#%02x%02x%02x\"", c.r, c.g, c.b);
    return end_legend_entry(p, x, name);
}

static void add_change_legend(struct picture *p)
{
    static const char *const names[] = {"less", "within noise", "more than before"};
    unsigned x = MARGIN;

    for (int sign = 1; sign >= -1; sign--) {
        begin_box(p, x, p->height - FOOT - LEGEND + 10);
        add_change_fill(p->b, sign, 1);
        x = end_legend_entry(p, x, names[sign + 1]);
    }
}

static void add_legend(struct picture *p)
{
    unsigned x = MARGIN;

    tch_buf_adds(p->b, "<g class=\"legend\">");
    if (p->stacks->before) {
        add_change_legend(p);
    } else if (p->options->palette == TCH_PALETTE_HASH) {
        x = add_legend_entry(p, x, (struct tch_color){230, 160, 60}, "programs");
        x = add_legend_entry(p, x, (struct tch_color){120, 182, 222}, "kernel");
    } else {
        for (const char *const *name = tch_languages; *name; name++)
            x = add_legend_entry(p, x, tch_language_color(*name), *name);
    }
    if (!p->stacks->before && shows_preempted(p->stacks, p->layout))
        add_legend_entry(p, x, tch_preempted_color, "waiting for a CPU");
    tch_buf_adds(p->b, "</g>\n");
}

/* Adds what the script can do with the frames that are not drawn. packed: the file contains those
   of p->all. */
static void add_reach(struct picture *p, bool packed)
{
    if (!packed) {
        tch_buf_adds(p->b, " Search does not find them.");
    } else if (p->all->pruned == 0) {
        tch_buf_adds(p->b, " Search finds them, zoom shows them.");
    } else {
        tch_buf_adds(p->b, " Search finds and zoom shows those of at least ");
        tch_add_grouped(p->b, p->all->least);
        tch_buf_addf(p->b, " %s.", p->count_name);
    }
}

/* Adds the text below the frames, which says what was left out, and packs it. Returns 0 or
   TACHO_ENOMEM. */
static int add_foot(struct picture *p)
{
    const struct tch_layout *l = p->layout;
    double total = (double)(l->total ? l->total : 1);
    int packed = l->pruned > 0 ? tch_detail_add(p->b, p->stacks, l, p->all, p->options,
                                                p->full_change, p->sink->err)
                               : 0;

    tch_buf_addf(p->b, "<text class=\"details\" x=\"%d\" y=\"%u\"> </text>\n", MARGIN,
                 p->height - FOOT + 18);
    tch_buf_addf(p->b, "<text class=\"pruned\" x=\"%d\" y=\"%u\">", MARGIN, p->height - 12);
    if (l->pruned > 0) {
        tch_add_grouped(p->b, l->pruned);
        tch_buf_addf(p->b, " frames of fewer than ");
        tch_add_grouped(p->b, l->least);
        tch_buf_addf(p->b, " %s are not shown; %.2f%% of all end in them.", p->count_name,
                     100.0 * (double)l->pruned_samples / total);
        add_reach(p, packed > 0);
    }
    if (l->total == 0)
        tch_buf_adds(p->b, "No stacks: the profile is empty.");
    tch_buf_adds(p->b, "</text>\n");
    return packed < 0 ? packed : 0;
}

/* Adds the two lines of a function in the table. Their columns fit a phone, except for the last. */
static void add_table_row(struct picture *p, const struct tch_function_change *f, unsigned y)
{
    const unsigned name_x = MARGIN + 110;
    struct tch_span name = tch_span_interned(&p->stacks->names, f->name);

    begin_box(p, MARGIN, y - 9);
    add_change_fill(p->b, f->self.sign, 1);
    tch_buf_addf(p->b, "/><text x=\"%u\" y=\"%u\" text-anchor=\"end\">", name_x - 10, y);
    tch_counted_add(p->b, p->stacks, f->self.now - f->self.before, true);
    tch_buf_addf(p->b, "</text><text x=\"%u\" y=\"%u\">", name_x, y);
    tch_xml_cut(p->b, tch_frame_unmarked(name), TCH_NAME_COLUMNS);
    if (tch_frame_mark(name) == 'k')
        tch_buf_adds(p->b, " [kernel]");
    if (f->caller != TCH_INTERN_NONE && f->self.sign != 0) {
        tch_buf_adds(p->b, ", called by ");
        tch_xml_cut(p->b, tch_frame_text(p->stacks, f->caller), TCH_NAME_COLUMNS);
    }
    tch_buf_addf(p->b, "</text><text class=\"quiet\" x=\"%d\" y=\"%u\">", MARGIN + 24, y + LINE);
    tch_change_counts(p->b, p->stacks, &f->self, p->count_name);
    tch_buf_adds(p->b, " [");
    tch_change_interval(p->b, p->stacks, &f->self);
    tch_buf_adds(p->b, "]; total ");
    tch_change_counts(p->b, p->stacks, &f->total, p->count_name);
    tch_buf_adds(p->b, "</text>\n");
}

/* Adds the functions that changed most, below the picture. */
static void add_table(struct picture *p)
{
    unsigned y = p->height + LINE;

    if (!p->changes)
        return;
    tch_buf_addf(p->b,
                 "<g class=\"changes\"><text x=\"%d\" y=\"%u\">Largest changes of self %s</text>\n",
                 MARGIN, y, tch_counted_ns(&p->stacks->counted) > 0 ? "time" : p->count_name);
    for (size_t i = 0; i < p->changes->count; i++)
        add_table_row(p, p->changes->list + i, y + (2 * (unsigned)i + 1) * LINE + 4);
    tch_buf_adds(p->b, "</g>\n");
}

static int write_picture(struct picture *p)
{
    const struct tch_svg_options *options = p->options;
    bool legend = has_legend(p->stacks, p->layout, options);
    const char *counted = options->count_name ? options->count_name : "samples";
    struct tch_buf count_name;
    int status;

    tch_buf_init(&count_name, 1 << 16);
    tch_xml_add_line(&count_name, counted, strlen(counted));
    p->count_name = count_name.data;
    p->full_change = full_change(p->layout);
    p->height = HEAD + p->layout->levels * ROW + FOOT + (legend ? LEGEND : 0);
    add_head(p);
    if (legend)
        add_legend(p);
    add_frames(p);
    status = add_foot(p);
    add_table(p);
    tch_buf_adds(p->b, "<script><![CDATA[\n");
    tch_buf_add(p->b, tch_flame_js, tch_flame_js_len);
    tch_buf_adds(p->b, "]]></script>\n</svg>\n");
    p->b->failed |= count_name.failed;
    tch_buf_release(&count_name);
    tch_sink_step(p->sink);
    return status < 0 ? status : p->sink->status;
}

int tch_svg_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                  const struct tch_layout *all, const struct tch_svg_options *options,
                  struct tch_sink *sink)
{
    struct picture p = {
        .stacks = stacks,
        .layout = layout,
        .all = all,
        .options = options,
        .sink = sink,
        .b = &sink->b,
        .width = options->width ? options->width : WIDTH,
    };
    struct tch_changes changes = {.count = 0};

    if (stacks->before && !options->no_table) {
        int status = tch_stacks_changes(stacks, &changes, sink->err);

        if (status < 0)
            return status;
    }
    if (changes.count > 0)
        p.changes = &changes;
    return write_picture(&p);
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
        tch_add_title(&sink->b, stacks, layout, f, count_name ? count_name : "samples");
        tch_buf_addc(&sink->b, '\n');
        tch_sink_step(sink);
    }
}
