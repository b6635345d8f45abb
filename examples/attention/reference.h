/*
 * The same attention written for the reader: what the kernel is checked against.
 */
#ifndef EXAMPLE_REFERENCE_H
#define EXAMPLE_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/** Row i of attention_softmax(), or, with a mask, of attention_gated(), in double throughout.
    weights has room for len doubles. */
void reference_row(const float *q, const float *k, const float *v, const uint8_t *keep, size_t len,
                   size_t dim, size_t i, double *weights, double *out);

#endif
