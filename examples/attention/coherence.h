/*
 * How far a gated output is from the one it stands for, and a mask from another. Sums are float64,
 * in index order.
 */
#ifndef EXAMPLE_COHERENCE_H
#define EXAMPLE_COHERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The cosine from which on a gated output passes for the other. */
#define COHERENCE_THRESHOLD 0.99

struct coherence {
    double cosine;             /* 0 where a product of norms is next to nothing */
    double delta;              /* cosine - 1: at most 0 */
    size_t flips;              /* entries whose sign bit differs */
    double path_length_change; /* |b| / |a| - 1; 0 where |a| is next to nothing */
    double distance;           /* euclidean */
    bool passes;               /* cosine >= threshold */
};

/** a: the baseline, b: the gated one. */
struct coherence coherence_of(const float *a, const float *b, size_t count, double threshold);

struct mask_difference {
    double jaccard; /* 1 for two empty ones */
    size_t flips;
    size_t baseline_edges;
    size_t gated_edges;
    double sparsity_ratio; /* gated / baseline; the gated one's alone where the other's is 0 */
};

/** What a longer mask has more counts: the shorter one has none there. */
struct mask_difference mask_difference_of(const uint8_t *a, size_t a_count, const uint8_t *b,
                                          size_t b_count);

/** Over the samples of a setting. */
struct coherence_batch {
    size_t count;
    double mean;      /* of the deltas */
    double deviation; /* of a sample: divided by n - 1; 0 for one */
    double low, high; /* mean -+ 1.96 deviation / sqrt(n) */
    double passing;   /* share of samples that pass */
};

struct coherence_batch coherence_batch_of(const struct coherence *samples, size_t count);

#endif
