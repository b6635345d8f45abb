/* The kernel: two blocked matrix products with a softmax of the rows between them. */
#include "attention.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A tile of ROWS x LANES sums fits the 16 vector registers of plain x86-64 and of Arm, and has
   enough independent sums to hide the latency of an addition. */
enum { ROWS = 4, LANES = 8 };

/* In vector registers whatever the optimiser thinks of loops: gcc and clang both have this. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static size_t padded(size_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

int attention_init(struct attention *a, size_t max_len, size_t dim)
{
    a->dim = dim;
    a->keys = calloc(padded(max_len) * dim, sizeof(float));
    a->values = calloc(max_len * padded(dim), sizeof(float));
    a->weights = calloc(ROWS * max_len, sizeof(float));
    if (a->keys && a->values && a->weights)
        return 0;
    attention_release(a);
    return -1;
}

void attention_release(struct attention *a)
{
    free(a->keys);
    free(a->values);
    free(a->weights);
    *a = (struct attention){0};
}

/* Lays a depth x width matrix out in panels of LANES columns, each depth x LANES without gaps, the
   last one filled up with zeros. Element (t, c) of the matrix is at from[t * down + c * right]. */
static void pack(float *to, const float *from, size_t depth, size_t width, size_t down,
                 size_t right)
{
    for (size_t first = 0; first < width; first += LANES)
        for (size_t t = 0; t < depth; t++)
            for (size_t c = first; c < first + LANES; c++)
                *to++ = c < width ? from[t * down + c * right] : 0;
}

/* sums[r][c] = sum over t of rows[r][t] * panel[t][c]. The lanes are independent, so the machine
   adds as many at once as it can and each sum still runs in index order. */
static void tile(const float *const rows[ROWS], const float *panel, size_t depth,
                 float sums[ROWS][LANES])
{
    lanes sum[ROWS] = {{0}};

    for (size_t t = 0; t < depth; t++, panel += LANES) {
        lanes column;

        memcpy(&column, panel, sizeof column);
        for (size_t r = 0; r < ROWS; r++)
            sum[r] += rows[r][t] * column;
    }
    memcpy(sums, sum, sizeof sum);
}

/* out (count x width) = in (count x depth) times a packed matrix; 1 <= count <= ROWS. */
static void multiply(const float *in, size_t count, const float *panels, size_t depth, size_t width,
                     float *out)
{
    const float *rows[ROWS];
    float sums[ROWS][LANES];

    /* A row that is missing at the end is the last one once more, and is not stored. */
    for (size_t r = 0; r < ROWS; r++)
        rows[r] = in + (r < count ? r : count - 1) * depth;
    for (size_t first = 0; first < width; first += LANES) {
        size_t n = width - first < LANES ? width - first : LANES;

        tile(rows, panels + first * depth, depth, sums);
        for (size_t r = 0; r < count; r++)
            memcpy(out + r * width + first, sums[r], n * sizeof(float));
    }
}

/* e^x for x <= 0, within 2 units in the last place; 0 where that is below the normal floats.
   Not expf(): that differs between C libraries, and a call would stop the vectoriser. */
static inline float exp_not_positive(float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number ... */
    float power = x * 1.44269504f + shift;
    float n = power - shift;
    float r = x - n * 0.693359375f + n * 2.12194440e-4f; /* x = n ln 2 + r */
    float p = 1.9875691500e-4f;
    uint32_t bits;
    float scale;

    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    memcpy(&bits, &power, sizeof bits);
    bits = (bits + 127) << 23; /* ... and leaves n in the low bits: here 2^n as a float */
    memcpy(&scale, &bits, sizeof scale);
    return x < -87.0f ? 0.0f : p * scale;
}

static float maximum(const float *row, size_t len)
{
    float most[LANES];
    size_t j = 0;

    for (size_t c = 0; c < LANES; c++)
        most[c] = row[0];
    for (; j + LANES <= len; j += LANES)
        for (size_t c = 0; c < LANES; c++)
            most[c] = row[j + c] > most[c] ? row[j + c] : most[c];
    for (; j < len; j++)
        most[0] = row[j] > most[0] ? row[j] : most[0];
    for (size_t c = 1; c < LANES; c++)
        most[0] = most[c] > most[0] ? most[c] : most[0];
    return most[0];
}

/* All ROWS of them at once, for each addition waits for the one before it in its row. Rows that
   are missing at the end are summed too: the memory is there, and nobody asks. */
static void add_up(const float *rows, size_t len, float sums[ROWS])
{
    float sum[ROWS] = {0};

    for (size_t j = 0; j < len; j++)
        for (size_t r = 0; r < ROWS; r++)
            sum[r] += rows[r * len + j];
    memcpy(sums, sum, sizeof sum);
}

static void divide(float *values, size_t count, float by)
{
    for (size_t j = 0; j < count; j++)
        values[j] /= by;
}

/* Each of `count` rows by itself. A row of minus infinities, of which nothing is left, is zeros. */
static void softmax(float *rows, size_t count, size_t len)
{
    float sums[ROWS];

    for (size_t r = 0; r < count; r++) {
        float *row = rows + r * len;
        float top = maximum(row, len);

        if (top == -INFINITY)
            memset(row, 0, len * sizeof *row);
        for (size_t j = 0; j < len && top > -INFINITY; j++)
            row[j] = exp_not_positive(row[j] - top);
    }
    add_up(rows, len, sums);
    for (size_t r = 0; r < count; r++)
        if (sums[r] > 0)
            divide(rows + r * len, len, sums[r]);
}

void attention_softmax(struct attention *a, const float *q, const float *k, const float *v,
                       size_t len, float *out)
{
    size_t dim = a->dim;
    float root = sqrtf((float)dim);

    pack(a->keys, k, dim, len, 1, dim); /* k transposed: a logit is a row of q times it */
    pack(a->values, v, len, dim, dim, 1);
    for (size_t i = 0; i < len; i += ROWS) {
        size_t count = len - i < ROWS ? len - i : ROWS;

        multiply(q + i * dim, count, a->keys, dim, len, a->weights);
        divide(a->weights, count * len, root);
        softmax(a->weights, count, len);
        multiply(a->weights, count, a->values, len, dim, out + i * dim);
    }
}

void attention_logits(struct attention *a, const float *q, const float *k, size_t len,
                      float *logits)
{
    size_t dim = a->dim;
    float root = sqrtf((float)dim);

    pack(a->keys, k, dim, len, 1, dim);
    for (size_t i = 0; i < len; i += ROWS) {
        size_t count = len - i < ROWS ? len - i : ROWS;

        multiply(q + i * dim, count, a->keys, dim, len, logits + i * len);
        divide(logits + i * len, count * len, root);
    }
}

void attention_gated(struct attention *a, const float *logits, const uint8_t *keep, const float *v,
                     size_t len, float *out)
{
    size_t dim = a->dim;

    pack(a->values, v, len, dim, dim, 1);
    for (size_t i = 0; i < len; i += ROWS) {
        size_t count = len - i < ROWS ? len - i : ROWS;

        for (size_t j = 0; j < count * len; j++)
            a->weights[j] = keep[i * len + j] ? logits[i * len + j] : -INFINITY;
        softmax(a->weights, count, len);
        multiply(a->weights, count, a->values, len, dim, out + i * dim);
    }
}

size_t attention_bytes(size_t len, size_t dim)
{
    return (padded(len) * dim + len * padded(dim) + ROWS * len) * sizeof(float);
}
