/* Two profiles in one. */
#include "profile_diff.h"

#include <stdlib.h>

#include "base/fail.h"

static int no_memory(const struct tch_stacks *stacks, tacho_error *err)
{
    return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %u distinct stacks", stacks->count);
}

/* Reading on makes more stacks: the first profile's counts are kept aside until the end. */
int tch_diff_begin(struct tch_stacks *stacks, tacho_error *err)
{
    uint64_t *before;

    if (stacks->before)
        return tch_fail(err, TACHO_EINVAL, 0, "it has two counts a line: it is a differential");
    before = malloc(((size_t)stacks->count + 1) * sizeof *before);
    if (!before)
        return no_memory(stacks, err);
    for (uint32_t i = 0; i < stacks->count; i++) {
        before[i] = stacks->list[i].count;
        stacks->list[i].count = 0;
    }
    stacks->before = before;
    stacks->before_cap = (size_t)stacks->count + 1;
    return 0;
}

static void scale(struct tch_stacks *stacks)
{
    double before = (double)tch_stacks_total_before(stacks);
    double now = (double)tch_stacks_total(stacks);

    for (uint32_t i = 0; before > 0 && i < stacks->count; i++)
        stacks->before[i] = (uint64_t)((double)stacks->before[i] * now / before);
}

int tch_diff_end(struct tch_stacks *stacks, bool normalize, tacho_error *err)
{
    size_t had = stacks->before_cap - 1;

    if (stacks->count > had) {
        uint64_t *before = realloc(stacks->before, ((size_t)stacks->count + 1) * sizeof *before);

        if (!before)
            return no_memory(stacks, err);
        memset(before + had, 0, (stacks->count - had) * sizeof *before);
        stacks->before = before;
        stacks->before_cap = (size_t)stacks->count + 1;
    }
    if (normalize)
        scale(stacks);
    return 0;
}
