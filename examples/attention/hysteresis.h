/*
 * Hysteresis of masks over steps: an entry flips only after the raw mask differed from it tau times
 * in a row.
 */
#ifndef EXAMPLE_HYSTERESIS_H
#define EXAMPLE_HYSTERESIS_H

#include <stddef.h>
#include <stdint.h>

struct hysteresis {
    uint64_t tau; /* 0 and 1: flip at once */
    uint64_t step;
    size_t count; /* entries of the mask */
    uint8_t *stable;
    uint32_t *asked; /* of each entry: how many times in a row the raw mask differed */
};

void hysteresis_init(struct hysteresis *h, uint64_t tau);
void hysteresis_release(struct hysteresis *h);

/** Replaces the raw mask of one step by the stable one. The first mask stays unchanged; a mask of
    another length starts over.
 *
 * @return 0, or -1 when there is no memory
 */
int hysteresis_apply(struct hysteresis *h, uint8_t *mask, size_t count);

#endif
