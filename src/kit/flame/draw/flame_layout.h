/*
 * Computes the position of each frame: the stacks are sorted, and equal neighbours are merged level
 * by level.
 */
#ifndef TCH_FLAME_LAYOUT_H
#define TCH_FLAME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/flame/stack/stacks.h"

/** The name of the frame at level 0, which contains all others. */
#define TCH_FRAME_ALL UINT32_MAX

struct tch_frame {
    uint64_t x; /**< in samples */
    uint64_t w;
    double before; /**< in a differential: samples in the other profile */
    uint64_t self; /**< samples that end in this frame */
    double self_before;
    uint32_t name;
    uint32_t level;
};

/** A layout. A frame follows all frames that it called. All zero is empty. */
struct tch_layout {
    struct tch_frame *list;
    size_t count;
    size_t cap;
    uint64_t total;
    double total_before;
    uint32_t levels; /**< number of levels of the kept frames, including "all" */

    uint64_t least;          /**< minimum samples of a kept frame */
    uint64_t pruned;         /**< number of frames left out */
    uint64_t pruned_samples; /**< samples in frames left out, each counted once */
};

/**
 * Lays out the frames that have at least `least` samples, in either profile of a differential.
 *
 * @param ret  all zero; call tch_layout_release() in any case
 */
int tch_layout_make(const struct tch_stacks *stacks, uint64_t least, struct tch_layout *ret,
                    tacho_error *err);
void tch_layout_release(struct tch_layout *layout);

/** Copies the frames that have at least `least` samples, and of these at most the `most` widest.
   ret is all zero; call tch_layout_release() in any case. Returns 0 or TACHO_ENOMEM. */
int tch_layout_wider(const struct tch_layout *all, uint64_t least, size_t most,
                     struct tch_layout *ret, tacho_error *err);

/** Keeps at most the `most` widest frames. Frames of equal width are kept or dropped together. */
int tch_layout_limit(struct tch_layout *layout, size_t most, tacho_error *err);

#endif
