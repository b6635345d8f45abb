/*
 * The place of each frame: stacks in order, equal neighbours merged, level by level.
 */
#ifndef TCH_FLAME_LAYOUT_H
#define TCH_FLAME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/flame/stacks.h"

/** The name of the frame at level 0, which contains all others. */
#define TCH_FRAME_ALL UINT32_MAX

struct tch_frame {
    uint64_t x; /**< in samples */
    uint64_t w;
    double before; /**< of a differential: samples in the other profile */
    uint64_t self; /**< samples that ended here */
    double self_before;
    uint32_t name;
    uint32_t level;
};

/** Frames in the order of their end: a frame follows those that it called. All zero is empty. */
struct tch_layout {
    struct tch_frame *list;
    size_t count;
    size_t cap;
    uint64_t total;
    double total_before;
    uint32_t levels; /**< of the frames kept, "all" included */

    uint64_t least;          /**< samples of the narrowest frame kept */
    uint64_t pruned;         /**< frames that were not */
    uint64_t pruned_samples; /**< in these, each counted once */
};

/**
 * Lays out the frames that are at least `least` samples wide, in either profile of a differential.
 *
 * @param ret  all zero; tch_layout_release() in any case
 */
int tch_layout_make(const struct tch_stacks *stacks, uint64_t least, struct tch_layout *ret,
                    tacho_error *err);
void tch_layout_release(struct tch_layout *layout);

/** Keeps the `most` widest frames, and those exactly as wide as the last of them only if all of
    these fit. */
int tch_layout_limit(struct tch_layout *layout, size_t most, tacho_error *err);

#endif
