/* The kernel: two blocked matrix products with a softmax of the rows between them. */
#include "attention.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Matrices are read in panels of LANES columns, ROWS rows at a time. */
enum { ROWS = 8, LANES = 32 };

/* Explicit vectors, so that the optimiser need not recognise the loops. gcc and clang both have
   them. */
typedef float lanes4 __attribute__((vector_size(4 * sizeof(float))));
typedef float lanes8 __attribute__((vector_size(8 * sizeof(float))));
typedef float lanes16 __attribute__((vector_size(16 * sizeof(float))));

/* Inlined into one function per instruction set, so that the same code is compiled for each. */
#define INLINE static inline __attribute__((always_inline))

enum isa { PLAIN, AVX2, AVX512 };

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

/* Copies a depth x width matrix into panels of LANES columns, each depth x LANES without gaps. The
   last panel is padded with zeros. Element (t, c) of the matrix is at from[t * down + c *
   right]. */
INLINE void pack(float *to, const float *from, size_t depth, size_t width, size_t down,
                 size_t right)
{
    for (size_t first = 0; first < width; first += LANES)
        for (size_t t = 0; t < depth; t++)
            for (size_t c = first; c < first + LANES; c++)
                *to++ = c < width ? from[t * down + c * right] : 0;
}

/*
 * sums[r][c] = sum over t of rows[r][t] * panel[t][c], a part of the LANES at a time: as many sums
 * as fit the vector registers, and enough independent ones to hide the latency of an addition.
 * Each sum runs in index order whatever the width, so the bits are the same.
 */
#define TILE(name, lanes, vectors)                                                    \
    INLINE void name(const float *const rows[ROWS], const float *panel, size_t depth, \
                     float sums[ROWS][LANES])                                         \
    {                                                                                 \
        enum { WIDTH = sizeof(lanes) / sizeof(float) };                               \
                                                                                      \
        for (size_t first = 0; first < LANES; first += WIDTH * (vectors)) {           \
            const float *at = panel + first;                                          \
            lanes sum[ROWS][vectors] = {0};                                           \
                                                                                      \
            for (size_t t = 0; t < depth; t++, at += LANES) {                         \
                lanes column[vectors];                                                \
                                                                                      \
                memcpy(column, at, sizeof column);                                    \
                for (size_t r = 0; r < ROWS; r++)                                     \
                    for (size_t i = 0; i < (vectors); i++)                            \
                        sum[r][i] += rows[r][t] * column[i];                          \
            }                                                                         \
            for (size_t r = 0; r < ROWS; r++)                                         \
                memcpy(sums[r] + first, sum[r], sizeof sum[r]);                       \
        }                                                                             \
    }

TILE(tile_plain, lanes4, 1)   /* 8 of 16 registers of 4 floats */
TILE(tile_avx2, lanes8, 1)    /* 8 of 16 registers of 8 floats */
TILE(tile_avx512, lanes16, 2) /* 16 of 32 registers of 16 floats */

/* out (count x width) = in (count x depth) times a packed matrix; 1 <= count <= ROWS. */
INLINE void multiply(enum isa isa, const float *in, size_t count, const float *panels, size_t depth,
                     size_t width, float *out)
{
    const float *rows[ROWS];
    float sums[ROWS][LANES];

    /* Missing rows at the end are computed as copies of the last row, and not stored. */
    for (size_t r = 0; r < ROWS; r++)
        rows[r] = in + (r < count ? r : count - 1) * depth;
    for (size_t first = 0; first < width; first += LANES) {
        size_t n = width - first < LANES ? width - first : LANES;

        if (isa == AVX512)
            tile_avx512(rows, panels + first * depth, depth, sums);
        else if (isa == AVX2)
            tile_avx2(rows, panels + first * depth, depth, sums);
        else
            tile_plain(rows, panels + first * depth, depth, sums);
        for (size_t r = 0; r < count; r++)
            memcpy(out + r * width + first, sums[r], n * sizeof(float));
    }
}

