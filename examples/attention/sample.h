/*
 * A made-up sequence, which depends only on a seed and its number.
 */
#ifndef EXAMPLE_SAMPLE_H
#define EXAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/** A sample. Each tensor is heads x len x dim; the memory is enough for the longest one. */
struct sample {
    size_t heads, len, dim;
    float *q, *k, *v, *out;
    float *values; /* of each cluster: the mean of v of its tokens */
    bool first;    /* it is the first step of a sequence */
};

/** Allocates the memory. Returns 0, or -1 when there is no memory. */
int sample_init(struct sample *s, const struct options *o);
void sample_release(struct sample *s);

/** Makes sample `number`: its length, q, k and v. */
void sample_make(struct sample *s, const struct options *o, size_t number);

/** Returns the number of floats in one of its tensors. */
size_t sample_floats(const struct sample *s);

#endif
