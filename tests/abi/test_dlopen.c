/* Loads libtacho at run time, as a plug-in or another language does. */
#include "support/test.h"

#include <dlfcn.h>

#include <tacho/version.h>

static void loads_and_returns_its_version(void **state)
{
    void *library = dlopen(LIBTACHO, RTLD_NOW | RTLD_LOCAL);
    const char *(*version)(void) = NULL;
    void *symbol;

    (void)state;
    assert_non_null(library);
    symbol = dlsym(library, "tacho_version");
    assert_non_null(symbol);
    memcpy(&version, &symbol, sizeof version); /* ISO C has no cast from object to function */
    assert_string_equal(version(), TACHO_VERSION);
    assert_int_equal(dlclose(library), 0);
}

static void exports_no_internal_names(void **state)
{
    void *library = dlopen(LIBTACHO, RTLD_NOW | RTLD_LOCAL);

    (void)state;
    assert_non_null(library);
    assert_null(dlsym(library, "tch_fail"));
    assert_null(dlsym(library, "tch_buf_init"));
    assert_int_equal(dlclose(library), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_returns_its_version),
        cmocka_unit_test(exports_no_internal_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
