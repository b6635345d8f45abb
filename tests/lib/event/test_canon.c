/* Tests the canonical form: equal events have one text. */
#include "support/test.h"

#include "base/json_canon.h"
#include "base/json_write.h"
#include "lib/event/event_parse.h"
#include "sample.h"

static unsigned flags_of(bool sorted)
{
    return TCH_CANON_FINITE | (sorted ? TCH_CANON_SORTED : 0);
}

static void assert_canon(const char *json, bool sorted, const char *expected)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_json_canon(&b, json, strlen(json), flags_of(sorted), NULL), 0);
    assert_string_equal(b.data, expected);
    tch_buf_release(&b);
}

static void numbers_get_their_shortest_form(void **state)
{
    (void)state;
    assert_canon("[0, -0, 1.0, 1E2, 18446744073709551615, 18446744073709551616, "
                 "-9223372036854775808, 1e-7, 12500.50]",
                 false,
                 "[0,-0.0,1.0,100.0,18446744073709551615,1.8446744073709552e19,"
                 "-9223372036854775808,1e-7,12500.5]");
}

static void objects_keep_their_order_and_the_last_of_a_key(void **state)
{
    (void)state;
    assert_canon("{ \"b\" : 1 , \"a\" : 2 }", false, "{\"b\":1,\"a\":2}");
    assert_canon("{\"d\":1,\"a\":0,\"d\":{\"z\":1}}", false, "{\"d\":{\"z\":1},\"a\":0}");
    assert_canon("{\"a\":1,\"\\u0061\":2,\"b\":[{\"x\":1,\"x\":2}]}", false,
                 "{\"a\":2,\"b\":[{\"x\":2}]}");
    assert_canon("{\"o\":{\"b\":1,\"a\":2}}", true, "{\"o\":{\"b\":1,\"a\":2}}");
}

static void sorted_means_by_the_bytes_of_the_key_itself(void **state)
{
    (void)state;
    assert_canon("{\"b\":1,\"a\":2,\"\":3,\"aa\":4}", true, "{\"\":3,\"a\":2,\"aa\":4,\"b\":1}");
    /* U+0000 and LF sort before a blank, although their escapes would not. */
    assert_canon("{\" \":1,\"\\n\":2,\"\\u0000\":3,\"!\":4,\"\\\"\":5,\"#\":6,\"\\\\\":7,\"]\":8}",
                 true,
                 "{\"\\u0000\":3,\"\\n\":2,\" \":1,\"!\":4,\"\\\"\":5,\"#\":6,\"\\\\\":7,\"]\":8}");
    assert_canon("{\"\xF0\x9F\x98\x80\":1,\"\xEF\xBF\xBF\":2,\"z\":3}", true,
                 "{\"z\":3,\"\xEF\xBF\xBF\":2,\"\xF0\x9F\x98\x80\":1}");
}

static void strings_get_the_fewest_escapes(void **state)
{
    (void)state;
    assert_canon("\"\\/\\u0041\\u00e9\\ud83d\\ude00\\u007f\\u001f\\t\"", false,
                 "\"/A\xC3\xA9\xF0\x9F\x98\x80\x7F\\u001f\\t\"");
}

static void unknown_fields_are_dropped_and_known_ones_ordered(void **state)
{
    static const char text[] =
        "{\"source_line\":\"l\",\"extra\":{\"x\":1},\"runtime_flags\":{\"b\":1,\"a\":2},"
        "\"graph_enabled\":false,\"stage_us\":{\"y\":1.50,\"x\":2},\"shape\":{\"k\":1,\"j\":2},"
        "\"concurrency\":3,\"model\":\"m\",\"env_hash\":\"sha256:\",\"commit_sha\":null,"
        "\"event\":\"e\",\"source\":null}";
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    char *canon = NULL;
    size_t len;

    (void)state;
    assert_int_equal(tacho_event_parse(text, strlen(text), &event, NULL), 0);
    assert_int_equal(tacho_event_canon(&event, &canon, &len, NULL), 0);
    assert_string_equal(
        canon,
        "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:\",\"model\":\"m\","
        "\"concurrency\":3,\"shape\":{\"j\":2,\"k\":1},\"stage_us\":{\"x\":2,\"y\":1.5},"
        "\"graph_enabled\":false,\"runtime_flags\":{\"b\":1,\"a\":2},\"source_line\":\"l\"}");
    assert_int_equal(len, strlen(canon));
    free(canon);
}

/* Random documents with a seed: the canonical form of a canonical form is the same text, with
   the same content. */

static uint64_t state_of_random = 7;

static unsigned below(unsigned n)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_random >> 33) % n;
}

static void add_random(struct tch_buf *b, unsigned depth)
{
    static const char *const scalars[] = {"null",        "true", "-0",           "1E3",  "0.1e1",
                                          "\"\"",        "1e-9", "\"\\/\"",      "12",   "-7",
                                          "\"\\u0000\"", "3.0",  "\"\xC3\xA9\"", "false"};
    unsigned kind = below(depth > 5 ? 1 : 3);
    unsigned count = below(depth == 0 ? 150 : 5);

    if (kind == 0) {
        tch_buf_adds(b, scalars[below(sizeof scalars / sizeof scalars[0])]);
        return;
    }
    tch_buf_addc(b, kind == 1 ? '[' : '{');
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            tch_buf_addc(b, ',');
        if (kind == 2) /* few names, so that some occur twice; the escape makes two spellings */
            tch_buf_addf(b, " \"%s%c\" : ", below(3) ? "" : "\\u0061", 'a' + (int)below(26));
        add_random(b, depth + 1);
    }
    tch_buf_addc(b, kind == 1 ? ']' : '}');
}

static void the_canonical_form_does_not_change_again(void **state)
{
    struct tch_buf text;
    struct tch_buf once;
    struct tch_buf twice;

    (void)state;
    tch_buf_init(&text, 1 << 24);
    tch_buf_init(&once, 1 << 24);
    tch_buf_init(&twice, 1 << 24);
    for (int i = 0; i < 500; i++) {
        bool sorted = i % 2;

        tch_buf_clear(&text);
        tch_buf_clear(&once);
        tch_buf_clear(&twice);
        add_random(&text, 0);
        assert_int_equal(tch_json_canon(&once, text.data, text.len, flags_of(sorted), NULL), 0);
        assert_int_equal(tch_json_canon(&twice, once.data, once.len, flags_of(sorted), NULL), 0);
        assert_string_equal(once.data, twice.data);
    }
    tch_buf_release(&text);
    tch_buf_release(&once);
    tch_buf_release(&twice);
}

static void text_that_is_not_json_is_refused(void **state)
{
    static const char *const bad[] = {"", "{", "[1,]", "{\"a\":1}x", "1e999", "\"\\ud800\""};
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1000);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(tch_json_canon(&b, bad[i], strlen(bad[i]), flags_of(true), NULL),
                         TACHO_EPARSE);
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_get_their_shortest_form),
        cmocka_unit_test(objects_keep_their_order_and_the_last_of_a_key),
        cmocka_unit_test(sorted_means_by_the_bytes_of_the_key_itself),
        cmocka_unit_test(strings_get_the_fewest_escapes),
        cmocka_unit_test(unknown_fields_are_dropped_and_known_ones_ordered),
        cmocka_unit_test(the_canonical_form_does_not_change_again),
        cmocka_unit_test(text_that_is_not_json_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
