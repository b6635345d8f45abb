/* Writes folded stacks, sorted, with both counts of a differential. */
#include <stdlib.h>

#include "base/float_text.h"
#include "base/utf8.h"
#include "kit/text/human_number.h"
#include "profile_formats.h"

/* Adds a name without control characters, which could control the terminal. They are rare, so the
   name is searched for them before it is copied. */
static void add_name(struct tch_buf *b, struct tch_span name)
{
    size_t clean = 0;

    while (clean < name.len && !tch_utf8_is_control(name.p[clean]))
        clean++;
    tch_buf_add(b, name.p, clean);
    for (; clean < name.len; clean++)
        tch_buf_addc(b, tch_utf8_is_control(name.p[clean]) ? '?' : name.p[clean]);
}

static void add_stack(struct tch_buf *b, const struct tch_stacks *stacks, uint32_t id)
{
    const struct tch_stack *stack = stacks->list + id;
    const char *at = tch_stacks_first(stacks, id);

    for (uint32_t i = 0; i < stack->len; i++) {
        struct tch_span name = tch_span_interned(&stacks->names, tch_stacks_next(&at));

        if (i > 0)
            tch_buf_addc(b, ';');
        add_name(b, name);
    }
    if (stacks->before) {
        char text[TCH_PLAIN_TEXT];

        tch_buf_addc(b, ' ');
        tch_buf_add(b, text, tch_f64_plain(text, stacks->before[id]));
    }
    tch_buf_addc(b, ' ');
    tch_add_u64(b, stack->count);
    tch_buf_addc(b, '\n');
}

int tch_write_folded(const struct tch_profile *profile, const struct tch_format_options *options,
                     struct tch_sink *sink)
{
    const struct tch_stacks *stacks = profile->stacks;
    uint32_t *order = NULL;
    int status = tch_stacks_sort(stacks, &order, sink->err);

    (void)options;
    tch_counted_write(&sink->b, stacks);
    for (uint32_t i = 0; status == 0 && i < stacks->count; i++) {
        if (stacks->list[order[i]].count > 0 || (stacks->before && stacks->before[order[i]] > 0))
            add_stack(&sink->b, stacks, order[i]);
        tch_sink_step(sink);
        status = sink->status;
    }
    free(order);
    return status;
}
