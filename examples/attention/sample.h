/*
 * One sequence of numbers to attend to, made up from a seed and its number alone.
 */
#ifndef EXAMPLE_SAMPLE_H
#define EXAMPLE_SAMPLE_H

#include <stddef.h>

#include "options.h"

/** Each tensor is heads x len x dim, in memory made for the longest. */
struct sample {
    size_t heads, len, dim;
    float *q, *k, *v, *out;
    float *values; /* of each cluster: the mean of v of its tokens */
};

/** 0, or -1 when there is no memory. */
int sample_init(struct sample *s, const struct options *o);
void sample_release(struct sample *s);

/** The length of a sample; then its q, k and v. */
void sample_make(struct sample *s, const struct options *o, size_t number);

/** Floats of one of its tensors. */
size_t sample_floats(const struct sample *s);

#endif
