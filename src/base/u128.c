/* Products and quotients of 128 bits by operations on 32 and 64 bits. */
#include "u128.h"

tch_u128 tch_u128_mul_parts(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t middle = a_high * b_low + (low >> 32);     /* below 2^64: (2^32 - 1)^2 + 2^32 - 1 */
    uint64_t other = a_low * b_high + (uint32_t)middle; /* the same */

    return (tch_u128){a_high * b_high + (middle >> 32) + (other >> 32),
                      other << 32 | (uint32_t)low};
}

/* Divides bit by bit, as on paper. `rest` is below b; a bit shifted out of it makes it larger than
 * b. */
uint64_t tch_u128_div_parts(tch_u128 a, uint64_t b)
{
    uint64_t rest = a.high % b;
    uint64_t quotient = 0;

    for (int i = 63; i >= 0; i--) {
        uint64_t carry = rest >> 63;

        rest = rest << 1 | (a.low >> i & 1);
        quotient <<= 1;
        if (carry || rest >= b) {
            rest -= b;
            quotient |= 1;
        }
    }
    return quotient;
}

double tch_u128_f64(tch_u128 a)
{
    const double two64 = 18446744073709551616.0;
    int shift;
    uint64_t top;

    if (a.high == 0)
        return (double)a.low;
    /* The 64 highest bits, the last of which is set if any bit after them is: that rounds once. */
    shift = __builtin_clzll(a.high);
    top = shift > 0 ? a.high << shift | a.low >> (64 - shift) : a.high;
    if (a.low << shift != 0)
        top |= 1;
    return (double)top * (two64 / (double)(UINT64_C(1) << shift));
}
