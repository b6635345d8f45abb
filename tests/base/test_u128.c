/* Tests 128-bit products, quotients and sums. The functions without __int128 must agree with those
   of the compiler, where it has them, and with cases computed by hand everywhere. */
#include "support/test.h"

#include "base/u128.h"

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    UINT32_MAX - UINT64_C(1),
    UINT32_MAX,
    UINT64_C(1) << 32,
    (UINT64_C(1) << 32) + 1,
    UINT64_C(0x123456789ABCDEF0),
    UINT64_C(1) << 63,
    (UINT64_C(1) << 63) + 1,
    UINT64_MAX - 1,
    UINT64_MAX,
};

enum { EDGES = sizeof edges / sizeof edges[0] };

static void knows_products_by_hand(void **state)
{
    tch_u128 product = tch_u128_mul_parts(UINT64_MAX, UINT64_MAX);

    (void)state;
    assert_true(product.high == UINT64_MAX - 1 && product.low == 1); /* (2^64 - 1)^2 */
    product = tch_u128_mul_parts(UINT64_C(1) << 40, UINT64_C(3) << 30);
    assert_true(product.high == 3u << 6 && product.low == 0);
    product = tch_u128_mul_parts(UINT64_C(10000000000), UINT64_C(10000000000)); /* 10^20 */
    assert_true(product.high == 5 && product.low == UINT64_C(7766279631452241920));
}

/* (a x b + r) / b is a, for every r below b. */
static void division_undoes_multiplication(void **state)
{
    (void)state;
    for (int i = 0; i < EDGES; i++)
        for (int k = 1; k < EDGES; k++) {
            uint64_t a = edges[i], b = edges[k];
            tch_u128 product = tch_u128_mul(a, b), parts = tch_u128_mul_parts(a, b);

            assert_true(product.high == parts.high && product.low == parts.low);
            assert_true(tch_u128_div(product, b) == a);
            assert_true(tch_u128_div_parts(product, b) == a);
            product = tch_u128_add(product, b - 1);
            assert_true(tch_u128_div(product, b) == a);
            assert_true(tch_u128_div_parts(product, b) == a);
        }
}

static void both_ways_agree(void **state)
{
    uint64_t x = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t word[3];
        tch_u128 product, parts;

        for (int k = 0; k < 3; k++) { /* Marsaglia's xorshift, of any number of bits */
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            word[k] = x >> (x & 63);
        }
        product = tch_u128_mul(word[0], word[1]);
        parts = tch_u128_mul_parts(word[0], word[1]);
        assert_true(product.high == parts.high && product.low == parts.low);
        if (word[2] > 0)
            assert_true(tch_u128_div(product, word[2]) == tch_u128_div_parts(product, word[2]));
    }
}

static void adds_with_a_carry(void **state)
{
    tch_u128 sum = tch_u128_add((tch_u128){7, UINT64_MAX}, 2);

    (void)state;
    assert_true(sum.high == 8 && sum.low == 1);
    sum = tch_u128_add(sum, 0);
    assert_true(sum.high == 8 && sum.low == 1);
}

static void doubles_are_rounded_once(void **state)
{
    const double two64 = 18446744073709551616.0;

    (void)state;
    assert_true(tch_u128_f64((tch_u128){0, 0}) == 0);
    assert_true(tch_u128_f64((tch_u128){0, 12345}) == 12345);
    assert_true(tch_u128_f64((tch_u128){1, 0}) == two64);
    assert_true(tch_u128_f64((tch_u128){UINT64_C(1) << 63, 0}) == two64 * 9223372036854775808.0);
    /* 2^64 + 2^11 is half-way between two doubles: the even one is 2^64. One more is above the
     * middle. */
    assert_true(tch_u128_f64((tch_u128){1, 2048}) == two64);
    assert_true(tch_u128_f64((tch_u128){1, 2049}) == two64 + 4096);
    assert_true(tch_u128_f64((tch_u128){UINT64_C(1) << 52, (UINT64_C(1) << 63)}) ==
                two64 * 4503599627370496.0);
    assert_true(tch_u128_f64((tch_u128){UINT64_C(1) << 52, (UINT64_C(1) << 63) + 1}) ==
                two64 * 4503599627370497.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_products_by_hand),
        cmocka_unit_test(division_undoes_multiplication),
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(adds_with_a_carry),
        cmocka_unit_test(doubles_are_rounded_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
