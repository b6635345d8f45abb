/* Draws the lanes of `tacho trace summary`: each cell shows the name that took the most time in its
   column. */
#include "trace_text.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/text.h"
#include "kit/text/human_number.h"
#include "kit/trace/trace_lanes.h"

enum {
    LANES = 12,
    KINDS = 6, /* names with their own colour; all others share one */
    WIDTH = 100,
    NAME_LEAST = 8,
    NAME_MOST = 28,
    CELLS_LEAST = 20,
    TEXT_MAX = 1 << 20,
};

static const enum paint paints[KINDS + 1] = {RED, YELLOW, GREEN, CYAN, BOLD, PLAIN, DIM};
static const char letters[KINDS + 1] = {'a', 'b', 'c', 'd', 'e', 'f', '.'};

struct picture {
    const struct tch_trace_summary *s;
    const struct term *term;
    struct tch_trace_summary_track const *tracks[LANES];
    size_t lanes[LANES]; /* numbers of the tracks drawn */
    size_t count;
    size_t name_width, cells;
    uint32_t names[KINDS]; /* names with their own letter, the most expensive first */
    size_t kinds;
    uint32_t *column; /* index into names, by lane and column */
    double *share;
};

/* Chooses the busiest tracks and keeps the order of the file. */
static void choose_tracks(struct picture *p)
{
    const struct tch_trace_summary *s = p->s;

    for (size_t i = 0; i < s->track_count; i++) {
        size_t busier = 0;

        for (size_t k = 0; k < s->track_count && busier < LANES; k++)
            busier += s->tracks[k].busy > s->tracks[i].busy ||
                      (s->tracks[k].busy == s->tracks[i].busy && k < i);
        if (busier < LANES && p->count < LANES) {
            p->tracks[p->count] = &s->tracks[i];
            p->lanes[p->count++] = i;
        }
    }
}

static void measure_names(struct picture *p, struct tch_buf *text)
{
    size_t width = p->term->width > 0 && p->term->width < WIDTH ? p->term->width : WIDTH;

    p->name_width = NAME_LEAST;
    for (size_t i = 0; i < p->count; i++) {
        size_t columns;

        tch_buf_clear(text);
        tch_model_add_track_name(&p->s->model, p->tracks[i]->track, text);
        columns = cli_text_width(text->data, text->len);
        if (columns > p->name_width)
            p->name_width = columns < NAME_MOST ? columns : NAME_MOST;
    }
    if (p->name_width + 2 + CELLS_LEAST > width)
        p->name_width = width > CELLS_LEAST + 2 + 4 ? width - CELLS_LEAST - 2 : 4;
    p->cells = width > p->name_width + 2 + CELLS_LEAST ? width - p->name_width - 2 : CELLS_LEAST;
}

static bool fill_cells(struct picture *p)
{
    p->column = malloc(p->count * p->cells * sizeof *p->column);
    p->share = malloc(p->count * p->cells * sizeof *p->share);
    if (!p->column || !p->share)
        return false;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->cells; k++)
            p->column[i * p->cells + k] =
                tch_lanes_column(&p->s->lanes, p->lanes[i], p->s->first, p->s->last, k, p->cells,
                                 &p->share[i * p->cells + k]);
    return true;
}

/* Gives a letter to each of the names that fill the most cells. */
static void choose_names(struct picture *p)
{
    size_t all = p->count * p->cells;

    for (; p->kinds < KINDS; p->kinds++) {
        size_t most = 0;
        uint32_t best = UINT32_MAX;

        for (size_t i = 0; i < all; i++) {
            size_t count = 0;
            bool taken = p->column[i] == UINT32_MAX;

            for (size_t k = 0; k < p->kinds; k++)
                taken = taken || p->names[k] == p->column[i];
            for (size_t k = 0; !taken && k < all; k++)
                count += p->column[k] == p->column[i];
            if (count > most) {
                most = count;
                best = p->column[i];
            }
        }
        if (best == UINT32_MAX)
            return;
        p->names[p->kinds] = best;
    }
}

