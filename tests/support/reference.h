/*
 * Where the reference data is: the folder named by TACHO_REFERENCE_DATA, with vectors/ and corpus/.
 *
 * Not set: the test that asks is skipped and says so. Set, but the file is not there: it fails.
 */
#ifndef TEST_SUPPORT_REFERENCE_H
#define TEST_SUPPORT_REFERENCE_H

/** The path of a file such as "vectors/float_f64.jsonl", valid until the next call. Never NULL:
    ends the test that asks as skipped or failed. Only inside a cmocka test. */
const char *test_reference(const char *name);

/** The same outside of a test, as for the arguments of main(): NULL, having said so, when the
    variable is not set. Ends the program when the file is missing. */
const char *test_reference_or_null(const char *name);

/** For the end of main(): what cmocka_run_group_tests() gave, or, when it gave 0 and a test was
    skipped for want of reference data, 77, which ctest reports as a skip. */
int test_reference_result(int failed);

#endif
