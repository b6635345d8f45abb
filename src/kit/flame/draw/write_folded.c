/* Folded stacks, in order; both counts of a differential. */
#include <stdlib.h>

#include "base/human_number.h"
#include "profile_formats.h"

static void add_stack(struct tch_buf *b, const struct tch_stacks *stacks, uint32_t id)
{
    const struct tch_stack *stack = stacks->list + id;
    const char *at = tch_stacks_first(stacks, id);

    for (uint32_t i = 0; i < stack->len; i++) {
        struct tch_span name = tch_span_interned(&stacks->names, tch_stacks_next(&at));

        if (i > 0)
            tch_buf_addc(b, ';');
        for (size_t k = 0; k < name.len; k++) /* a name must not steer the terminal */
            tch_buf_addc(b, (name.p[k] >= 0 && name.p[k] < 0x20) || name.p[k] == 0x7F ? '?'
                                                                                      : name.p[k]);
    }
    if (stacks->before) {
        tch_buf_addc(b, ' ');
        tch_add_u64(b, stacks->before[id]);
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
    for (uint32_t i = 0; status == 0 && i < stacks->count; i++) {
        if (stacks->list[order[i]].count > 0 || (stacks->before && stacks->before[order[i]] > 0))
            add_stack(&sink->b, stacks, order[i]);
        tch_sink_step(sink);
        status = sink->status;
    }
    free(order);
    return status;
}
