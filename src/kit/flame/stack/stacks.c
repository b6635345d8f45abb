/* Stores distinct stacks. The 16-bit units of each are interned like a text. */
#include "stacks.h"

#include <math.h>

#include "base/array.h"
#include "base/fail.h"

void tch_stacks_release(struct tch_stacks *stacks)
{
    tch_intern_release(&stacks->names);
    free(stacks->list);
    free(stacks->before);
    tch_intern_release(&stacks->units);
    *stacks = (struct tch_stacks){0};
}

/* Returns the number of a stack, new or known; TCH_INTERN_NONE if memory runs out. */
static uint32_t intern_frames(struct tch_stacks *stacks, const uint32_t *frames, size_t len)
{
    uint16_t units[2 * TCH_STACK_DEEPEST];
    uint16_t *p = units;
    uint32_t id;

    if (tch_array_reserve(&stacks->list, &stacks->list_cap, (size_t)stacks->count + 1) < 0)
        return TCH_INTERN_NONE;
    for (size_t i = 0; i < len; i++) {
        if (frames[i] >= 0xc000)
            *p++ = (uint16_t)(0xc000 | frames[i] >> 16);
        *p++ = (uint16_t)frames[i];
    }
    id = tch_intern_add(&stacks->units, (const char *)units, (size_t)(p - units) * sizeof *p);
    if (id == stacks->count)
        stacks->list[stacks->count++] = (struct tch_stack){.len = (uint32_t)len};
    return id;
}

int64_t tch_stacks_add(struct tch_stacks *stacks, const uint32_t *frames, size_t len,
                       uint64_t count, tacho_error *err)
{
    uint32_t id;

    if (count > UINT64_MAX - stacks->sum)
        return tch_fail(err, TACHO_ELIMIT, 0, "the counts add up to more than 2^64 - 1");
    if (len > TCH_STACK_DEEPEST) {
        len = TCH_STACK_DEEPEST;
        stacks->cut += count;
    }
    id = intern_frames(stacks, frames, len);
    if (id == TCH_INTERN_NONE)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %u distinct stacks",
                        stacks->count);
    stacks->list[id].count += count;
    stacks->sum += count;
    stacks->squares += (double)count * (double)count;
    return id;
}

/* Makes room for the "before" counts of `need` stacks. Those of new stacks are 0. */
static int reserve_before(struct tch_stacks *stacks, size_t need, tacho_error *err)
{
    if (tch_array_reserve_zero(&stacks->before, &stacks->before_cap, need) < 0)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %u distinct stacks",
                        stacks->count);
    return 0;
}

int64_t tch_stacks_add_both(struct tch_stacks *stacks, const uint32_t *frames, size_t len,
                            double before, uint64_t count, tacho_error *err)
{
    int64_t id = tch_stacks_add(stacks, frames, len, count, err);

    if (id < 0)
        return id;
    if (reserve_before(stacks, (size_t)id + 1, err) < 0)
        return TACHO_ENOMEM;
    stacks->before[id] += before;
    return id;
}

size_t tch_stacks_frames(const struct tch_stacks *stacks, uint32_t id, uint32_t *ret)
{
    const char *at = tch_stacks_first(stacks, id);

    for (uint32_t i = 0; i < stacks->list[id].len; i++)
        ret[i] = tch_stacks_next(&at);
    return stacks->list[id].len;
}

uint64_t tch_stacks_total(const struct tch_stacks *stacks)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < stacks->count; i++)
        total += stacks->list[i].count;
    return total;
}

double tch_stacks_total_before(const struct tch_stacks *stacks)
{
    double total = 0;

    for (uint32_t i = 0; stacks->before && i < stacks->count; i++)
        total += stacks->before[i];
    return total;
}

int tch_stacks_diff_begin(struct tch_stacks *stacks, tacho_error *err)
{
    if (stacks->before)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "it has two counts per line and is a differential already");
    if (reserve_before(stacks, (size_t)stacks->count + 1, err) < 0)
        return TACHO_ENOMEM;
    for (uint32_t i = 0; i < stacks->count; i++) {
        stacks->before[i] = (double)stacks->list[i].count;
        stacks->list[i].count = 0;
    }
    stacks->sum = 0;
    stacks->squares = 0;
    stacks->counted_before = stacks->counted;
    stacks->counted = (struct tch_counted){0};
    stacks->normalized = false;
    return 0;
}

/* Scales the counts before to the total of the other side. A sample before is then worth more or
   less than one count. */
static void normalize_before(struct tch_stacks *stacks)
{
    double quantum = stacks->counted_before.quantum;
    double before = tch_stacks_total_before(stacks);
    double scale = (double)tch_stacks_total(stacks) / before;

    if (before == 0)
        return;
    for (uint32_t i = 0; i < stacks->count; i++)
        stacks->before[i] = rint(stacks->before[i] * scale * 1000) / 1000;
    stacks->counted_before.quantum = (quantum > 0 ? quantum : 1) * scale;
    stacks->normalized = true;
}

int tch_stacks_diff_end(struct tch_stacks *stacks, bool normalize, bool leaf_first,
                        tacho_error *err)
{
    int status;

    if (reserve_before(stacks, stacks->count, err) < 0)
        return TACHO_ENOMEM;
    stacks->leaf_first = leaf_first;
    status = tch_counted_match(stacks, err);
    if (status == 0)
        status = tch_stacks_pair_programs(stacks, leaf_first, err);
    if (status == 0 && normalize)
        normalize_before(stacks);
    return status;
}
