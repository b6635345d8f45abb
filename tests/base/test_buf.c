/* struct tch_buf: growing, bounded, sticky failure. */
#include "support/test.h"

#include "base/buf.h"

static void is_text_from_the_start(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 10);
    assert_string_equal(b.data, "");
    tch_buf_clear(&b);
    assert_string_equal(b.data, "");
    tch_buf_release(&b);
    assert_string_equal(b.data, "");
}

static void grows_and_stays_terminated(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100000);
    for (int i = 0; i < 20000; i++)
        tch_buf_addf(&b, "%d,", i % 10);
    assert_false(b.failed);
    assert_int_equal(b.len, 40000);
    assert_int_equal(strlen(b.data), 40000);
    assert_memory_equal(b.data, "0,1,2,", 6);
    tch_buf_release(&b);
}

static void takes_exactly_the_limit(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 5);
    tch_buf_adds(&b, "abcde");
    assert_false(b.failed);
    tch_buf_addc(&b, 'f');
    assert_true(b.failed);
    assert_string_equal(b.data, "abcde");
    tch_buf_release(&b);
}

static void stays_failed_until_cleared(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 5);
    tch_buf_adds(&b, "123456");
    tch_buf_adds(&b, "1");
    assert_true(b.failed);
    assert_string_equal(b.data, "");
    tch_buf_clear(&b);
    tch_buf_adds(&b, "1");
    assert_false(b.failed);
    assert_string_equal(b.data, "1");
    tch_buf_release(&b);
}

static void moves_from_the_stack_to_the_heap(void **state)
{
    char mem[8];
    struct tch_buf b;

    (void)state;
    tch_buf_init_on(&b, mem, sizeof mem, 100);
    tch_buf_adds(&b, "1234567");
    assert_ptr_equal(b.data, mem);
    tch_buf_adds(&b, "89");
    assert_ptr_not_equal(b.data, mem);
    assert_string_equal(b.data, "123456789");
    tch_buf_release(&b);
}

static void keeps_bytes_that_are_not_text(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    tch_buf_add(&b, "a\0b", 3);
    assert_int_equal(b.len, 3);
    assert_memory_equal(b.data, "a\0b", 4);
    tch_buf_release(&b);
}

static void survives_a_huge_request(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, SIZE_MAX);
    tch_buf_addc(&b, 'x');
    assert_null(tch_buf_room(&b, SIZE_MAX - 1));
    assert_true(b.failed);
    assert_string_equal(b.data, "x");
    tch_buf_release(&b);
}

static void gives_up_ownership_of_its_text(void **state)
{
    char mem[8];
    struct tch_buf b;
    char *text;

    (void)state;
    tch_buf_init_on(&b, mem, sizeof mem, 100);
    tch_buf_adds(&b, "abc");
    text = tch_buf_take(&b);
    assert_string_equal(text, "abc");
    assert_int_equal(b.len, 0);
    free(text);

    tch_buf_init(&b, 1);
    tch_buf_adds(&b, "abc");
    assert_null(tch_buf_take(&b));
}

static int build(void *arg)
{
    struct tch_buf b;
    char *text;

    (void)arg;
    tch_buf_init(&b, 100000);
    for (int i = 0; i < 1000; i++)
        tch_buf_addf(&b, "%d", i);
    text = tch_buf_take(&b);
    free(text);
    return text ? 0 : -1;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(build, NULL);
}

static void fails_with_a_part(void **state)
{
    struct tch_buf whole;
    struct tch_buf part;

    (void)state;
    tch_buf_init(&whole, 4);
    tch_buf_init_part(&part, &whole);
    tch_buf_adds(&part, "1234");
    assert_false(whole.failed);
    tch_buf_addc(&part, '5');
    assert_true(whole.failed);
    tch_buf_clear(&part);
    assert_true(whole.failed);
    tch_buf_release(&part);
    tch_buf_release(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_text_from_the_start),
        cmocka_unit_test(grows_and_stays_terminated),
        cmocka_unit_test(takes_exactly_the_limit),
        cmocka_unit_test(stays_failed_until_cleared),
        cmocka_unit_test(moves_from_the_stack_to_the_heap),
        cmocka_unit_test(keeps_bytes_that_are_not_text),
        cmocka_unit_test(survives_a_huge_request),
        cmocka_unit_test(gives_up_ownership_of_its_text),
        cmocka_unit_test(fails_with_a_part),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
