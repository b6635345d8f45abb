/* Measures of a gated output and its mask against the baseline. */
#include "coherence.h"

#include <float.h>
#include <math.h>

struct coherence coherence_of(const float *a, const float *b, size_t count, double threshold)
{
    struct coherence c = {0};
    double dot = 0;
    double aa = 0;
    double bb = 0;
    double apart = 0;
    double norms;

    for (size_t i = 0; i < count; i++) {
        double x = (double)a[i];
        double y = (double)b[i];

        dot += x * y;
        aa += x * x;
        bb += y * y;
        apart += (x - y) * (x - y);
        c.flips += !signbit(a[i]) != !signbit(b[i]);
    }
    norms = sqrt(aa) * sqrt(bb);
    c.cosine = norms < DBL_EPSILON ? 0 : dot / norms;
    c.delta = c.cosine - 1;
    c.path_length_change = sqrt(aa) > DBL_EPSILON ? sqrt(bb) / sqrt(aa) - 1 : 0;
    c.distance = sqrt(apart);
    c.passes = c.cosine >= threshold;
    return c;
}

struct mask_difference mask_difference_of(const uint8_t *a, size_t a_count, const uint8_t *b,
                                          size_t b_count)
{
    size_t count = a_count > b_count ? a_count : b_count;
    struct mask_difference d = {.jaccard = 1};
    size_t both = 0;
    size_t any = 0;
    double baseline;
    double gated;

    for (size_t i = 0; i < count; i++) {
        bool x = i < a_count && a[i];
        bool y = i < b_count && b[i];

        d.baseline_edges += x;
        d.gated_edges += y;
        d.flips += x != y;
        both += x && y;
        any += x || y;
    }
    if (any > 0)
        d.jaccard = (double)both / (double)any;
    baseline = count > 0 ? 1 - (double)d.baseline_edges / (double)count : 1;
    gated = count > 0 ? 1 - (double)d.gated_edges / (double)count : 1;
    d.sparsity_ratio = baseline > 0 ? gated / baseline : gated;
    return d;
}

/* Returns the mean delta of a sequence that starts at this sample. */
static double mean_of(const struct coherence *samples, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += samples[i].delta;
    return sum / (double)count;
}

struct coherence_batch coherence_batch_of(const struct coherence *samples, size_t count,
                                          size_t steps)
{
    size_t sequences = (count + steps - 1) / steps;
    struct coherence_batch b = {.count = count};
    double squares = 0;
    double half;

    for (size_t i = 0; i < count; i++) {
        b.mean += samples[i].delta;
        b.passing += samples[i].passes;
    }
    if (count == 0)
        return b;
    b.mean /= (double)count;
    b.passing /= (double)count;
    for (size_t i = 0; i < count; i += steps) {
        size_t left = count - i < steps ? count - i : steps;
        double apart = mean_of(samples + i, left) - b.mean;

        squares += apart * apart;
    }
    b.deviation = sequences > 1 ? sqrt(squares / (double)(sequences - 1)) : 0;
    half = 1.96 * b.deviation / sqrt((double)sequences);
    b.low = b.mean - half;
    b.high = b.mean + half;
    return b;
}
