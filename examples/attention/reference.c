/* Computes attention in the simplest way: one row at a time, double sums, exp() of the C library,
   no blocking. */
#include "reference.h"

#include <math.h>

void reference_row(const float *q, const float *k, const float *v, const uint8_t *keep, size_t len,
                   size_t dim, size_t i, double *weights, double *out)
{
    double top = -INFINITY;
    double sum = 0;

    for (size_t j = 0; j < len; j++) {
        double dot = 0;

        for (size_t h = 0; h < dim; h++)
            dot += (double)q[i * dim + h] * (double)k[j * dim + h];
        weights[j] = keep && !keep[i * len + j] ? -INFINITY : dot / sqrt((double)dim);
        top = fmax(top, weights[j]);
    }
    for (size_t j = 0; j < len; j++) {
        weights[j] = top > -INFINITY ? exp(weights[j] - top) : 0;
        sum += weights[j];
    }
    for (size_t h = 0; h < dim; h++) {
        out[h] = 0;
        for (size_t j = 0; j < len; j++)
            out[h] += sum > 0 ? weights[j] / sum * (double)v[j * dim + h] : 0;
    }
}
