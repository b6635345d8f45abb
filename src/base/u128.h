/*
 * Unsigned integers of 128 bits, for products and sums that 64 bits cannot hold. C has no such
 * type: compilers offer `__int128` on 64-bit machines only.
 */
#ifndef TCH_U128_H
#define TCH_U128_H

#include <stdint.h>

typedef struct tch_u128 {
    uint64_t high;
    uint64_t low;
} tch_u128;

/** The product and the quotient without `__int128`, for machines that lack it, and for tests.
 */
tch_u128 tch_u128_mul_parts(uint64_t left, uint64_t right);
uint64_t tch_u128_div_parts(tch_u128 left, uint64_t right);

/** Returns left x right. */
static inline tch_u128 tch_u128_mul(uint64_t left, uint64_t right)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)left * right;

    return (tch_u128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    return tch_u128_mul_parts(left, right);
#endif
}

/** Returns left + right, without the carry past 128 bits. */
static inline tch_u128 tch_u128_add(tch_u128 left, uint64_t right)
{
    left.low += right;
    left.high += left.low < right;
    return left;
}

/** Returns the low 64 bits of left / right, rounded down; right is not 0. */
static inline uint64_t tch_u128_div(tch_u128 left, uint64_t right)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)(((wide)left.high << 64 | left.low) / right);
#else
    return tch_u128_div_parts(left, right);
#endif
}

/** Returns the nearest double; of two, the even one. */
double tch_u128_f64(tch_u128 value);

#endif
