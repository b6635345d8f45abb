/* Tests regular expressions that compile, that are refused with a reason, and that would need too
   much memory. */
#include "support/test.h"

#include <string.h>

#include "kit/text/regex_limit.h"

static void compiles_common_expressions(void **state)
{
    static const char *const texts[] = {
        "([0-9.]+) tokens/s",
        "^latency: *([0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?) *(ms|us)$",
        "a{2}b{3,}c{,4}[]{}]+[^]]*[[:digit:]{1,200}]",
        "\\(a{1,200}\\){1,3}",
        "(a{1,20}){1,20}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        regex_t regex;

        assert_int_equal(tch_regex_compile(&regex, texts[i], 0, NULL), 0);
        regfree(&regex);
    }
}

/* Each of these would take minutes, gigabytes or all of the stack. */
static void refuses_expressions_that_need_too_much_memory(void **state)
{
    static const char *const texts[] = {
        "((((a{1,200}){1,200}){1,200}){1,200})",
        "(([ab]{200}){200}){200}",
        "a{1,32767}",
        "(((((((((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
    };
    char deep[100001];
    tacho_error err;
    regex_t regex;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(tch_regex_compile(&regex, texts[i], 0, &err), TACHO_EINVAL);
        assert_non_null(strstr(err.message, "too large"));
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(tch_regex_compile(&regex, deep, 0, NULL), TACHO_EINVAL);
}

static void names_the_reason(void **state)
{
    static const char *const texts[] = {"(", "[a", "a{2", "[[:nothing:]]", "a{3,2}", "\\", "[[."};
    tacho_error err;
    regex_t regex;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(tch_regex_compile(&regex, texts[i], 0, &err), TACHO_EINVAL);
        assert_null(strstr(err.message, "too large"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiles_common_expressions),
        cmocka_unit_test(refuses_expressions_that_need_too_much_memory),
        cmocka_unit_test(names_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
