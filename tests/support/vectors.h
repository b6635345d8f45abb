/*
 * The cases of a file of vectors, one JSON object a line: {"id", "tag", "input", "expect"}.
 */
#ifndef TEST_SUPPORT_VECTORS_H
#define TEST_SUPPORT_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A piece of JSON text, as it stands in the file. */
struct test_json {
    const char *text; /* NULL: not there */
    size_t len;
};

struct test_case {
    char id[64];
    char tag[64];
    struct test_json input;
    struct test_json expect; /* expect_serde_json_145 where the case has it */
};

/** Calls `check` with every case of "vectors/NAME"; how many there were. Skips or fails the test
    as test_reference() does. */
size_t test_each_case(const char *name, void (*check)(const struct test_case *c, void *arg),
                      void *arg);

/** A member of an object, or {NULL}. */
struct test_json test_member(struct test_json object, const char *key);

/** The i-th element of an array, or {NULL} behind the last. */
struct test_json test_element(struct test_json array, size_t i);
size_t test_count(struct test_json array);

/** What is there, or the test fails. */
uint64_t test_u64(struct test_json json);
bool test_true(struct test_json json);

/** A string without quotes and escapes; the caller frees it. */
char *test_text(struct test_json json, size_t *len);

/** Big-endian hexadecimal bits. */
double test_f64_bits(struct test_json json);
float test_f32_bits(struct test_json json);

/** All of an array, which the caller frees; never NULL. */
uint64_t *test_u64s(struct test_json array, size_t *n);
double *test_f64s_bits(struct test_json array, size_t *n);

/** The same bits, NaN with NaN: "case ID: got x, expected y" otherwise. */
void test_same_f64(const char *id, double got, double expected);

#endif
