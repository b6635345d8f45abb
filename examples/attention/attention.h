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
    float *keys; /* k and v in the order in which the kernel reads them */
    float *values;
    float *weights; /* a few rows of the len x len matrix: all of it is never held */
};

/** 0, or -1 when there is no memory. */
int attention_init(struct attention *a, size_t max_len, size_t dim);

/** Accepts one that attention_init() failed on. */
void attention_release(struct attention *a);

/**
 * out[i] = sum over j of softmax(q[i] . k[j] / sqrt(dim))[j] * v[j]
 *
 * q, k, v and out are row-major, len x dim; 1 <= len <= max_len. Values must be finite.
 */
void attention_softmax(struct attention *a, const float *q, const float *k, const float *v,
                       size_t len, float *out);

/** The same in two halves, with something between them. logits[i][j] = q[i] . k[j] / sqrt(dim), all
    len x len of them. */
void attention_logits(struct attention *a, const float *q, const float *k, size_t len,
                      float *logits);

/** The rest, of the entries that are kept (1, not 0); a row of which none is kept gives zeros. */
void attention_gated(struct attention *a, const float *logits, const uint8_t *keep, const float *v,
                     size_t len, float *out);

/** Bytes of working memory that a sequence of this length uses. */
size_t attention_bytes(size_t len, size_t dim);

#endif
