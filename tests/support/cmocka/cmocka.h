/*
 * The part of cmocka's interface that the tests of libtacho use, for targets that have no cmocka:
 * cross builds (`make test-cross`). All other builds use cmocka itself.
 *
 * A test runs in the process of the program. A failed assertion jumps back to the loop over the
 * tests. It must not be made in another thread.
 */
#ifndef TEST_SUPPORT_CMOCKA_H
#define TEST_SUPPORT_CMOCKA_H

typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    CMFixtureFunction setup;
    CMFixtureFunction teardown;
};

#define cmocka_unit_test(test)  \
    {                           \
#test, test, NULL, NULL \
    }
#define cmocka_unit_test_setup_teardown(test, setup, teardown) \
    {                                                          \
#test, test, setup, teardown                           \
    }

#define cmocka_run_group_tests(tests, setup, teardown) \
    cm_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

/** Runs the tests and returns how many failed. */
int cm_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
           CMFixtureFunction teardown);

void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Fails the running test. */
_Noreturn void cm_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Ends the running test, which counts as skipped. */
_Noreturn void cm_skip(void);

/* The assertions evaluate each argument once. */
void cm_true(bool holds, const char *text, const char *file, int line);
void cm_ints(bool wanted, uintmax_t a, uintmax_t b, const char *file, int line);
void cm_strings(bool wanted, const char *a, const char *b, const char *file, int line);
void cm_bytes(const void *a, const void *b, size_t len, const char *file, int line);
void cm_range(uintmax_t value, uintmax_t low, uintmax_t high, const char *file, int line);
void cm_return_code(long code, int error, const char *file, int line);

#define CM_HERE __FILE__, __LINE__

#define fail()        cm_fail(CM_HERE, "fail()")
#define fail_msg(...) cm_fail(CM_HERE, __VA_ARGS__)
#define skip()        cm_skip()

#define assert_true(c)     cm_true((c) ? true : false, #c, CM_HERE)
#define assert_false(c)    cm_true((c) ? false : true, "!(" #c ")", CM_HERE)
#define assert_null(p)     cm_true((p) == NULL, #p " == NULL", CM_HERE)
#define assert_non_null(p) cm_true((p) != NULL, #p " != NULL", CM_HERE)
#define assert_ptr_equal(a, b) \
    cm_true((const void *)(a) == (const void *)(b), #a " == " #b, CM_HERE)
#define assert_ptr_not_equal(a, b) \
    cm_true((const void *)(a) != (const void *)(b), #a " != " #b, CM_HERE)
#define assert_int_equal(a, b)         cm_ints(true, (uintmax_t)(a), (uintmax_t)(b), CM_HERE)
#define assert_int_not_equal(a, b)     cm_ints(false, (uintmax_t)(a), (uintmax_t)(b), CM_HERE)
#define assert_string_equal(a, b)      cm_strings(true, a, b, CM_HERE)
#define assert_string_not_equal(a, b)  cm_strings(false, a, b, CM_HERE)
#define assert_memory_equal(a, b, len) cm_bytes(a, b, len, CM_HERE)
#define assert_in_range(value, low, high) \
    cm_range((uintmax_t)(value), (uintmax_t)(low), (uintmax_t)(high), CM_HERE)
#define assert_return_code(code, error) cm_return_code(code, error, CM_HERE)

#endif
