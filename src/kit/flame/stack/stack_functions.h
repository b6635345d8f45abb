/*
 * The samples of each function of a profile, over all its stacks.
 */
#ifndef TCH_STACK_FUNCTIONS_H
#define TCH_STACK_FUNCTIONS_H

#include "stacks.h"

/** The counts of a function. */
struct tch_function {
    uint64_t self;
    uint64_t total; /**< recursion counts once */
    double self_before;
    double total_before;
    uint32_t seen; /* the last stack that it was seen in, plus 1 */
    uint32_t name; /**< one of its names */
};

/** The functions of a profile. A function has one number whatever its marks are, because it may be
    inlined in some places only. Functions of the same name in the kernel and in a program are two
    functions. */
struct tch_functions {
    struct tch_intern keys;
    uint32_t *of_name; /* the function of each name */
    struct tch_function *list;
    uint32_t count;
};

/** Counts the samples of each function. waits: see tch_stacks_hottest(). Call
    tch_functions_release() in any case. @return 0 or TACHO_ENOMEM */
int tch_functions_count(struct tch_functions *f, const struct tch_stacks *stacks, bool waits,
                        tacho_error *err);
void tch_functions_release(struct tch_functions *f);

/** Writes the frames of a stack to ret, root first. ret has room for TCH_STACK_DEEPEST. Returns the
    number of frames up to the function that its samples end in. */
size_t tch_functions_path(const struct tch_stacks *stacks, uint32_t id, bool waits, uint32_t *ret);

#endif
