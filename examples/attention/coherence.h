/*
 * Measures how far a gated output is from that of softmax, and a mask from another. Sums are
 * float64, in index order.
 */
#ifndef EXAMPLE_COHERENCE_H
#define EXAMPLE_COHERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The smallest cosine with which a gated output counts as equivalent. */
#define COHERENCE_THRESHOLD 0.99

struct coherence {
    double cosine;             /* 0 where the product of the norms is almost 0 */
    double delta;              /* cosine - 1: at most 0 */
    size_t flips;              /* entries whose sign bit differs */
    double path_length_change; /* |b| / |a| - 1; 0 where |a| is almost 0 */
    double distance;           /* euclidean */
    bool passes;               /* cosine >= threshold */
};

/** Compares the baseline a with the gated output b. */
struct coherence coherence_of(const float *a, const float *b, size_t count, double threshold);

struct mask_difference {
    double jaccard; /* 1 for two empty ones */
    size_t flips;
    size_t baseline_edges;
    size_t gated_edges;
    double sparsity_ratio; /* gated / baseline; the sparsity of gated where that of the baseline is
                              0 */
};

/** Compares two masks. The shorter one counts as 0 after its end. */
struct mask_difference mask_difference_of(const uint8_t *a, size_t a_count, const uint8_t *b,
                                          size_t b_count);

/** Statistics over the samples of a setting. Steps of one sequence are not independent, so that the
    interval is that of the means of n sequences. */
struct coherence_batch {
    size_t count;
    double mean;      /* mean of the deltas */
    double deviation; /* standard deviation of the means, divided by n - 1; 0 for one sequence */
    double low, high; /* mean -+ 1.96 deviation / sqrt(n) */
    double passing;   /* share of samples that pass */
};

struct coherence_batch coherence_batch_of(const struct coherence *samples, size_t count,
                                          size_t steps);

#endif
