/* Structs of programs that were compiled with an earlier or a later version of the library. */
#include "base/sized.h"

#include <string.h>

#include "support/test.h"

/* The struct of the library, and those of earlier and later programs. */
struct now {
    size_t size;
    long a;
    long b;
};

struct earlier {
    size_t size;
    long a;
};

struct later {
    size_t size;
    long a;
    long b;
    long c;
    char after; /* not part of it */
};

enum { LATER_SIZE = offsetof(struct later, after) };

static void reads_an_earlier_struct(void **state)
{
    struct earlier given[2] = {{sizeof given[0], 7}, {1, 1}};
    struct now own = {0, -1, -1};

    (void)state;
    assert_int_equal(tch_sized_read(&own, sizeof own, given, "INIT", NULL), 0);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.a, 7);
    assert_int_equal(own.b, 0);
}

static void writes_no_byte_after_an_earlier_struct(void **state)
{
    struct earlier given[2] = {{sizeof given[0], 0}, {77, 78}};
    const struct now own = {sizeof own, 5, 6};

    (void)state;
    assert_int_equal(tch_sized_check(given, sizeof own, "INIT", NULL), 0);
    tch_sized_write(given, &own, sizeof own);
    assert_int_equal(given[0].size, sizeof given[0]);
    assert_int_equal(given[0].a, 5);
    assert_int_equal(given[1].size, 77);
    assert_int_equal(given[1].a, 78);
}

static void takes_a_later_struct_whose_new_members_are_0(void **state)
{
    struct later given = {.size = LATER_SIZE, .a = 1, .b = 2, .after = 9};
    struct now own;

    (void)state;
    assert_int_equal(tch_sized_read(&own, sizeof own, &given, "INIT", NULL), 0);
    assert_int_equal(own.a, 1);
    assert_int_equal(own.b, 2);
    own.b = 3;
    tch_sized_write(&given, &own, sizeof own);
    assert_int_equal(given.size, LATER_SIZE);
    assert_int_equal(given.b, 3);
    assert_int_equal(given.c, 0);
    assert_int_equal(given.after, 9);
}

static void refuses_members_that_it_does_not_know(void **state)
{
    const struct later given = {.size = LATER_SIZE, .a = 1, .c = 2};
    struct now own = {0, -1, -1};
    tacho_error err;

    (void)state;
    assert_int_equal(tch_sized_read(&own, sizeof own, &given, "TACHO_X_INIT", &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "TACHO_X_INIT"));
    assert_int_equal(own.a, -1);
}

static void refuses_a_struct_that_is_not_initialised(void **state)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t), 4097, (size_t)-1};
    struct now given = {0, 1, 2};
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        given.size = sizes[i];
        assert_int_equal(tch_sized_check(&given, sizeof given, "TACHO_X_INIT", &err), TACHO_EINVAL);
        assert_string_equal(err.message, "a struct is not initialised; start with TACHO_X_INIT");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_an_earlier_struct),
        cmocka_unit_test(writes_no_byte_after_an_earlier_struct),
        cmocka_unit_test(takes_a_later_struct_whose_new_members_are_0),
        cmocka_unit_test(refuses_members_that_it_does_not_know),
        cmocka_unit_test(refuses_a_struct_that_is_not_initialised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
