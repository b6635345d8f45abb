/* Lays out frames by one pass over the sorted stacks. Frames that the next stack shares stay open;
   the others are closed. */
#include "flame_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

/* A frame that is not closed yet. Level 0 is "all". */
struct open_frame {
    uint32_t name;
    uint64_t x;
    double before; /* samples of the other profile up to here */
    uint64_t self;
    double self_before;
    uint64_t pruned; /* samples of callees that are too narrow to keep */
};

struct sweep {
    const struct tch_stacks *stacks;
    struct tch_layout *ret;
    uint64_t least;
    uint64_t x;
    double before;
    size_t depth; /* open frames, without "all" */
    struct open_frame open[TCH_STACK_DEEPEST + 1];
};

void tch_layout_release(struct tch_layout *layout)
{
    free(layout->list);
    *layout = (struct tch_layout){0};
}

static int close_frame(struct sweep *s, size_t level, tacho_error *err)
{
    struct tch_layout *ret = s->ret;
    struct open_frame *frame = s->open + level;
    uint64_t w = s->x - frame->x;
    double before = s->before - frame->before;

    if (level > 0 && w < s->least && before < (double)s->least) {
        ret->pruned++;
        frame[-1].pruned += w;
        return 0;
    }
    if (tch_array_reserve(&ret->list, &ret->cap, ret->count + 1) < 0)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %zu frames", ret->count);
    ret->list[ret->count++] = (struct tch_frame){
        .x = frame->x,
        .w = w,
        .before = before,
        .self = frame->self,
        .self_before = frame->self_before,
        .name = frame->name,
        .level = (uint32_t)level,
    };
    ret->pruned_samples += frame->pruned;
    if (level >= ret->levels)
        ret->levels = (uint32_t)level + 1;
    return 0;
}

static int close_down_to(struct sweep *s, size_t depth, tacho_error *err)
{
    int status = 0;

    for (; status == 0 && s->depth > depth; s->depth--)
        status = close_frame(s, s->depth, err);
    return status;
}

/* Adds a stack: closes the frames that it does not share, opens the new ones. */
static int add_stack(struct sweep *s, uint32_t id, tacho_error *err)
{
    const struct tch_stack *stack = s->stacks->list + id;
    double before = s->stacks->before ? s->stacks->before[id] : 0;
    const char *at = tch_stacks_first(s->stacks, id);
    uint32_t name = 0;
    size_t shared = 0;

    while (shared < stack->len) {
        name = tch_stacks_next(&at);
        if (shared >= s->depth || s->open[shared + 1].name != name)
            break;
        shared++;
    }
    if (close_down_to(s, shared, err) < 0)
        return TACHO_ENOMEM;
    while (s->depth < stack->len) {
        s->open[++s->depth] = (struct open_frame){.name = name, .x = s->x, .before = s->before};
        if (s->depth < stack->len)
            name = tch_stacks_next(&at);
    }
    s->open[s->depth].self += stack->count;
    s->open[s->depth].self_before += before;
    s->x += stack->count;
    s->before += before;
    return 0;
}

/* Prefetches the next stacks. Inlined by force: gcc removes calls of a function that only
   prefetches. */
__attribute__((always_inline)) static inline void fetch_ahead(const struct tch_stacks *stacks,
                                                              const uint32_t *order, uint32_t i)
{
    enum { FAR = 16, NEAR = 8 };

    if (i + FAR < stacks->count) {
        __builtin_prefetch(stacks->list + order[i + FAR]);
        __builtin_prefetch(stacks->units.list + order[i + FAR]);
    }
    if (i + NEAR < stacks->count) {
        const char *units = tch_stacks_first(stacks, order[i + NEAR]);

        __builtin_prefetch(units);
        __builtin_prefetch(units + 64);
    }
}

int tch_layout_make(const struct tch_stacks *stacks, uint64_t least, struct tch_layout *ret,
                    tacho_error *err)
{
    struct sweep *s = malloc(sizeof *s);
    uint32_t *order = NULL;
    int status;

    if (!s)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the layout");
    s->stacks = stacks;
    s->ret = ret;
    s->least = least;
    s->x = 0;
    s->before = 0;
    s->depth = 0;
    s->open[0] = (struct open_frame){.name = TCH_FRAME_ALL};
    ret->total = tch_stacks_total(stacks);
    ret->total_before = tch_stacks_total_before(stacks);
    ret->least = least;
    status = tch_stacks_sort(stacks, &order, err);
    for (uint32_t i = 0; status == 0 && i < stacks->count; i++) {
        fetch_ahead(stacks, order, i);
        status = add_stack(s, order[i], err);
    }
    if (status == 0)
        status = close_down_to(s, 0, err);
    if (status == 0)
        status = close_frame(s, 0, err);
    free(order);
    free(s);
    return status;
}

static double width(const struct tch_frame *frame)
{
    return fmax((double)frame->w, frame->before);
}

static int wider_first(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Drops frames narrower than `least`. */
static void drop_narrow(struct tch_layout *layout, uint64_t least)
{
    size_t kept = 0;
    uint32_t levels = 0;
    uint64_t self = 0;

    for (size_t i = 0; i < layout->count; i++) {
        const struct tch_frame *frame = layout->list + i;

        if (width(frame) < (double)least && frame->level > 0) {
            layout->pruned++;
            continue;
        }
        self += frame->self;
        if (frame->level >= levels)
            levels = frame->level + 1;
        layout->list[kept++] = *frame;
    }
    layout->count = kept;
    layout->levels = levels;
    layout->least = least;
    /* The samples that do not end in a kept frame are in pruned ones. */
    layout->pruned_samples = layout->total - self;
}

int tch_layout_limit(struct tch_layout *layout, size_t most, tacho_error *err)
{
    double *widths;

    if (layout->count <= most)
        return 0;
    widths = malloc(layout->count * sizeof *widths);
    if (!widths)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %zu frames", layout->count);
    for (size_t i = 0; i < layout->count; i++)
        widths[i] = width(layout->list + i);
    qsort(widths, layout->count, sizeof *widths, wider_first);
    drop_narrow(layout, (uint64_t)widths[most] + 1);
    free(widths);
    return 0;
}

int tch_layout_wider(const struct tch_layout *all, uint64_t least, size_t most,
                     struct tch_layout *ret, tacho_error *err)
{
    *ret = *all;
    ret->cap = all->count;
    ret->list = malloc(all->count * sizeof *ret->list + 1);
    if (!ret->list)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %zu frames", all->count);
    memcpy(ret->list, all->list, all->count * sizeof *ret->list);
    if (least > all->least)
        drop_narrow(ret, least);
    return tch_layout_limit(ret, most, err);
}
