/* Writes a text tree for the terminal, the widest frames first. */
#include <stdlib.h>

#include "base/fail.h"
#include "frame_text.h"
#include "kit/text/human_number.h"
#include "profile_formats.h"

struct tree {
    const struct tch_profile *profile;
    const struct tch_format_options *options;
    const struct tch_layout *layout;
    struct tch_sink *sink;
    size_t *children; /* indexes in the layout; has room for all frames, used as a stack */
    size_t used;
    struct tch_buf margin; /* text printed before the frames of this level */
};

enum { SHARE_COLUMNS = 18, FEWEST_COLUMNS = 20 };

static void add_line(struct tree *t, const struct tch_frame *f, const char *branch)
{
    struct tch_buf *b = &t->sink->b;
    double total = (double)(t->layout->total ? t->layout->total : 1);
    size_t indent = SHARE_COLUMNS;
    size_t columns = SIZE_MAX;

    for (const char *p = t->margin.data; *p; p++) /* counts columns, not bytes */
        indent += ((unsigned char)*p & 0xc0) != 0x80;
    for (const char *p = branch; *p; p++)
        indent += ((unsigned char)*p & 0xc0) != 0x80;
    if (t->options->columns > 0)
        columns = t->options->columns > indent + FEWEST_COLUMNS ? t->options->columns - indent
                                                                : FEWEST_COLUMNS;
    tch_buf_addf(b, "%6.2f%%  %6.2f%%  %s%s", 100.0 * (double)f->w / total,
                 100.0 * (double)f->self / total, t->margin.data, branch);
    tch_plain_name(b, tch_frame_text(t->profile->stacks, f->name), columns);
    tch_buf_addc(b, '\n');
    tch_sink_step(t->sink);
}

/* Gathers the callees of the frame at `place`, widest first; returns how many. */
static size_t push_children(struct tree *t, size_t place)
{
    const struct tch_frame *list = t->layout->list;
    size_t first = t->used;

    for (size_t i = place; i > 0 && list[i - 1].level > list[place].level; i--) {
        size_t at;

        if (list[i - 1].level != list[place].level + 1 || list[i - 1].w == 0)
            continue;
        for (at = t->used++; at > first && list[t->children[at - 1]].w <= list[i - 1].w; at--)
            t->children[at] = t->children[at - 1];
        t->children[at] = i - 1;
    }
    return t->used - first;
}

/* Adds the callees of a frame. A single callee is not indented; several are. */
static void add_callees(struct tree *t, size_t place)
{
    bool utf8 = t->options->utf8;
    size_t first = t->used;
    size_t count = push_children(t, place);
    size_t margin = t->margin.len;

    for (size_t i = 0; i < count; i++) {
        const struct tch_frame *f = t->layout->list + t->children[first + i];
        bool last = i + 1 == count;

        if (count == 1)
            add_line(t, f, "");
        else
            add_line(t, f, !utf8 ? (last ? "`-" : "|-") : last ? "\u2514\u2500" : "\u251c\u2500");
        if (count > 1)
            tch_buf_adds(&t->margin, last ? "  " : utf8 ? "\u2502 " : "| ");
        add_callees(t, t->children[first + i]);
        t->margin.len = margin;
        if (t->margin.owned)
            t->margin.data[margin] = '\0';
    }
    t->used = first;
}

int tch_write_tree(const struct tch_profile *profile, const struct tch_format_options *options,
                   struct tch_sink *sink)
{
    struct tch_layout layout = {0};
    struct tree t = {profile, options, &layout, sink, NULL, 0, {0}};
    int status = tch_profile_layout(profile, options, TCH_SVG_FRAMES, &layout, sink->err);

    tch_buf_init(&t.margin, 1 << 20);
    if (status == 0)
        t.children = malloc((layout.count + 1) * sizeof *t.children);
    if (status == 0 && !t.children)
        status = tch_fail(sink->err, TACHO_ENOMEM, 0, "out of memory for %zu frames", layout.count);
    if (status == 0) {
        tch_buf_adds(&sink->b, "  total     self  frame\n");
        add_line(&t, layout.list + layout.count - 1, "");
        add_callees(&t, layout.count - 1);
        if (layout.pruned > 0) {
            tch_add_grouped(&sink->b, layout.pruned);
            tch_buf_addf(&sink->b, " frames below %g%% are not shown.\n", options->least_percent);
        }
        sink->b.failed |= t.margin.failed;
        status = sink->status;
    }
    tch_buf_release(&t.margin);
    free(t.children);
    tch_layout_release(&layout);
    return status;
}
