/*
 * Reads the test cases of files of vectors, one JSON object per line: {"id", "tag", "input",
 * "expect"}. The files are in the folders of cases that reference.h names.
 */
#ifndef TEST_SUPPORT_VECTORS_H
#define TEST_SUPPORT_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A piece of JSON text of the file. */
struct test_json {
    const char *text; /* NULL: missing */
    size_t len;
};

struct test_case {
    char id[64];
    char tag[64];
    struct test_json input;
    struct test_json expect; /* expect_serde_json_145 where the case has it */
};

/** Calls `check` with every line of "vectors/NAME" in each folder of cases. The line ends with a
    NUL. Fails the test when the project has no line, or the reference data fewer than `least`. */
void test_each_line(const char *name, size_t least,
                    void (*check)(const char *line, size_t len, void *arg), void *arg);

/** Does the same with the cases that the lines hold. */
void test_each_case(const char *name, size_t least,
                    void (*check)(const struct test_case *c, void *arg), void *arg);

/** Returns a member of an object, or {NULL}. */
struct test_json test_member(struct test_json object, const char *key);

/** Returns the i-th element of an array, or {NULL} after the last. */
struct test_json test_element(struct test_json array, size_t i);
size_t test_count(struct test_json array);

/** Return the value. Fail the test when it is missing or has another type. */
uint64_t test_u64(struct test_json json);
bool test_true(struct test_json json);

/** Returns a string without quotes and escapes; the caller frees it. */
char *test_text(struct test_json json, size_t *len);

/** Return the float of big-endian hexadecimal bits. */
double test_f64_bits(struct test_json json);
float test_f32_bits(struct test_json json);

/** Return all values of an array, which the caller frees; never NULL. */
uint64_t *test_u64s(struct test_json array, size_t *n);
double *test_f64s_bits(struct test_json array, size_t *n);

/** Fails with "case ID: got x, expected y" unless both have the same bits or are NaN. */
void test_same_f64(const char *id, double got, double expected);

#endif
