/* Writes the model as folded stacks: "process / thread;outer;inner 1234", with self time in
   nanoseconds. */
#include <stdlib.h>
#include <string.h>

#include "trace_write.h"

#include "base/array.h"

/* A stack: its outer stack and a name. */
struct stack {
    uint32_t outer; /* 1 + number of the outer stack; 0: the name is a track */
    uint32_t name;
};

struct frame {
    uint32_t stack;
    uint32_t lane;
    int64_t ts;
    uint64_t inside;
};

struct folded {
    struct tch_intern stacks; /* keyed by struct stack */
    int64_t *self;            /* self time, by stack */
    size_t self_room;
    struct frame *open; /* open frames of the track, of all lanes */
    size_t depth, room;
};

static uint32_t stack_of(struct folded *f, uint32_t outer, uint32_t name)
{
    struct stack key = {outer, name};
    uint32_t count = f->stacks.count;
    uint32_t number = tch_intern_add(&f->stacks, (const char *)&key, sizeof key);

    if (number == TCH_INTERN_NONE || number < count)
        return number;
    if (tch_array_reserve(&f->self, &f->self_room, (size_t)number + 1) < 0)
        return TCH_INTERN_NONE;
    f->self[number] = 0;
    return number;
}

/* Returns the innermost open frame of a lane, or -1. Spans that were moved to an extra lane start
   at its root. */
static int64_t top_of(const struct folded *f, uint32_t lane)
{
    for (size_t i = f->depth; i-- > 0;)
        if (f->open[i].lane == lane)
            return (int64_t)i;
    return -1;
}

static int begin(struct tch_trace_writer *w)
{
    w->own = calloc(1, sizeof(struct folded));
    return w->own ? 0 : tch_trace_writer_no_memory(w);
}

static int add(struct tch_trace_writer *w, const struct tch_ev *ev)
{
    struct folded *f = w->own;
    int64_t top = top_of(f, ev->lane);
    uint32_t outer = top >= 0 ? f->open[top].stack : stack_of(f, 0, ev->track), stack;

    if (outer == TCH_INTERN_NONE)
        return tch_trace_writer_no_memory(w);
    stack = stack_of(f, outer + 1, ev->name);
    if (stack == TCH_INTERN_NONE)
        return tch_trace_writer_no_memory(w);
    if (tch_array_reserve(&f->open, &f->room, f->depth + 1) < 0)
        return tch_trace_writer_no_memory(w);
    f->open[f->depth++] = (struct frame){.stack = stack, .lane = ev->lane, .ts = ev->ts};
    f->self[stack] += ev->dur;
    if (top >= 0)
        f->self[f->open[top].stack] -= ev->dur;
    return 0;
}

static int end_span(struct tch_trace_writer *w, uint32_t lane, int64_t ts)
{
    struct folded *f = w->own;
    int64_t top = top_of(f, lane);

    (void)ts;
    if (top < 0)
        return 0;
    f->depth--;
    memmove(f->open + top, f->open + top + 1, (f->depth - (size_t)top) * sizeof *f->open);
    return 0;
}

/* Adds a frame. Semicolons separate frames and line feeds separate stacks, so both are replaced. */
static void add_frame(struct tch_buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        tch_buf_addc(b, text[i] == ';' ? ':' : (unsigned char)text[i] < ' ' ? ' ' : text[i]);
    if (len == 0)
        tch_buf_adds(b, "(no name)");
}

static void add_stack(struct tch_trace_writer *w, uint32_t number)
{
    const struct folded *f = w->own;
    struct stack key;
    struct tch_buf name;

    memcpy(&key, tch_intern_text(&f->stacks, number), sizeof key);
    if (key.outer == 0) {
        tch_buf_init(&name, 1 << 20);
        tch_model_add_track_name(w->m, key.name, &name);
        add_frame(&w->text, name.data, name.len);
        tch_buf_release(&name);
        return;
    }
    add_stack(w, key.outer - 1);
    tch_buf_addc(&w->text, ';');
    add_frame(&w->text, tch_intern_text(&w->m->texts, key.name),
              tch_intern_len(&w->m->texts, key.name));
}

static int finish(struct tch_trace_writer *w)
{
    const struct folded *f = w->own;

    for (uint32_t i = 0; i < f->stacks.count; i++) {
        if (f->self[i] <= 0)
            continue;
        tch_buf_clear(&w->text);
        add_stack(w, i);
        tch_buf_addf(&w->text, " %lld\n", (long long)f->self[i]);
        if (w->text.failed)
            return tch_trace_writer_no_memory(w);
        tch_trace_writer_put(w, w->text.data, w->text.len);
    }
    return w->out.status;
}

static void release(struct tch_trace_writer *w)
{
    struct folded *f = w->own;

    tch_intern_release(&f->stacks);
    free(f->self);
    free(f->open);
}

const struct tch_write_format tch_trace_as_folded = {.extension = ".folded",
                                                     .name = "folded stacks",
                                                     .spans_only = true,
                                                     .needs_lanes = true,
                                                     .begin = begin,
                                                     .add = add,
                                                     .end_span = end_span,
                                                     .finish = finish,
                                                     .release = release};
