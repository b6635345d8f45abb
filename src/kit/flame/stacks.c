/* Distinct stacks, by an open-addressing table over the hash of their frames. */
#include "stacks.h"

#include "base/array.h"
#include "base/fail.h"
#include "base/hash.h"

void tch_stacks_release(struct tch_stacks *stacks)
{
    tch_intern_release(&stacks->names);
    free(stacks->list);
    free(stacks->before);
    free(stacks->units);
    free(stacks->slots);
    *stacks = (struct tch_stacks){0};
}

static bool grow_slots(struct tch_stacks *stacks)
{
    uint32_t mask = stacks->slots ? stacks->mask * 2 + 1 : 1023;
    struct tch_stack_slot *slots = calloc((size_t)mask + 1, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t id = 0; id < stacks->count; id++) {
        uint32_t i = stacks->list[id].hash & mask;

        while (slots[i].id)
            i = (i + 1) & mask;
        slots[i] = (struct tch_stack_slot){stacks->list[id].hash, id + 1};
    }
    free(stacks->slots);
    stacks->slots = slots;
    stacks->mask = mask;
    return true;
}

static bool same_frames(const struct tch_stacks *stacks, const struct tch_stack *stack,
                        const uint32_t *frames, size_t len)
{
    uint64_t at = stack->at;

    if (stack->len != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (tch_stacks_next(stacks, &at) != frames[i])
            return false;
    return true;
}

static bool keep_frames(struct tch_stacks *stacks, const uint32_t *frames, size_t len)
{
    uint16_t *p;

    if (tch_array_reserve(&stacks->units, &stacks->unit_cap, stacks->unit_count + 2 * len) < 0)
        return false;
    p = stacks->units + stacks->unit_count;
    for (size_t i = 0; i < len; i++) {
        if (frames[i] >= 0xc000)
            *p++ = (uint16_t)(0xc000 | frames[i] >> 16);
        *p++ = (uint16_t)frames[i];
    }
    stacks->unit_count = (size_t)(p - stacks->units);
    return true;
}

static int64_t add_new(struct tch_stacks *stacks, const uint32_t *frames, size_t len, uint32_t hash,
                       uint32_t slot)
{
    uint64_t at = stacks->unit_count;

    if (stacks->count >= INT32_MAX ||
        tch_array_reserve(&stacks->list, &stacks->list_cap, (size_t)stacks->count + 1) < 0 ||
        !keep_frames(stacks, frames, len))
        return -1;
    stacks->list[stacks->count] = (struct tch_stack){.at = at, .len = (uint32_t)len, .hash = hash};
    stacks->slots[slot] = (struct tch_stack_slot){hash, ++stacks->count};
    return stacks->count - 1;
}

static int64_t find_or_add(struct tch_stacks *stacks, const uint32_t *frames, size_t len)
{
    uint64_t hash = tch_hash(frames, len * sizeof *frames);
    uint32_t tag = (uint32_t)(hash >> 32) ^ (uint32_t)hash;
    uint32_t i;

    /* At most half full: nearly every look finds its place at once. */
    if (!stacks->slots || stacks->count > stacks->mask / 2)
        if (!grow_slots(stacks))
            return -1;
    for (i = tag & stacks->mask; stacks->slots[i].id; i = (i + 1) & stacks->mask)
        if (stacks->slots[i].hash == tag &&
            same_frames(stacks, stacks->list + stacks->slots[i].id - 1, frames, len))
            return stacks->slots[i].id - 1;
    return add_new(stacks, frames, len, tag, i);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int64_t tch_stacks_add(struct tch_stacks *stacks, const uint32_t *frames, size_t len,
                       uint64_t count, tacho_error *err)
{
    int64_t id;

    if (len > TCH_STACK_DEEPEST) {
        len = TCH_STACK_DEEPEST;
        stacks->cut = add_up(stacks->cut, count);
    }
    id = find_or_add(stacks, frames, len);
    if (id < 0)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %u distinct stacks",
                        stacks->count);
    stacks->list[id].count = add_up(stacks->list[id].count, count);
    return id;
}

/* Makes room for the counts before of `need` stacks; those of new ones are 0. */
static int reserve_before(struct tch_stacks *stacks, size_t need, tacho_error *err)
{
    size_t had = stacks->before_cap;

    if (tch_array_reserve(&stacks->before, &stacks->before_cap, need) < 0)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %u distinct stacks",
                        stacks->count);
    memset(stacks->before + had, 0, (stacks->before_cap - had) * sizeof *stacks->before);
    return 0;
}

int64_t tch_stacks_add_both(struct tch_stacks *stacks, const uint32_t *frames, size_t len,
                            uint64_t before, uint64_t count, tacho_error *err)
{
    int64_t id = tch_stacks_add(stacks, frames, len, count, err);

    if (id < 0)
        return id;
    if (reserve_before(stacks, (size_t)id + 1, err) < 0)
        return TACHO_ENOMEM;
    stacks->before[id] = add_up(stacks->before[id], before);
    return id;
}

size_t tch_stacks_frames(const struct tch_stacks *stacks, uint32_t id, uint32_t *ret)
{
    const struct tch_stack *stack = stacks->list + id;
    uint64_t at = stack->at;

    for (uint32_t i = 0; i < stack->len; i++)
        ret[i] = tch_stacks_next(stacks, &at);
    return stack->len;
}

uint64_t tch_stacks_total(const struct tch_stacks *stacks)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < stacks->count; i++)
        total = add_up(total, stacks->list[i].count);
    return total;
}

uint64_t tch_stacks_total_before(const struct tch_stacks *stacks)
{
    uint64_t total = 0;

    for (uint32_t i = 0; stacks->before && i < stacks->count; i++)
        total = add_up(total, stacks->before[i]);
    return total;
}

int tch_stacks_diff_begin(struct tch_stacks *stacks, tacho_error *err)
{
    if (stacks->before)
        return tch_fail(err, TACHO_EINVAL, 0, "it has two counts a line: it is a differential");
    if (reserve_before(stacks, (size_t)stacks->count + 1, err) < 0)
        return TACHO_ENOMEM;
    for (uint32_t i = 0; i < stacks->count; i++) {
        stacks->before[i] = stacks->list[i].count;
        stacks->list[i].count = 0;
    }
    return 0;
}

int tch_stacks_diff_end(struct tch_stacks *stacks, bool normalize, tacho_error *err)
{
    double now = (double)tch_stacks_total(stacks);
    double before;

    if (reserve_before(stacks, stacks->count, err) < 0)
        return TACHO_ENOMEM;
    before = (double)tch_stacks_total_before(stacks);
    for (uint32_t i = 0; normalize && before > 0 && i < stacks->count; i++)
        stacks->before[i] = (uint64_t)((double)stacks->before[i] * now / before);
    return 0;
}
