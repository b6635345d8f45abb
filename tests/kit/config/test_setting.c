/* Tests settings: the texts that each kind accepts, and that a refused text changes nothing. */
#include "kit/config/setting.h"

#include <string.h>

#include "support/test.h"

static const char *const colours[] = {"red", "green", NULL};

struct fields {
    const char *text;
    bool flag;
    uint32_t bits;
    uint64_t count;
    int32_t pid;
    enum { RED, GREEN } colour;
    double share;
    uint64_t time_ns;
    uint64_t bytes;
};

static int parse(struct fields *f, struct tch_setting s, const char *text)
{
    return tch_setting_parse(&s, text, f);
}

#define SET(field, ...) \
    ((struct tch_setting){.offset = offsetof(struct fields, field), __VA_ARGS__})

static void each_kind_sets_its_field(void **state)
{
    struct fields f = {.bits = 1};

    (void)state;
    assert_int_equal(parse(&f, SET(text, .kind = TCH_SET_TEXT), "a"), 0);
    assert_string_equal(f.text, "a");
    assert_int_equal(parse(&f, SET(flag, .kind = TCH_SET_FLAG), NULL), 0);
    assert_true(f.flag);
    assert_int_equal(parse(&f, SET(bits, .kind = TCH_SET_BITS, .most = 6), NULL), 0);
    assert_int_equal(f.bits, 7);
    assert_int_equal(parse(&f, SET(count, .kind = TCH_SET_U64), "18446744073709551615"), 0);
    assert_true(f.count == UINT64_MAX);
    assert_int_equal(parse(&f, SET(pid, .kind = TCH_SET_U32, .most = INT32_MAX), "2147483647"), 0);
    assert_int_equal(f.pid, INT32_MAX);
    assert_int_equal(parse(&f, SET(colour, .kind = TCH_SET_CHOICE, .choices = colours), "green"),
                     0);
    assert_int_equal(f.colour, GREEN);
    assert_int_equal(parse(&f, SET(share, .kind = TCH_SET_SHARE), "5%"), 0);
    assert_true(f.share == 0.05);
    assert_int_equal(parse(&f, SET(share, .kind = TCH_SET_SHARE), "1"), 0);
    assert_true(f.share == 1);
    assert_int_equal(parse(&f, SET(time_ns, .kind = TCH_SET_DURATION), "2us"), 0);
    assert_int_equal(f.time_ns, 2000);
    assert_int_equal(parse(&f, SET(bytes, .kind = TCH_SET_SIZE), "2k"), 0);
    assert_int_equal(f.bytes, 2048);
}

static void a_refused_text_changes_nothing(void **state)
{
    struct fields f = {.count = 7, .pid = 7, .colour = GREEN, .share = 0.7, .time_ns = 7};
    struct fields before = f;

    (void)state;
    for (const char *const *text = (const char *const[]){"", "x", "0", "11", "-1", NULL}; *text;
         text++)
        assert_true(parse(&f, SET(count, .kind = TCH_SET_U64, .least = 1, .most = 10), *text) < 0);
    assert_true(parse(&f, SET(pid, .kind = TCH_SET_U32, .most = INT32_MAX), "2147483648") < 0);
    assert_true(parse(&f, SET(colour, .kind = TCH_SET_CHOICE, .choices = colours), "blue") < 0);
    for (const char *const *text = (const char *const[]){"0", "0%", "101%", "1.1", "%", NULL};
         *text; text++)
        assert_true(parse(&f, SET(share, .kind = TCH_SET_SHARE), *text) < 0);
    assert_true(parse(&f, SET(time_ns, .kind = TCH_SET_DURATION, .least = 1), "0") < 0);
    assert_true(parse(&f, SET(time_ns, .kind = TCH_SET_DURATION), "5") < 0);
    assert_memory_equal(&f, &before, sizeof f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_sets_its_field),
        cmocka_unit_test(a_refused_text_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
