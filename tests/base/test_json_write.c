/* JSON into a buffer: commas, escapes, any bytes, order. */
#include "support/test.h"

#include <math.h>

#include "base/json_write.h"

static struct tch_buf b;

static int setup(void **state)
{
    (void)state;
    tch_buf_init(&b, 10000);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tch_buf_release(&b);
    return 0;
}

static void puts_commas_where_they_belong(void **state)
{
    (void)state;
    tch_json_begin_object(&b);
    tch_json_key(&b, "a");
    tch_json_begin_array(&b);
    tch_json_u64(&b, 1);
    tch_json_begin_object(&b);
    tch_json_end_object(&b);
    tch_json_begin_array(&b);
    tch_json_end_array(&b);
    tch_json_null(&b);
    tch_json_end_array(&b);
    tch_json_key(&b, "b");
    tch_json_bool(&b, false);
    tch_json_key(&b, "c");
    tch_json_raw(&b, "{\"x\":1}", 7);
    tch_json_end_object(&b);
    assert_string_equal(b.data, "{\"a\":[1,{},[],null],\"b\":false,\"c\":{\"x\":1}}");
}

static void a_member_is_written_at_once(void **state)
{
    (void)state;
    tch_json_begin_object(&b);
    tch_json_put_text(&b, "a", "x");
    tch_json_put_text(&b, "b", NULL);
    tch_json_put_u64(&b, "c", 7);
    tch_json_put_f64(&b, "d", 0.5);
    tch_json_put_bool(&b, "e", true);
    tch_json_end_object(&b);
    assert_string_equal(b.data, "{\"a\":\"x\",\"b\":null,\"c\":7,\"d\":0.5,\"e\":true}");
}

static void text_that_ends_like_json_is_still_text(void **state)
{
    (void)state;
    tch_json_begin_array(&b);
    tch_json_text(&b, "[");
    tch_json_text(&b, "{");
    tch_json_text(&b, ":");
    tch_json_text(&b, "\n");
    tch_json_end_array(&b);
    assert_string_equal(b.data, "[\"[\",\"{\",\":\",\"\\n\"]");
}

static void a_line_feed_starts_the_next_document(void **state)
{
    (void)state;
    tch_json_u64(&b, 1);
    tch_json_line_end(&b);
    tch_json_u64(&b, 2);
    assert_string_equal(b.data, "1\n2");
}

/* Commas follow from the calls, whatever bytes were added between them. */
static void text_in_between_changes_no_comma(void **state)
{
    (void)state;
    tch_json_begin_array(&b);
    tch_buf_addc(&b, '\n');
    tch_json_u64(&b, 1);
    tch_buf_addc(&b, '\n');
    tch_json_u64(&b, 2);
    tch_buf_adds(&b, " [");
    tch_json_end_array(&b);
    assert_string_equal(b.data, "[\n1\n,2 []");
}

static void a_part_says_whether_a_comma_follows(void **state)
{
    (void)state;
    tch_json_part(&b, "{\"a\":1", 6, true);
    tch_json_put_u64(&b, "b", 2);
    tch_json_part(&b, ",\"c\":[", 6, false);
    tch_json_u64(&b, 3);
    tch_json_u64(&b, 4);
    assert_string_equal(b.data, "{\"a\":1,\"b\":2,\"c\":[3,4");
}

static void after_a_rewind_the_text_continues_as_it_would_have(void **state)
{
    size_t len;
    bool comma;

    (void)state;
    for (int first = 0; first < 2; first++) {
        tch_buf_clear(&b);
        tch_json_begin_array(&b);
        if (!first)
            tch_json_u64(&b, 1);
        len = b.len;
        comma = b.comma;
        tch_json_begin_object(&b);
        tch_json_rewind(&b, len, comma);
        tch_json_u64(&b, 2);
        assert_string_equal(b.data, first ? "[2" : "[1,2");
    }
}

static void a_cleared_buffer_begins_a_document(void **state)
{
    (void)state;
    tch_json_u64(&b, 1);
    tch_buf_clear(&b);
    tch_json_u64(&b, 3);
    assert_string_equal(b.data, "3");
}

static void escapes_what_must_be_and_nothing_else(void **state)
{
    (void)state;
    tch_json_string(&b, "\"\\/\b\f\n\r\t\x01\x1F\x7F\0", 12);
    assert_string_equal(b.data, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\\u0000\"");
    tch_buf_clear(&b);
    tch_json_text(&b, "\xE2\x80\xA8 \xF0\x9F\x98\x80");
    assert_string_equal(b.data, "\"\xE2\x80\xA8 \xF0\x9F\x98\x80\"");
}

static void bytes_that_are_not_utf8_are_replaced_one_by_one(void **state)
{
    (void)state;
    tch_json_text(&b, "a\xFF\xC3z\xE2\x82");
    assert_string_equal(b.data, "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

static void integers_are_exact_to_64_bits(void **state)
{
    (void)state;
    tch_json_begin_array(&b);
    tch_json_u64(&b, UINT64_MAX);
    tch_json_i64(&b, INT64_MIN);
    tch_json_i64(&b, INT64_MAX);
    tch_json_i64(&b, -1);
    tch_json_u64(&b, 0);
    tch_json_end_array(&b);
    assert_string_equal(b.data,
                        "[18446744073709551615,-9223372036854775808,9223372036854775807,-1,0]");
}

static void floats_are_short_or_null(void **state)
{
    (void)state;
    tch_json_begin_array(&b);
    tch_json_f64(&b, 0.1);
    tch_json_f32(&b, 0.1f);
    tch_json_f64(&b, (double)NAN);
    tch_json_end_array(&b);
    assert_string_equal(b.data, "[0.1,0.1,null]");
}

static void too_much_output_is_a_failure_not_truncated(void **state)
{
    struct tch_buf small;

    (void)state;
    tch_buf_init(&small, 8);
    tch_json_begin_array(&small);
    tch_json_text(&small, "0123456789");
    tch_json_end_array(&small);
    assert_true(small.failed);
    tch_buf_release(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(puts_commas_where_they_belong, setup, teardown),
        cmocka_unit_test_setup_teardown(a_member_is_written_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(text_that_ends_like_json_is_still_text, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_feed_starts_the_next_document, setup, teardown),
        cmocka_unit_test_setup_teardown(text_in_between_changes_no_comma, setup, teardown),
        cmocka_unit_test_setup_teardown(a_part_says_whether_a_comma_follows, setup, teardown),
        cmocka_unit_test_setup_teardown(after_a_rewind_the_text_continues_as_it_would_have, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_cleared_buffer_begins_a_document, setup, teardown),
        cmocka_unit_test_setup_teardown(escapes_what_must_be_and_nothing_else, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes_that_are_not_utf8_are_replaced_one_by_one, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(integers_are_exact_to_64_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(floats_are_short_or_null, setup, teardown),
        cmocka_unit_test(too_much_output_is_a_failure_not_truncated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