/* Returns e^x for x <= 0, within 2 units in the last place; 0 where that is below the normal
   floats. expf() would differ between C libraries, and calling it would prevent vectorisation. */
INLINE float exp_not_positive(float x)
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

INLINE float maximum(const float *row, size_t len)
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

/* Sums all ROWS rows at once, because each addition in a row waits for the one before. Missing rows
   at the end are summed, too: their memory exists, and the sums are not used. */
INLINE void add_up(const float *rows, size_t len, float sums[ROWS])
{
    float sum[ROWS] = {0};

    for (size_t j = 0; j < len; j++)
        for (size_t r = 0; r < ROWS; r++)
            sum[r] += rows[r * len + j];
    memcpy(sums, sum, sizeof sum);
}

INLINE void divide(float *values, size_t count, float by)
{
    for (size_t j = 0; j < count; j++)
        values[j] /= by;
}

/* Computes the softmax of each of `count` rows. A row of minus infinities, which keeps no entry,
   becomes zeros. */
INLINE void softmax(float *rows, size_t count, size_t len)
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

/* The arguments of one of the three public functions, which work on ROWS rows at a time. */
struct work {
    struct attention *a;
    const float *q; /* NULL: the logits are given */
    const float *k;
    const float *given;
    const uint8_t *keep; /* mask of the logits; NULL: all are kept */
    const float *v;      /* NULL: compute the logits only */
    float *logits;
    size_t len;
    float *out;
};

INLINE void do_rows(enum isa isa, const struct work *w, size_t i, size_t count)
{
    size_t dim = w->a->dim;
    size_t len = w->len;
    float *weights = w->logits ? w->logits + i * len : w->a->weights;

    if (w->q) {
        multiply(isa, w->q + i * dim, count, w->a->keys, dim, len, weights);
        divide(weights, count * len, sqrtf((float)dim));
    }
    for (size_t j = 0; j < count * len && w->keep; j++)
        weights[j] = w->keep[i * len + j] ? w->given[i * len + j] : -INFINITY;
    if (w->v) {
        softmax(weights, count, len);
        multiply(isa, weights, count, w->a->values, len, dim, w->out + i * dim);
    }
}

INLINE void do_work(enum isa isa, const struct work *w)
{
    for (size_t i = 0; i < w->len; i += ROWS)
        do_rows(isa, w, i, w->len - i < ROWS ? w->len - i : ROWS);
}

static void work_plain(const struct work *w)
{
    do_work(PLAIN, w);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void work_avx2(const struct work *w)
{
    do_work(AVX2, w);
}

__attribute__((target("avx512f"))) static void work_avx512(const struct work *w)
{
    do_work(AVX512, w);
}
#endif

static void work_on(const struct work *w)
{
    size_t dim = w->a->dim;

    if (w->q) /* k transposed: a logit is a row of q times it */
        pack(w->a->keys, w->k, dim, w->len, 1, dim);
    if (w->v)
        pack(w->a->values, w->v, w->len, dim, dim, 1);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        work_avx512(w);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        work_avx2(w);
        return;
    }
#endif
    work_plain(w);
}

void attention_softmax(struct attention *a, const float *q, const float *k, const float *v,
                       size_t len, float *out)
{
    work_on(&(struct work){.a = a, .q = q, .k = k, .v = v, .len = len, .out = out});
}

void attention_logits(struct attention *a, const float *q, const float *k, size_t len,
                      float *logits)
{
    work_on(&(struct work){.a = a, .q = q, .k = k, .logits = logits, .len = len});
}

void attention_gated(struct attention *a, const float *logits, const uint8_t *keep, const float *v,
                     size_t len, float *out)
{
    work_on(&(struct work){.a = a, .keep = keep, .v = v, .given = logits, .len = len, .out = out});
}

size_t attention_bytes(size_t len, size_t dim)
{
    return (padded(len) * dim + len * padded(dim) + ROWS * len) * sizeof(float);
}