static size_t kind_of(const struct picture *p, uint32_t name)
{
    size_t k = 0;

    while (k < p->kinds && p->names[k] != name)
        k++;
    return k < p->kinds ? k : KINDS;
}

/* Returns the text of a cell. With colours it shows how full the cell is, and the colour shows the
   name; without colours, a letter shows the name. */
static const char *cell_text(const struct picture *p, size_t i, char letter[2])
{
    static const char *const eighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double share = p->share[i] < 1 ? p->share[i] : 1;

    if (p->term->color && p->term->utf8)
        return eighths[(size_t)(share * 7.999)];
    letter[0] = letters[kind_of(p, p->column[i])];
    letter[1] = '\0';
    return letter;
}

static void add_lane(const struct picture *p, struct tch_buf *b, size_t lane, struct tch_buf *text)
{
    struct tch_buf name;
    size_t width;

    tch_buf_clear(text);
    tch_model_add_track_name(&p->s->model, p->tracks[lane]->track, text);
    tch_buf_init_part(&name, b);
    cli_add_clean(&name, text->data, p->term->utf8);
    width = b->len;
    cli_add_cut(b, name.data, name.len, p->name_width, p->term->utf8);
    width = cli_text_width(b->data + width, b->len - width);
    cli_add_blanks(b, p->name_width - width + 2);
    for (size_t k = 0; k < p->cells; k++) {
        size_t i = lane * p->cells + k;
        char letter[2];

        if (p->column[i] == UINT32_MAX)
            tch_buf_addc(b, ' ');
        else
            cli_add_painted(b, p->term, paints[kind_of(p, p->column[i])], cell_text(p, i, letter));
    }
    while (b->len > 0 && b->data[b->len - 1] == ' ')
        b->len--;
    tch_buf_addc(b, '\n');
    tch_buf_release(&name);
}

/* Adds the time axis: 0 at the left, the length of the trace at the right. */
static void add_axis(const struct picture *p, struct tch_buf *b, struct tch_buf *text)
{
    tch_buf_clear(text);
    tch_add_value(text, TCH_NS, (double)(p->s->last - p->s->first));
    cli_add_blanks(b, p->name_width + 2);
    tch_buf_addc(b, '0');
    cli_add_blanks(b, p->cells > text->len + 1 ? p->cells - text->len - 1 : 1);
    tch_buf_add(b, text->data, text->len);
    tch_buf_addc(b, '\n');
}

static void add_legend(const struct picture *p, struct tch_buf *b, struct tch_buf *text)
{
    struct tch_buf name;

    for (size_t k = 0; k < p->kinds; k++) {
        uint32_t number = p->names[k];
        char letter[2] = {letters[k], '\0'};

        tch_buf_init_part(&name, b);
        tch_buf_clear(text);
        tch_buf_add(text, tch_intern_text(&p->s->model.texts, number),
                    tch_intern_len(&p->s->model.texts, number));
        cli_add_clean(&name, text->data, p->term->utf8);
        cli_add_blanks(b, k > 0 ? 2 : p->name_width + 2);
        cli_add_painted(b, p->term, paints[k], p->term->color && p->term->utf8 ? "█" : letter);
        tch_buf_addc(b, ' ');
        cli_add_cut(b, name.data, name.len, p->cells / 4, p->term->utf8);
        tch_buf_release(&name);
    }
    tch_buf_addc(b, '\n');
    if (p->s->track_count > p->count)
        tch_buf_addf(b, "%zu less busy tracks are not drawn\n", p->s->track_count - p->count);
}

void cli_trace_add_picture(struct tch_buf *b, const struct tch_trace_summary *s,
                           const struct term *term)
{
    struct picture p = {.s = s, .term = term};
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    choose_tracks(&p);
    measure_names(&p, &text);
    if (p.count == 0 || s->last <= s->first) {
        tch_buf_release(&text);
        return;
    }
    if (!fill_cells(&p)) {
        b->failed = true;
    } else {
        choose_names(&p);
        for (size_t i = 0; i < p.count; i++)
            add_lane(&p, b, i, &text);
        add_axis(&p, b, &text);
        add_legend(&p, b, &text);
    }
    free(p.column);
    free(p.share);
    tch_buf_release(&text);
}
