/* Packed values: every bit comes back, and damaged bytes are refused. */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kit/stats/random.h"
#include "kit/store/sample_pack.h"

static void keep(const double *values, size_t n, enum tch_sample_codec expected)
{
    struct tch_buf b;
    struct tch_values back = {0};
    enum tch_sample_codec codec;

    tch_buf_init(&b, 1 << 20);
    codec = tch_sample_pack(values, n, &b);
    assert_int_equal(codec, expected);
    assert_int_equal(tch_sample_unpack(codec, b.data, b.len, &back, NULL), 0);
    assert_int_equal(back.n, n);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(&back.v[i], &values[i], sizeof *values);
    tch_buf_release(&b);
    tch_values_release(&back);
}

static void keeps_every_bit(void **state)
{
    static const double whole[] = {0, 1, -1, 63, 64, -65, 9007199254740992.0, -9007199254740992.0};
    static const double fractions[] = {0.785, DBL_MIN, DBL_MAX, -1e-300};
    static const double zero[] = {1, -0.0};
    static const double large[] = {1e300, 5};

    (void)state;
    keep(whole, 8, TCH_SAMPLE_DIFFERENCES);
    keep(whole, 0, TCH_SAMPLE_DIFFERENCES);
    keep(fractions, 4, TCH_SAMPLE_DOUBLES);
    keep(zero, 2, TCH_SAMPLE_DOUBLES);
    keep(large, 2, TCH_SAMPLE_DOUBLES);
}

static void similar_times_take_few_bytes(void **state)
{
    double values[100];
    uint64_t seed = 1;
    struct tch_buf b;

    (void)state;
    for (size_t i = 0; i < 100; i++)
        values[i] = 100e6 + (double)tch_random_below(&seed, 1000000);
    tch_buf_init(&b, 1 << 20);
    tch_sample_pack(values, 100, &b);
    assert_in_range(b.len, 1, 350);
    tch_buf_release(&b);
}

static void refuses_damaged_bytes(void **state)
{
    uint64_t seed = 2;
    tacho_error err;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        unsigned char bytes[40];
        size_t len = tch_random_below(&seed, sizeof bytes);
        struct tch_values values = {0};
        int status;

        for (size_t j = 0; j < len; j++)
            bytes[j] = (unsigned char)tch_random_bits(&seed);
        status = tch_sample_unpack((int64_t)tch_random_below(&seed, 3), bytes, len, &values, &err);
        assert_true(status == 0 || status == TACHO_EPARSE);
        tch_values_release(&values);
    }
    assert_int_equal(tch_sample_unpack(0, "1234567", 7, &(struct tch_values){0}, &err),
                     TACHO_EPARSE);
    assert_int_equal(tch_sample_unpack(1, "\x80", 1, &(struct tch_values){0}, &err), TACHO_EPARSE);
    assert_int_equal(tch_sample_unpack(7, "", 0, &(struct tch_values){0}, &err), TACHO_EPARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_bit),
        cmocka_unit_test(similar_times_take_few_bytes),
        cmocka_unit_test(refuses_damaged_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
