/* Objects by tables of fields: what is absent, what is of another type, what no row describes. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_fields.h"
#include "base/json_write.h"

struct inner {
    double amount;
    char *unit;
};

struct thing {
    char *name;
    char id[8];
    uint64_t count;
    double ratio;
    bool on;
    int dirty;
    char **argv;
    char **env;
    char *document;
    struct inner work;
    uint64_t own;
    struct tch_json_others others;
};

static const struct tch_json_field inner_fields[] = {
    {TCH_JSON_F64(struct inner, amount, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct inner, unit, TCH_JSON_OR_NULL)},
    {0},
};

static bool has_work(const void *thing)
{
    return !isnan(((const struct thing *)thing)->work.amount);
}

static void write_own(struct tch_buf *b, const void *thing)
{
    tch_json_u64(b, 2 * ((const struct thing *)thing)->own);
}

static int read_own(struct tch_json_reader *r, void *thing, tacho_error *err)
{
    struct tch_json_value value;

    (void)err;
    if (tch_json_read(r, &value) < 0)
        return r->status;
    ((struct thing *)thing)->own = (uint64_t)tch_json_to_f64(&value) / 2;
    return 0;
}

#define TABLE(when)                                                                            \
    {TCH_JSON_TEXT(struct thing, name, when)}, {TCH_JSON_CHARS(struct thing, id, when)},       \
        {TCH_JSON_U64(struct thing, count, when)}, {TCH_JSON_F64(struct thing, ratio, when)},  \
        {TCH_JSON_BOOL(struct thing, on, when)}, {TCH_JSON_TRIPLE(struct thing, dirty, when)}, \
        {TCH_JSON_WORDS(struct thing, argv, when)}, {TCH_JSON_PAIRS(struct thing, env, when)}, \
        {TCH_JSON_RAW(struct thing, document, when)},                                          \
        {TCH_JSON_FIELD(struct thing, work, TCH_JSON_AS_OBJECT, when), .fields = inner_fields, \
         .there = has_work},                                                                   \
        {TCH_JSON_FIELD(struct thing, own, TCH_JSON_AS_OWN, when), .write = write_own,         \
         .read = read_own},                                                                    \
        {0},

static const struct tch_json_field always[] = {TABLE(TCH_JSON_ALWAYS)};
static const struct tch_json_field or_null[] = {TABLE(TCH_JSON_OR_NULL)};
static const struct tch_json_field left_out[] = {TABLE(TCH_JSON_LEFT_OUT)};

#define WHOLE                                                                                \
    "{\"name\":\"a\\\"b\",\"id\":\"x1\",\"count\":18446744073709551615,\"ratio\":0.785,"     \
    "\"on\":true,\"dirty\":false,\"argv\":[\"ls\",\"\"],\"env\":{\"A\":\"1=2\",\"B\":\"\"}," \
    "\"document\":{\"n\": 1e2},\"work\":{\"amount\":3.5,\"unit\":\"MB\"},\"own\":8}"

static const struct thing nothing = {.ratio = NAN, .dirty = -1, .work = {.amount = NAN}};

static int parse(struct thing *t, const struct tch_json_field *fields, const char *text)
{
    struct tch_json_reader r;
    tacho_error err;
    int status;

    *t = nothing;
    tch_json_open(&r, text, strlen(text), &err);
    status = tch_json_fields_read(&r, fields, t, &t->others, &err);
    return status == 0 ? tch_json_finish(&r) : status;
}

static void release(struct thing *t)
{
    tch_json_fields_release(always, t);
    tch_json_others_release(&t->others);
}

static void expect(const struct thing *t, const struct tch_json_field *fields, const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, 10000);
    tch_json_fields_write(&b, fields, t);
    assert_string_equal(b.data, text);
    tch_buf_release(&b);
}

static void a_struct_is_written_as_it_was_read(void **state)
{
    struct thing t;

    (void)state;
    assert_int_equal(parse(&t, always, WHOLE), 0);
    assert_string_equal(t.name, "a\"b");
    assert_true(t.count == UINT64_MAX);
    assert_string_equal(tch_pairs_find(t.env, "A"), "1=2");
    assert_null(tch_pairs_find(t.env, "C"));
    assert_string_equal(t.document, "{\"n\": 1e2}");
    expect(&t, always, WHOLE);
    expect(&t, or_null, WHOLE);
    expect(&t, left_out, WHOLE);
    release(&t);
}

static void absent_values_are_written_as_the_row_says(void **state)
{
    (void)state;
    expect(&nothing, always,
           "{\"name\":null,\"id\":\"\",\"count\":0,\"ratio\":null,\"on\":false,\"dirty\":null,"
           "\"argv\":[],\"env\":{},\"document\":null,\"work\":null,\"own\":0}");
    expect(&nothing, or_null,
           "{\"name\":null,\"id\":null,\"count\":null,\"ratio\":null,\"on\":null,\"dirty\":null,"
           "\"argv\":null,\"env\":null,\"document\":null,\"work\":null,\"own\":0}");
    expect(&nothing, left_out, "{\"own\":0}");
}

static void a_member_of_another_type_is_ignored(void **state)
{
    struct thing t;

    (void)state;
    assert_int_equal(parse(&t, always,
                           "{\"name\":[1,{\"x\":2}],\"id\":\"longer than eight\",\"count\":-1,"
                           "\"ratio\":\"x\",\"on\":1,\"dirty\":null,\"argv\":{\"a\":1},"
                           "\"env\":[\"A=1\"],\"work\":[5]}"),
                     0);
    expect(&t, left_out, "{\"own\":0}");
    release(&t);
}

static void lists_keep_what_strings_can_say(void **state)
{
    struct thing t;

    (void)state;
    assert_int_equal(parse(&t, always, "{\"argv\":[\"a\",1,[\"b\"],\"c\"],\"env\":{\"N\":12}}"), 0);
    expect(&t, left_out, "{\"argv\":[\"a\",\"c\"],\"env\":{\"N\":\"12\"},\"own\":0}");
    release(&t);
}

static void unknown_members_are_kept(void **state)
{
    struct thing t;
    struct tch_buf b;

    (void)state;
    assert_int_equal(parse(&t, always, "{\"later\":{\"a\": [1]},\"id\":\"x\",\"too\":null}"), 0);
    tch_buf_init(&b, 1000);
    tch_json_begin_object(&b);
    tch_json_fields_write_members(&b, left_out, &t);
    tch_json_others_write_members(&b, &t.others);
    tch_json_end_object(&b);
    assert_string_equal(b.data, "{\"id\":\"x\",\"own\":0,\"later\":{\"a\": [1]},\"too\":null}");
    tch_buf_release(&b);
    release(&t);
}

static void of_two_equal_members_the_last_counts(void **state)
{
    struct thing t;

    (void)state;
    assert_int_equal(
        parse(&t, always, "{\"name\":\"a\",\"argv\":[\"x\"],\"name\":\"b\",\"argv\":[]}"), 0);
    expect(&t, left_out, "{\"name\":\"b\",\"argv\":[],\"own\":0}");
    release(&t);
}

static void damage_is_an_error(void **state)
{
    static const char *const bad[] = {"[]",
                                      "1",
                                      "{\"name\":\"a\"",
                                      "{\"argv\":[\"a\",}",
                                      "{\"env\":{\"a\":}}",
                                      "{\"document\":{]}"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct thing t;

        assert_int_equal(parse(&t, always, bad[i]), TACHO_EPARSE);
        release(&t);
    }
}

/* Each case is refused, and the message names the member. */
static void strict_and_required_rows_refuse(void **state)
{
    static const struct tch_json_field fields[] = {
        {TCH_JSON_CHARS(struct thing, id, TCH_JSON_OR_NULL), .strict = true},
        {TCH_JSON_RAW(struct thing, document, TCH_JSON_OR_NULL), .required = true},
        {0},
    };
    static const char *const good[] = {"{\"document\":null}", "{\"id\":\"seven77\",\"document\":1}",
                                       "{\"id\":null,\"document\":1}"};
    static const struct {
        const char *text;
        const char *says;
    } bad[] = {
        {"{}", "'document' is missing"},
        {"{\"document\":1,\"id\":7}", "'id' must be a string"},
        {"{\"document\":1,\"id\":\"eight888\"}", "'id' is longer than 7 bytes"},
    };
    struct tch_json_reader r;
    struct thing t;
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(parse(&t, fields, good[i]), 0);
        release(&t);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        t = nothing;
        tch_json_open(&r, bad[i].text, strlen(bad[i].text), &err);
        assert_int_equal(tch_json_fields_read(&r, fields, &t, NULL, &err), TACHO_EPARSE);
        assert_string_equal(err.message, bad[i].says);
        release(&t);
    }
}

static int read_and_release(void *arg)
{
    struct thing t;
    int status = parse(&t, always, arg);

    release(&t);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(read_and_release, (void *)"{\"x\":[1],\"y\":2}");
    test_every_allocation_fails(read_and_release, (void *)WHOLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_struct_is_written_as_it_was_read),
        cmocka_unit_test(absent_values_are_written_as_the_row_says),
        cmocka_unit_test(a_member_of_another_type_is_ignored),
        cmocka_unit_test(lists_keep_what_strings_can_say),
        cmocka_unit_test(unknown_members_are_kept),
        cmocka_unit_test(of_two_equal_members_the_last_counts),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(strict_and_required_rows_refuse),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
