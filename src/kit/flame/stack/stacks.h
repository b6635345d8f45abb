/*
 * A profile: distinct stacks, each with a count. Readers fill it and writers iterate over it.
 *
 * A stack is a sequence of name numbers, root first, stored in 16-bit units (one for the first
 * 49,152 names, two for others): a million stacks of 25 frames take 50 MB. The text of a stack is
 * never stored, so memory is bounded by the distinct stacks and names.
 *
 * This is the face of src/kit/flame/stack/.
 */
#ifndef TCH_STACKS_H
#define TCH_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/intern.h"
#include "counted.h"

/** The maximum number of frames of a stack. A deeper one loses its leaf end and is counted. */
enum { TCH_STACK_DEEPEST = 8192 };

struct tch_stack {
    uint64_t count;
    uint32_t len; /**< number of frames */
};

/** All zero is empty. Names are added by tch_intern_add(&stacks->names, ...). */
struct tch_stacks {
    struct tch_intern names;
    struct tch_stack *list;
    uint32_t count;
    double *before; /**< counts of the other profile of a differential, or NULL; fractional after
                       normalisation */
    uint64_t cut;   /**< samples whose stacks were deeper than TCH_STACK_DEEPEST */
    struct tch_counted counted;        /**< the meaning of the counts */
    struct tch_counted counted_before; /**< that of `before` */
    bool converted;  /**< both sides were converted to nanoseconds, because their units differed */
    bool normalized; /**< `before` was scaled to the total of the other side */
    bool leaf_first; /**< in a differential: the first frame of a stack is its leaf */
    uint32_t paired; /**< in a differential whose programs have two names: 1 + the number of "old ->
                        new"; else 0 */

    uint64_t sum;   /* sum of all counts; one that needs more than 64 bits is refused */
    double squares; /* sum of the squares of the counts that were added */
    size_t list_cap;
    size_t before_cap;
    struct tch_intern units; /* units of each stack; the index is the number of the stack */
};

void tch_stacks_release(struct tch_stacks *stacks);

/**
 * Adds `count`, which may be 0, to a stack. Adds the stack if it is new.
 *
 * @param frames  name numbers, root first
 * @return the number of the stack, TACHO_ENOMEM, or TACHO_ELIMIT if the sum of all counts
 *         exceeds 64 bits
 */
int64_t tch_stacks_add(struct tch_stacks *stacks, const uint32_t *frames, size_t len,
                       uint64_t count, tacho_error *err);

/** Adds to both sides of a differential. A profile must use either this function or
    tch_stacks_add() for all its stacks. */
int64_t tch_stacks_add_both(struct tch_stacks *stacks, const uint32_t *frames, size_t len,
                            double before, uint64_t count, tacho_error *err);

/** Reverses the frames of one stack. */
static inline void tch_frames_reverse(uint32_t *frames, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t swap = frames[i];

        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = swap;
    }
}

/** Returns a pointer to the first frame of a stack, for tch_stacks_next(). */
static inline const char *tch_stacks_first(const struct tch_stacks *stacks, uint32_t id)
{
    return tch_intern_text(&stacks->units, id);
}

/** Reads the name number at *at and advances *at. */
static inline uint32_t tch_stacks_next(const char **at)
{
    uint16_t unit;
    uint16_t low;

    memcpy(&unit, *at, sizeof unit);
    *at += sizeof unit;
    if (unit < 0xc000)
        return unit;
    memcpy(&low, *at, sizeof low);
    *at += sizeof low;
    return (uint32_t)(unit & 0x3fff) << 16 | low;
}

/** Writes the frames of stack `id` to ret, which has room for TCH_STACK_DEEPEST. Returns how many.
 */
size_t tch_stacks_frames(const struct tch_stacks *stacks, uint32_t id, uint32_t *ret);

/** Return the sum of all counts, and that of the other profile. */
uint64_t tch_stacks_total(const struct tch_stacks *stacks);
double tch_stacks_total_before(const struct tch_stacks *stacks);

/**
 * Sorts the stacks frame by frame by the bytes of the names. A stack comes before deeper ones that
 * start with it. *ret has stacks->count numbers, and the caller frees it.
 */
int tch_stacks_sort(const struct tch_stacks *stacks, uint32_t **ret, tacho_error *err);

/** A function, with its shares of the profile, 0 to 1. */
struct tch_hot_function {
    uint32_t name; /**< its name number, with a mark such as "_[k]" */
    double self;   /**< spent in the function itself */
    double total;  /**< spent in the function and its callees */
};

/** Writes the functions with the largest self share, at most `most`, to ret, the hottest first.
    waits: the counts are waiting times; the kernel's scheduler ends all such stacks, so a wait
    counts for the function outside of the kernel that waits. Returns how many there are, or
    TACHO_ENOMEM. */
int64_t tch_stacks_hottest(const struct tch_stacks *stacks, struct tch_hot_function *ret,
                           size_t most, bool waits, tacho_error *err);

/* A differential: two profiles in one. */

/** A change of a count, with the interval in which sampling noise leaves it. */
struct tch_change {
    double before;
    double now;
    double low; /**< limits of the interval of now - before */
    double high;
    int sign; /**< 1: more, -1: less, 0: the interval contains 0, so it may be noise */
};

/** The confidence of these intervals, in percent, as text. */
#define TCH_CHANGE_LEVEL "99.9 %"

/** Returns the change of the samples of a frame, or of a function. docs/flamegraphs.md explains the
    interval. */
struct tch_change tch_change_of(const struct tch_stacks *stacks, double before, double now);

/** A function, with its changes over all stacks. */
struct tch_function_change {
    uint32_t name;           /**< its name number, with a mark such as "_[k]" */
    uint32_t caller;         /**< name number of the caller under which the largest part of the
                                change of self happened; TCH_INTERN_NONE: it has no caller */
    struct tch_change self;  /**< samples that end in the function */
    struct tch_change total; /**< samples of the function and its callees, recursion counted once */
};

enum { TCH_CHANGES = 10 };

/** The largest changes of a differential. */
struct tch_changes {
    struct tch_function_change list[TCH_CHANGES];
    size_t count;
    double dispersion; /**< how many times as much as sampling alone explains the typical function
                          varies; NAN: too few functions */
};

/** Finds the functions whose self samples changed most: those beyond noise first, then the others,
    each by the size of the change. @return 0 or TACHO_ENOMEM */
int tch_stacks_changes(const struct tch_stacks *stacks, struct tch_changes *ret, tacho_error *err);

/** Turns the profile in stacks into the "before" side, so that another one can be read into stacks.
    Fails with TACHO_EINVAL if it is a differential already. */
int tch_stacks_diff_begin(struct tch_stacks *stacks, tacho_error *err);

/**
 * Completes the differential after the second profile was read. Compares programs of different
 * names as one, see tch_stacks_pair_programs(). Fails with TACHO_EINVAL if the units of the two
 * differ and cannot be converted.
 *
 * @param normalize   scale the counts before to the same total, in thousandths of a sample
 * @param leaf_first  the stacks were read leaf first, so the process is the last frame
 */
int tch_stacks_diff_end(struct tch_stacks *stacks, bool normalize, bool leaf_first,
                        tacho_error *err);

/** Renames the process of both sides to "old -> new" if more than half of the samples of each side
    belong to processes that the other side lacks. Pairs their threads, such as "old-io" and
    "new-io", too. */
int tch_stacks_pair_programs(struct tch_stacks *stacks, bool leaf_first, tacho_error *err);

#endif
