/* Reads vectors in a simple way, from the start each time, because the files are small. */
#include "vectors.h"

#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/json_read.h"
#include "base/number.h"
#include "reference.h"
#include "test.h"

struct test_json test_member(struct test_json object, const char *key)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_json_value name;
    struct test_json found = {0};

    if (!object.text)
        return found;
    tch_json_open(&r, object.text, object.len, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    assert_int_equal(value.type, TCH_JSON_OBJECT);
    while (tch_json_member(&r, &name) > 0) {
        assert_int_equal(tch_json_read_raw(&r, &value), 0);
        if (tch_json_is(&name, key))
            found = (struct test_json){value.text, value.len};
    }
    return found;
}

struct test_json test_element(struct test_json array, size_t i)
{
    struct tch_json_reader r;
    struct tch_json_value value;

    tch_json_open(&r, array.text, array.len, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    assert_int_equal(value.type, TCH_JSON_ARRAY);
    while (tch_json_element(&r) > 0) {
        assert_int_equal(tch_json_read_raw(&r, &value), 0);
        if (i-- == 0)
            return (struct test_json){value.text, value.len};
    }
    return (struct test_json){0};
}

size_t test_count(struct test_json array)
{
    size_t n = 0;
    struct tch_json_reader r;
    struct tch_json_value value;

    tch_json_open(&r, array.text, array.len, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    assert_int_equal(value.type, TCH_JSON_ARRAY);
    while (tch_json_element(&r) > 0) {
        assert_int_equal(tch_json_skip(&r), 0);
        n++;
    }
    return n;
}

uint64_t test_u64(struct test_json json)
{
    uint64_t value = 0;

    assert_non_null(json.text);
    assert_int_equal(tch_parse_u64_n(json.text, json.len, UINT64_MAX, &value), 0);
    return value;
}

bool test_true(struct test_json json)
{
    assert_non_null(json.text);
    return json.text[0] == 't';
}

char *test_text(struct test_json json, size_t *len)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_buf b;
    char *text;

    assert_non_null(json.text);
    tch_json_open(&r, json.text, json.len, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    assert_int_equal(value.type, TCH_JSON_STRING);
    tch_buf_init(&b, 1 << 24);
    tch_json_unescape(&value, &b);
    if (len)
        *len = b.len;
    text = tch_buf_take(&b);
    assert_non_null(text);
    return text;
}

static uint64_t bits_of(struct test_json json)
{
    uint64_t bits = 0;

    assert_non_null(json.text);
    for (size_t i = 1; i + 1 < json.len; i++) {
        char c = json.text[i];

        bits = bits << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return bits;
}

double test_f64_bits(struct test_json json)
{
    uint64_t bits = bits_of(json);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

float test_f32_bits(struct test_json json)
{
    uint32_t bits = (uint32_t)bits_of(json);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Visits all elements in one pass, because arrays have ten thousand. */
static void each_element(struct test_json array, void (*take)(struct test_json, void *, size_t),
                         void *to)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    size_t i = 0;

    tch_json_open(&r, array.text, array.len, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    while (tch_json_element(&r) > 0) {
        assert_int_equal(tch_json_read_raw(&r, &value), 0);
        take((struct test_json){value.text, value.len}, to, i++);
    }
}

static void take_u64(struct test_json json, void *to, size_t i)
{
    ((uint64_t *)to)[i] = test_u64(json);
}

static void take_f64(struct test_json json, void *to, size_t i)
{
    ((double *)to)[i] = test_f64_bits(json);
}

uint64_t *test_u64s(struct test_json array, size_t *n)
{
    uint64_t *values;

    *n = test_count(array);
    values = calloc(*n + 1, sizeof *values);
    assert_non_null(values);
    each_element(array, take_u64, values);
    return values;
}

double *test_f64s_bits(struct test_json array, size_t *n)
{
    double *values;

    *n = test_count(array);
    values = calloc(*n + 1, sizeof *values);
    assert_non_null(values);
    each_element(array, take_f64, values);
    return values;
}

void test_same_f64(const char *id, double got, double expected)
{
    if (isnan(got) && isnan(expected))
        return;
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("case %s: got %.17g, expected %.17g", id, got, expected);
}

static void copy_text(char out[64], struct test_json json)
{
    char *text = test_text(json, NULL);

    snprintf(out, 64, "%s", text);
    free(text);
}

static size_t each_line_of(const char *file, void (*check)(const char *, size_t, void *), void *arg)
{
    struct tch_buf b;
    char *rest;
    char *line;
    size_t count = 0;

    tch_buf_init(&b, 1 << 26);
    assert_int_equal(tch_file_read(file, 1 << 26, &b, NULL), 0);
    rest = b.data;
    while ((line = strsep(&rest, "\n")) && *line) {
        check(line, strlen(line), arg);
        count++;
    }
    tch_buf_release(&b);
    return count;
}

void test_each_line(const char *name, size_t least,
                    void (*check)(const char *line, size_t len, void *arg), void *arg)
{
    char file[128];
    const char *path;

    snprintf(file, sizeof file, "vectors/%s", name);
    for (int folder = 0; (path = test_reference(file, folder)); folder++)
        assert_true(each_line_of(path, check, arg) >= (folder == TEST_OWN_CASES ? 1 : least));
}

/* A check of cases and its argument, which each line is passed on to. */
struct case_check {
    void (*check)(const struct test_case *c, void *arg);
    void *arg;
};

static void check_line(const char *line, size_t len, void *arg)
{
    const struct case_check *to = arg;
    struct test_json whole = {line, len};
    struct test_case c = {.input = test_member(whole, "input"),
                          .expect = test_member(whole, "expect_serde_json_145")};

    if (!c.expect.text)
        c.expect = test_member(whole, "expect");
    copy_text(c.id, test_member(whole, "id"));
    copy_text(c.tag, test_member(whole, "tag"));
    to->check(&c, to->arg);
}

void test_each_case(const char *name, size_t least,
                    void (*check)(const struct test_case *c, void *arg), void *arg)
{
    test_each_line(name, least, check_line, &(struct case_check){check, arg});
}
