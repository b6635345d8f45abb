/*
 * The reference data is in the folder that TACHO_REFERENCE_DATA names, with vectors/ and corpus/.
 *
 * When the variable is not set, the calling test is skipped and says so. When the file is missing,
 * it fails.
 */
#ifndef TEST_SUPPORT_REFERENCE_H
#define TEST_SUPPORT_REFERENCE_H

/** Returns the path of a file such as "vectors/float_f64.jsonl", valid until the next call. Never
    returns NULL: skips or fails the calling test instead. Only for use inside a cmocka test. */
const char *test_reference(const char *name);

/** Returns the path outside of a test, as in main(). Prints a message and returns NULL when the
    variable is not set. Exits when the file is missing. */
const char *test_reference_or_null(const char *name);

/** Returns the exit status of main(): the result of cmocka_run_group_tests(), or 77, which ctest
    reports as skipped, when that is 0 and a test lacked reference data. */
int test_reference_result(int failed);

#endif
