/*
 * Softmax attention of one head over one sequence, in float32.
 *
 * Every sum runs in index order and no multiplication is fused with an addition, so the result
 * has the same bits with every compiler, vector width and IEEE machine.
 */
#ifndef EXAMPLE_ATTENTION_H
#define EXAMPLE_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

/** Working memory, made once for the longest sequence and used for every call. */
struct attention {
    size_t dim;
    float *keys; /* k and v, in the order in which the kernel reads them */
    float *values;
    float *weights; /* a few rows of the len x len matrix, which is never in memory as a whole */
};

/** Allocates the memory. Returns 0, or -1 when there is no memory. */
int attention_init(struct attention *a, size_t max_len, size_t dim);

/** Frees the memory. May be called after attention_init() failed. */
void attention_release(struct attention *a);

/** Computes out[i] = sum over j of softmax(q[i] . k[j] / sqrt(dim))[j] * v[j]
 *
 * q, k, v and out are row-major, len x dim; 1 <= len <= max_len. Values must be finite.
 */
void attention_softmax(struct attention *a, const float *q, const float *k, const float *v,
                       size_t len, float *out);

/** The first half of attention_softmax(): computes logits[i][j] = q[i] . k[j] / sqrt(dim), len x
    len values. */
void attention_logits(struct attention *a, const float *q, const float *k, size_t len,
                      float *logits);

/** The second half of attention_softmax(), with only the entries whose keep is 1. A row without
    such an entry gives zeros. */
void attention_gated(struct attention *a, const float *logits, const uint8_t *keep, const float *v,
                     size_t len, float *out);

/** Returns the bytes of working memory that a sequence of this length uses. */
size_t attention_bytes(size_t len, size_t dim);

#endif
