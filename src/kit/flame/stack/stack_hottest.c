/* Finds the functions in which most samples end. */
#include "stack_functions.h"

/* Keeps ret sorted, the hottest first. Of equal functions the one that was named first comes
   first. */
static size_t choose_hottest(const struct tch_functions *f, double total,
                             struct tch_hot_function *ret, size_t most)
{
    size_t count = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct tch_function *one = f->list + i;
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
    struct tch_functions f;
    int64_t status = tch_functions_count(&f, stacks, waits, err);

    if (status == 0)
        status = (int64_t)choose_hottest(&f, (double)tch_stacks_total(stacks), ret, most);
    tch_functions_release(&f);
    return status;
}
