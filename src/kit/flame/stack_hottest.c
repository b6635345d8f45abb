/* Finds the functions in which most samples end. */
#include "stacks.h"

#include <stdlib.h>

#include "base/fail.h"
#include "draw/frame_text.h"

/* The counts of a function, and the last stack that it was seen in. */
struct function {
    uint64_t self;
    uint64_t total;
    uint32_t seen; /* the number of the stack plus 1 */
    uint32_t name; /* one of its names */
};

/* The functions of a profile. A function has one number whatever its marks are, because it may be
   inlined in some places only. Functions of the same name in the kernel and in a program are two
   functions. */
struct functions {
    struct tch_intern keys;
    uint32_t *of_name; /* the function of each name */
    struct function *list;
};

static int number_functions(struct functions *f, const struct tch_intern *names, tacho_error *err)
{
    struct tch_buf key;
    int status = 0;

    tch_buf_init(&key, SIZE_MAX / 2);
    for (uint32_t i = 0; i < names->count && status == 0; i++) {
        struct tch_span name = tch_span_interned(names, i);
        struct tch_span text = tch_frame_unmarked(name);

        tch_buf_clear(&key);
        tch_buf_addc(&key, tch_frame_mark(name) == 'k' ? 'k' : 'u');
        tch_buf_add(&key, text.p, text.len);
        f->of_name[i] = key.failed ? TCH_INTERN_NONE : tch_intern_add(&f->keys, key.data, key.len);
        if (f->of_name[i] == TCH_INTERN_NONE)
            status = tch_fail_memory(err);
        else
            f->list[f->of_name[i]].name = i;
    }
    tch_buf_release(&key);
    return status;
}

/* Returns the number of frames up to the last one outside of the kernel; all frames of a stack of
   the kernel alone. */
static uint32_t length_in_user(const struct tch_stacks *stacks, uint32_t id)
{
    const char *at = tch_stacks_first(stacks, id);
    uint32_t len = 0;

    for (uint32_t k = 0; k < stacks->list[id].len; k++)
        if (tch_frame_mark(tch_span_interned(&stacks->names, tch_stacks_next(&at))) != 'k')
            len = k + 1;
    return len > 1 ? len : stacks->list[id].len; /* the first frame is the process */
}

/* Counts the samples of each function. The first frame is the process and not a function, unless it
   is the only frame. */
static void count_functions(struct functions *f, const struct tch_stacks *stacks, bool waits)
{
    for (uint32_t i = 0; i < stacks->count; i++) {
        const struct tch_stack *stack = stacks->list + i;
        const char *at = tch_stacks_first(stacks, i);
        uint32_t ends_at = waits ? length_in_user(stacks, i) : stack->len;

        for (uint32_t k = 0; k < stack->len; k++) {
            struct function *one = f->list + f->of_name[tch_stacks_next(&at)];

            if (k + 1 == ends_at)
                one->self += stack->count;
            if (one->seen == i + 1 || (k == 0 && stack->len > 1))
                continue;
            one->seen = i + 1;
            one->total += stack->count;
        }
    }
}

/* Keeps ret sorted, the hottest first. Of equal functions the one that was named first comes
   first. */
static size_t choose_hottest(const struct functions *f, double total, struct tch_hot_function *ret,
                             size_t most)
{
    size_t count = 0;

    for (uint32_t i = 0; i < f->keys.count; i++) {
        const struct function *one = f->list + i;
        double self = (double)one->self / total;
        size_t at = count < most ? count : most - 1;

        if (one->self == 0 || (count == most && self <= ret[most - 1].self))
            continue;
        count += count < most;
        for (; at > 0 && ret[at - 1].self < self; at--)
            ret[at] = ret[at - 1];
        ret[at] = (struct tch_hot_function){
            .name = one->name, .self = self, .total = (double)one->total / total};
    }
    return count;
}

int64_t tch_stacks_hottest(const struct tch_stacks *stacks, struct tch_hot_function *ret,
                           size_t most, bool waits, tacho_error *err)
{
    uint64_t total = tch_stacks_total(stacks);
    struct functions f = {
        .of_name = calloc((size_t)stacks->names.count + 1, sizeof *f.of_name),
        .list = calloc((size_t)stacks->names.count + 1, sizeof *f.list),
    };
    int64_t status = f.of_name && f.list ? 0 : tch_fail_memory(err);

    if (status == 0)
        status = number_functions(&f, &stacks->names, err);
    if (status == 0) {
        count_functions(&f, stacks, waits);
        status = (int64_t)choose_hottest(&f, (double)total, ret, most);
    }
    tch_intern_release(&f.keys);
    free(f.of_name);
    free(f.list);
    return status;
}
