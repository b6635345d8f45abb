/* Counts the samples of each function. */
#include "stack_functions.h"

#include <stdlib.h>

#include "base/fail.h"
#include "frame_kind.h"

static int number_functions(struct tch_functions *f, const struct tch_intern *names,
                            tacho_error *err)
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
static size_t length_in_user(const struct tch_stacks *stacks, const uint32_t *frames, size_t count)
{
    size_t len = 0;

    for (size_t k = 0; k < count; k++)
        if (tch_frame_mark(tch_span_interned(&stacks->names, frames[k])) != 'k')
            len = k + 1;
    return len > 1 ? len : count; /* the first frame is the process */
}

/* Adds a stack to its functions. frames are root first; the sample ends in that before ends_at. The
   first frame is the process and not a function, unless it is the only frame. */
static void count_stack(struct tch_functions *f, const uint32_t *frames, size_t len, size_t ends_at,
                        uint32_t id, uint64_t count, double before)
{
    for (size_t k = 0; k < len; k++) {
        struct tch_function *one = f->list + f->of_name[frames[k]];

        if (k + 1 == ends_at) {
            one->self += count;
            one->self_before += before;
        }
        if (one->seen == id + 1 || (k == 0 && len > 1))
            continue;
        one->seen = id + 1;
        one->total += count;
        one->total_before += before;
    }
}

size_t tch_functions_path(const struct tch_stacks *stacks, uint32_t id, bool waits, uint32_t *ret)
{
    size_t len = tch_stacks_frames(stacks, id, ret);

    if (stacks->leaf_first)
        tch_frames_reverse(ret, len);
    return waits ? length_in_user(stacks, ret, len) : len;
}

static void count_functions(struct tch_functions *f, const struct tch_stacks *stacks, bool waits,
                            uint32_t *frames)
{
    for (uint32_t i = 0; i < stacks->count; i++) {
        size_t ends_at = tch_functions_path(stacks, i, waits, frames);

        count_stack(f, frames, stacks->list[i].len, ends_at, i, stacks->list[i].count,
                    stacks->before ? stacks->before[i] : 0);
    }
    f->count = f->keys.count;
}

int tch_functions_count(struct tch_functions *f, const struct tch_stacks *stacks, bool waits,
                        tacho_error *err)
{
    uint32_t *frames = malloc(TCH_STACK_DEEPEST * sizeof *frames);
    int status;

    *f = (struct tch_functions){
        .of_name = calloc((size_t)stacks->names.count + 1, sizeof *f->of_name),
        .list = calloc((size_t)stacks->names.count + 1, sizeof *f->list),
    };
    status = frames && f->of_name && f->list ? number_functions(f, &stacks->names, err)
                                             : tch_fail_memory(err);
    if (status == 0)
        count_functions(f, stacks, waits, frames);
    free(frames);
    return status;
}

void tch_functions_release(struct tch_functions *f)
{
    tch_intern_release(&f->keys);
    free(f->of_name);
    free(f->list);
    *f = (struct tch_functions){0};
}
