/* Interned texts. */
#include "support/test.h"

#include "base/intern.h"

static uint32_t add(struct tch_intern *t, const char *text)
{
    return tch_intern_add(t, text, strlen(text));
}

static void numbers_texts_in_order_of_first_use(void **state)
{
    struct tch_intern t = {0};

    (void)state;
    assert_int_equal(add(&t, "main"), 0);
    assert_int_equal(add(&t, "read"), 1);
    assert_int_equal(add(&t, "main"), 0);
    assert_int_equal(add(&t, ""), 2);
    assert_int_equal(add(&t, "rea"), 3);
    assert_int_equal(t.count, 4);
    assert_string_equal(tch_intern_text(&t, 1), "read");
    assert_int_equal(tch_intern_len(&t, 1), 4);
    assert_string_equal(tch_intern_text(&t, 2), "");
    tch_intern_release(&t);
    assert_int_equal(t.count, 0);
}

static void keeps_any_bytes(void **state)
{
    struct tch_intern t = {0};

    (void)state;
    assert_int_equal(tch_intern_add(&t, "a\0b", 3), 0);
    assert_int_equal(tch_intern_add(&t, "a\0c", 3), 1);
    assert_int_equal(tch_intern_add(&t, "a", 1), 2);
    assert_int_equal(tch_intern_add(&t, "a\0b", 3), 0);
    assert_memory_equal(tch_intern_text(&t, 1), "a\0c", 4);
    assert_int_equal(tch_intern_add(&t, NULL, 0), 3);
    tch_intern_release(&t);
}

static void finds_without_adding(void **state)
{
    struct tch_intern t = {0};

    (void)state;
    assert_true(tch_intern_find(&t, "a", 1) == TCH_INTERN_NONE);
    add(&t, "a");
    assert_int_equal(tch_intern_find(&t, "a", 1), 0);
    assert_true(tch_intern_find(&t, "b", 1) == TCH_INTERN_NONE);
    assert_int_equal(t.count, 1);
    tch_intern_release(&t);
}

static size_t nth(char name[40], uint32_t n)
{
    return (size_t)snprintf(name, 40, "%s::f%u", n % 3 ? "alpha" : "b", n);
}

static void stays_right_while_it_grows(void **state)
{
    enum { COUNT = 100000 };
    struct tch_intern t = {0};
    char name[40];

    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(tch_intern_add(&t, name, nth(name, i)), i);
    assert_int_equal(t.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t len = nth(name, i);

        assert_int_equal(tch_intern_len(&t, i), len);
        assert_string_equal(tch_intern_text(&t, i), name);
    }
    tch_intern_release(&t);
}

/* Forces texts to have the same hash, which hardly happens otherwise. */
static void distinguishes_texts_with_the_same_hash(void **state)
{
    struct tch_intern t = {0};
    char text[2] = "";

    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 26; i++) {
            text[0] = (char)('a' + i);
            assert_int_equal(tch_intern_add_hashed(&t, text, 1, 1023), i);
        }
    assert_int_equal(tch_intern_search(&t, "q", 1, 1023), 'q' - 'a');
    assert_true(tch_intern_search(&t, "Q", 1, 1023) == TCH_INTERN_NONE);
    tch_intern_release(&t);
}

static void starts_again_after_clear(void **state)
{
    struct tch_intern t = {0};

    (void)state;
    tch_intern_clear(&t);
    add(&t, "a");
    add(&t, "b");
    tch_intern_clear(&t);
    assert_int_equal(t.count, 0);
    assert_true(tch_intern_find(&t, "a", 1) == TCH_INTERN_NONE);
    assert_int_equal(add(&t, "b"), 0);
    tch_intern_release(&t);
}

static void ranks_by_bytes(void **state)
{
    static const char *const texts[] = {"b", "a", "", "ab", "B", "\xFF"};
    static const uint32_t want[] = {4, 2, 0, 3, 1, 5};
    struct tch_intern t = {0};
    uint32_t *ranks = tch_intern_ranks(&t);

    (void)state;
    assert_non_null(ranks);
    free(ranks);
    for (size_t i = 0; i < 6; i++)
        add(&t, texts[i]);
    ranks = tch_intern_ranks(&t);
    assert_non_null(ranks);
    assert_memory_equal(ranks, want, sizeof want);
    free(ranks);
    tch_intern_release(&t);
}

static int fill(void *arg)
{
    struct tch_intern t = {0};
    uint32_t *ranks = NULL;
    char name[40];
    uint32_t i = 0;

    (void)arg;
    while (i < 3000 && tch_intern_add(&t, name, nth(name, i)) != TCH_INTERN_NONE)
        i++;
    assert_int_equal(t.count, i); /* the texts before the failure are still there */
    for (uint32_t k = 0; k < i; k++)
        assert_int_equal(tch_intern_find(&t, name, nth(name, k)), k);
    if (i == 3000)
        ranks = tch_intern_ranks(&t);
    tch_intern_release(&t);
    free(ranks);
    return ranks ? 0 : -1;
}

static void stays_intact_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_texts_in_order_of_first_use),
        cmocka_unit_test(keeps_any_bytes),
        cmocka_unit_test(finds_without_adding),
        cmocka_unit_test(stays_right_while_it_grows),
        cmocka_unit_test(distinguishes_texts_with_the_same_hash),
        cmocka_unit_test(starts_again_after_clear),
        cmocka_unit_test(ranks_by_bytes),
        cmocka_unit_test(stays_intact_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
