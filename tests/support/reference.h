/*
 * Finds the files of cases, in two folders that have vectors/ and corpus/ each: tests/cases, which
 * is part of the project, and the reference data, in the folder that TACHO_REFERENCE_DATA names.
 */
#ifndef TEST_SUPPORT_REFERENCE_H
#define TEST_SUPPORT_REFERENCE_H

/** The folders of cases, in the order of their numbers. */
enum { TEST_OWN_CASES, TEST_REFERENCE_DATA };

/** Returns the path of a file such as "vectors/float_f64.jsonl" in a folder of cases, valid until
    the next call. Returns NULL after the last folder, which is TEST_OWN_CASES when the variable is
    not set. Fails the calling test when the file is missing. */
const char *test_reference(const char *name, int folder);

#endif
