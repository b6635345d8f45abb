/* Tests the hash of bytes and the comparison of hashed texts. */
#include "support/test.h"

#include "base/hash.h"

static void same_bytes_have_the_same_hash(void **state)
{
    char a[100];
    char b[101];

    (void)state;
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = b[i + 1] = (char)(i * 37);
    for (size_t len = 0; len <= sizeof a; len++)
        assert_true(tch_hash(a, len) == tch_hash(b + 1, len)); /* at any alignment */
}

static void hash_depends_on_every_byte_and_the_length(void **state)
{
    char text[64] = {0};

    (void)state;
    for (size_t len = 1; len <= sizeof text; len++) {
        uint64_t zeros = tch_hash(text, len);

        assert_true(tch_hash(text, len - 1) != zeros);
        for (size_t i = 0; i < len; i++) {
            text[i] = 1;
            assert_true(tch_hash(text, len) != zeros);
            text[i] = 0;
        }
    }
}

/* Puts 4096 names into 4096 slots by the low bits. A random hash leaves 1507 slots empty, with a
   standard deviation of about 20. */
static void low_bits_spread_similar_names(void **state)
{
    bool taken[4096] = {false};
    int empty = 0;

    (void)state;
    for (int i = 0; i < 4096; i++) {
        char name[40];
        int len = snprintf(name, sizeof name, "module::function_%d", i);

        taken[tch_hash(name, (size_t)len) % 4096] = true;
    }
    for (int i = 0; i < 4096; i++)
        empty += !taken[i];
    assert_in_range(empty, 1350, 1650);
}

static void compares_bytes_at_any_length(void **state)
{
    char a[40];
    char b[40];

    (void)state;
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    for (size_t len = 0; len < sizeof a; len++) {
        assert_true(tch_same_bytes(a, b, len));
        for (size_t i = 0; i < len; i++) {
            b[i] = 'y';
            assert_false(tch_same_bytes(a, b, len));
            b[i] = 'x';
        }
        b[len] = 'y';
        assert_true(tch_same_bytes(a, b, len));
        b[len] = 'x';
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_have_the_same_hash),
        cmocka_unit_test(hash_depends_on_every_byte_and_the_length),
        cmocka_unit_test(low_bits_spread_similar_names),
        cmocka_unit_test(compares_bytes_at_any_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
