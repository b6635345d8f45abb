/* Compares the parts and the stacks of two counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

enum { STACKS_NAMED = 3, FRAMES_NAMED = 8, NAME_SHOWN = 60 };

void tch_count_stacks_release(struct tch_count *c)
{
    for (size_t i = 0; i < c->stack_count; i++)
        free(c->stacks[i].text);
    free(c->stacks);
    c->stacks = NULL;
    c->stack_count = 0;
}

static double part_of(const struct tch_count *c, const char *name)
{
    for (size_t i = 0; i < c->part_count; i++)
        if (strcmp(c->parts[i].name, name) == 0)
            return c->parts[i].value;
    return 0;
}

/* --- Parts --- */

static int parts_by_size(const void *a, const void *b)
{
    const struct tch_count_part *x = a;
    const struct tch_count_part *y = b;

    if (fabs(x->value) != fabs(y->value))
        return fabs(x->value) > fabs(y->value) ? -1 : 1;
    return strcmp(x->name, y->name);
}

void tch_count_add_difference(struct tch_buf *out, const struct tch_count *a,
                              const struct tch_count *b, size_t most)
{
    size_t room = a->part_count + b->part_count;
    struct tch_count_part *list = calloc(room + 1, sizeof *list);
    size_t count = 0;

    for (size_t i = 0; list && i < room; i++) {
        bool of_b = i < b->part_count;
        const char *name = of_b ? b->parts[i].name : a->parts[i - b->part_count].name;
        double change = part_of(b, name) - part_of(a, name);

        if (change == 0 || (!of_b && part_of(b, name) > 0))
            continue;
        list[count] = (struct tch_count_part){.value = change};
        memcpy(list[count++].name, name, TCH_COUNT_PART_TEXT);
    }
    if (!list)
        out->failed = true;
    if (count > 1)
        qsort(list, count, sizeof *list, parts_by_size);
    for (size_t i = 0; i < count && i < most; i++)
        tch_buf_addf(out, "%s%s %+.0f", i > 0 ? ", " : "", list[i].name, list[i].value);
    if (count > most)
        tch_buf_addf(out, " and %zu more", count - most);
    free(list);
}

/* --- Stacks --- */

/* The largest differences come first. The texts make the order unique. */
static int stacks_by_size(const void *a, const void *b)
{
    const struct tch_count_stack *x = a;
    const struct tch_count_stack *y = b;

    if (fabs(x->value) != fabs(y->value))
        return fabs(x->value) > fabs(y->value) ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Returns the name of the call, the last frame of a text. */
static const char *call_of(const char *text)
{
    const char *last = strrchr(text, ';');

    return last ? last + 1 : text;
}

/* Writes the differences between two sorted lists to ret. Returns how many there are. */
static size_t subtract(const struct tch_count *a, const struct tch_count *b,
                       struct tch_count_stack *ret)
{
    size_t count = 0;

    for (size_t i = 0, k = 0; i < a->stack_count || k < b->stack_count;) {
        int order = i == a->stack_count   ? 1
                    : k == b->stack_count ? -1
                                          : strcmp(a->stacks[i].text, b->stacks[k].text);
        struct tch_count_stack s = order < 0 ? a->stacks[i] : b->stacks[k];

        s.value = (order >= 0 ? b->stacks[k].value : 0) - (order <= 0 ? a->stacks[i].value : 0);
        i += order <= 0;
        k += order >= 0;
        if (s.value != 0)
            ret[count++] = s;
    }
    return count;
}

/* Writes the stacks of the calls whose number differs to ret. Returns how many there are. */
static size_t select_changed(const struct tch_count *a, const struct tch_count *b,
                             struct tch_count_stack *ret)
{
    size_t count = 0;

    for (size_t i = 0; i < b->stack_count; i++) {
        const char *call = call_of(b->stacks[i].text);

        if (!a || a->part_count == 0 || part_of(a, call) != part_of(b, call))
            ret[count++] = b->stacks[i];
    }
    return count;
}

/* Adds "malloc +1 in extra <- work <- main". Frames above main are left out. */
static void add_stack(struct tch_buf *out, const struct tch_count_stack *s, const char *format)
{
    const char *end = call_of(s->text);
    const char *between = " in ";
    size_t len = 0;

    tch_buf_adds(out, end);
    tch_buf_addf(out, format, s->value);
    for (int i = 0; i < FRAMES_NAMED && end > s->text && !(len == 4 && memcmp(end, "main", 4) == 0);
         i++) {
        const char *start = --end; /* at the ';' */

        while (start > s->text && start[-1] != ';')
            start--;
        len = (size_t)(end - start);
        tch_buf_adds(out, between);
        tch_buf_addf(out, "%.*s%s", (int)(len < NAME_SHOWN ? len : NAME_SHOWN), start,
                     len > NAME_SHOWN ? "..." : "");
        between = " <- ";
        end = start;
    }
}

void tch_count_add_stacks(struct tch_buf *out, const struct tch_count *a, const struct tch_count *b)
{
    bool both = a && a->stack_count > 0;
    size_t room = (both ? a->stack_count : 0) + b->stack_count;
    struct tch_count_stack *list;
    size_t count;

    if (b->stack_count == 0) {
        if (b->no_stacks[0])
            tch_buf_addf(out, "no stacks: %s", b->no_stacks);
        return;
    }
    list = calloc(room, sizeof *list);
    if (!list) {
        out->failed = true;
        return;
    }
    count = both ? subtract(a, b, list) : select_changed(a, b, list);
    if (count > 0)
        qsort(list, count, sizeof *list, stacks_by_size);
    if (!both && count > 0)
        tch_buf_adds(out, "stacks now, as there are none from before: ");
    for (size_t i = 0; i < count && i < STACKS_NAMED; i++) {
        tch_buf_adds(out, i > 0 ? "; " : "");
        add_stack(out, &list[i], both ? " %+.0f" : " %.0f");
    }
    if (count > STACKS_NAMED)
        tch_buf_addf(out, "; and %zu more", count - STACKS_NAMED);
    free(list);
}
