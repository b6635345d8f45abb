/*
 * The same attention in simple code, to check the kernel.
 */
#ifndef EXAMPLE_REFERENCE_H
#define EXAMPLE_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/** Computes row i of attention_softmax() or, with a mask, of attention_gated(), all in double.
    weights has room for len doubles. */
void reference_row(const float *q, const float *k, const float *v, const uint8_t *keep, size_t len,
                   size_t dim, size_t i, double *weights, double *out);

#endif
