/* Plain attention: one row at a time, double sums, exp() of the C library, no blocking. */
#include "reference.h"

#include <math.h>

void reference_softmax_row(const float *q, const float *k, const float *v, size_t len, size_t dim,
                           size_t i, double *weights, double *out)
{
    double top = -INFINITY;
    double sum = 0;

    for (size_t j = 0; j < len; j++) {
        double dot = 0;

        for (size_t h = 0; h < dim; h++)
            dot += (double)q[i * dim + h] * (double)k[j * dim + h];
        weights[j] = dot / sqrt((double)dim);
        top = fmax(top, weights[j]);
    }
    for (size_t j = 0; j < len; j++) {
        weights[j] = exp(weights[j] - top);
        sum += weights[j];
    }
    for (size_t h = 0; h < dim; h++) {
        out[h] = 0;
        for (size_t j = 0; j < len; j++)
            out[h] += weights[j] / sum * (double)v[j * dim + h];
    }
}
