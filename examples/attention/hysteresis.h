/*
 * Hysteresis of masks over steps: an entry flips only when it was asked to tau times in a row.
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
    uint32_t *asked; /* how often in a row, of each entry */
};

void hysteresis_init(struct hysteresis *h, uint64_t tau);
void hysteresis_release(struct hysteresis *h);

/**
 * One step: mask is the raw one, and the stable one afterwards. The first passes as it is; a mask
 * of another length starts over.
 *
 * @return 0, or -1 when there is no memory
 */
int hysteresis_apply(struct hysteresis *h, uint8_t *mask, size_t count);

#endif
