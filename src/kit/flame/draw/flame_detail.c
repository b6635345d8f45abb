/* Packs frames by zlib: names once, and numbers of the names in each frame. */
#include "flame_detail.h"

#include <math.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/fail.h"
#include "change_text.h"
#include "frame_text.h"
#include "kit/file/gzip.h"
#include "kit/text/human_number.h"

enum { MOST_BYTES = 4 << 20, LEVEL = 6 };

struct packing {
    const struct tch_stacks *stacks;
    const struct tch_layout *layout;
    const struct tch_layout *all;
    const struct tch_svg_options *options;
    double full_change;
    uint32_t *number; /* of each name in the packed text; 0: not packed */
    uint32_t *names;  /* the names that have a number, in its order */
    uint32_t name_count;
    size_t frame_count;
};

static bool is_packed(const struct packing *p, const struct tch_frame *f)
{
    return f->level > 0 && fmax((double)f->w, f->before) < (double)p->layout->least && f->w > 0;
}

static int number_names(struct packing *p, tacho_error *err)
{
    uint32_t count = p->stacks->names.count;

    p->number = calloc((size_t)count + 1, sizeof *p->number);
    p->names = calloc((size_t)count + 1, sizeof *p->names);
    if (!p->number || !p->names)
        return tch_fail_memory(err);
    for (size_t i = 0; i < p->all->count; i++) {
        const struct tch_frame *f = p->all->list + i;

        if (!is_packed(p, f))
            continue;
        p->frame_count++;
        if (p->number[f->name] > 0)
            continue;
        p->names[p->name_count++] = f->name;
        p->number[f->name] = p->name_count;
    }
    return 0;
}

static void add_name(const struct packing *p, struct tch_sink *sink, uint32_t id)
{
    struct tch_color c =
        tch_palette_color(p->options->palette, tch_span_interned(&p->stacks->names, id));

    tch_buf_addf(&sink->b, "#%02x%02x%02x", c.r, c.g, c.b);
    tch_plain_cut(&sink->b, tch_frame_text(p->stacks, id), TCH_NAME_COLUMNS);
    tch_buf_addc(&sink->b, '\n');
    tch_sink_step(sink);
}

static void add_frame(const struct packing *p, struct tch_sink *sink, const struct tch_frame *f)
{
    const char *count_name = p->options->count_name ? p->options->count_name : "samples";
    struct tch_change change;

    tch_buf_addf(&sink->b, "%u\t%llu\t%llu\t%u", f->level, (unsigned long long)f->x,
                 (unsigned long long)f->w, p->number[f->name] - 1);
    if (p->stacks->before) {
        change = tch_change_of(p->stacks, f->before, (double)f->w);
        tch_buf_addf(&sink->b, "\t%d\t%.2f\t", change.sign,
                     tch_palette_opacity(&change, p->full_change));
        tch_add_title(&sink->b, p->stacks, p->layout, f, count_name);
    }
    tch_buf_addc(&sink->b, '\n');
    tch_sink_step(sink);
}

static void add_all(const struct packing *p, struct tch_sink *sink)
{
    tch_buf_addf(&sink->b, "%u\n", p->name_count);
    for (uint32_t i = 0; i < p->name_count; i++)
        add_name(p, sink, p->names[i]);
    for (size_t i = p->all->count; i > 0; i--) /* callers precede their callees */
        if (is_packed(p, p->all->list + i - 1))
            add_frame(p, sink, p->all->list + i - 1);
}

static int compress(void *z, const void *data, size_t len, tacho_error *err)
{
    (void)err;
    return tch_deflate_write(z, data, len);
}

static int keep(void *packed, const void *data, size_t len)
{
    tch_buf_add(packed, data, len);
    return ((struct tch_buf *)packed)->failed ? TACHO_ELIMIT : 0;
}

static int pack(const struct packing *p, struct tch_buf *packed, tacho_error *err)
{
    struct tch_deflate *z = NULL;
    struct tch_sink plain;
    int status = tch_deflate_open(&z, LEVEL, keep, packed, err);

    if (status < 0)
        return status;
    tch_sink_init(&plain, compress, z, err);
    add_all(p, &plain);
    status = tch_sink_end(&plain);
    if (status == 0)
        status = tch_deflate_finish(z);
    tch_deflate_close(z);
    return status;
}

int tch_detail_add(struct tch_buf *b, const struct tch_stacks *stacks,
                   const struct tch_layout *layout, const struct tch_layout *all,
                   const struct tch_svg_options *options, double full_change, tacho_error *err)
{
    struct packing p = {.stacks = stacks,
                        .layout = layout,
                        .all = all,
                        .options = options,
                        .full_change = full_change};
    struct tch_buf packed;
    int status = number_names(&p, err);

    tch_buf_init(&packed, MOST_BYTES);
    if (status == 0 && p.frame_count > 0)
        status = pack(&p, &packed, err);
    if (status == 0 && p.frame_count > 0) {
        tch_buf_adds(b, "<metadata class=\"detail\">");
        tch_base64_add(b, packed.data, packed.len);
        tch_buf_adds(b, "</metadata>\n");
        status = 1;
    }
    tch_buf_release(&packed);
    free(p.number);
    free(p.names);
    return status == TACHO_ELIMIT ? 0 : status;
}
