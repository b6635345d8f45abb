/* Reading the values of an event by their marks gives the same as reading them member by member,
   for valid lines and for lines damaged at every byte. */
#include "support/test.h"

#include "base/buf.h"
#include "base/json_scan.h"
#include "sample.h"
#include "support/event_ways.h"

#define HEAD "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:0\",\"model\":\"m\","
#define TAIL ",\"graph_enabled\":false,\"runtime_flags\":{\"v\":1},\"source\":\"s\"}"

static const char *const lines[] = {
    EVENT,
    EVENT_OF("bucket", "{\"a\":0,\"b\":12.5,\"c\":1234567890123456}", "{\"x\":[1,{\"y\":[]}]}",
             "{\"t\":true,\"f\":false,\"n\":null,\"s\":\"text\"}"),
    EVENT_OF("\xC3\xA9\\u00e9\\n", "{\"\\u0061\":-1}", "{\"\xE2\x82\xAC\":1e3}", "{}"),
    HEAD "\"concurrency\":4294967295,\"shape\":{},\"stage_us\":{}" TAIL,
    HEAD "\"concurrency\" : 4 , \"shape\":{ }, \"stage_us\":{ \"a\" : 1 }" TAIL " ",
    HEAD "\"other\":[1],\"concurrency\":4,\"shape\":{},\"more\":{},\"stage_us\":{}" TAIL,
    HEAD "\"model\":\"n\",\"concurrency\":4,\"event\":\"f\",\"commit_sha\":\"c\"" TAIL,
    HEAD "\"concurrency\":{\"a\":1},\"shape\":\"text\",\"stage_us\":[1]" TAIL,
    HEAD "\"concurrency\":1,\"shape\":[[[[[[[[[[1]]]]]]]]]],\"stage_us\":1" TAIL,
    "{\"x\":1,\"event\":\"e\",\"commit_sha\":null}",
    "{\"source\":\"s\",\"source_line\":\"l\"}",
    "{ \"event\":\"e\"}",
    "{\"event\":\"e\"}",
    "{}",
    "[1]",
    "7",
};

static void assert_agree(const char *text, size_t len)
{
    if (!test_event_ways_agree(text, len))
        fail_msg("the two ways differ for: %.*s", (int)len, text);
}

static void agree_on_valid_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_agree(lines[i], strlen(lines[i]));
}

static void agree_on_every_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (size_t len = 0; len < strlen(lines[i]); len++)
            assert_agree(lines[i], len);
}

/* Replaces `old` bytes at a place by one byte, which may be none. */
static void damage(const char *line, size_t at, size_t old, const char *byte, size_t count)
{
    char mem[1024];
    struct tch_buf b;

    tch_buf_init_on(&b, mem, sizeof mem, sizeof mem);
    tch_buf_add(&b, line, at);
    tch_buf_add(&b, byte, count);
    tch_buf_adds(&b, line + at + old);
    assert_false(b.failed);
    assert_agree(b.data, b.len);
    tch_buf_release(&b);
}

static void agree_on_every_damaged_byte(void **state)
{
    static const char bytes[] = "{}[]:,\"\\ \t\n\001\x7F\x80\xC3\xFF-+.0123456789eEtfnaz/";

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (size_t at = 0; at < strlen(lines[i]); at++) {
            damage(lines[i], at, 1, "", 0);
            for (size_t c = 0; c < sizeof bytes; c++) { /* the NUL, too */
                damage(lines[i], at, 1, bytes + c, 1);
                damage(lines[i], at, 0, bytes + c, 1);
            }
        }
}

/* The marks of a long line come in batches: moves the end of a batch through the line. */
static void agree_where_a_batch_of_marks_ends(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 2 * TCH_JSON_BATCH);
    for (size_t pad = TCH_JSON_BATCH - 400; pad < TCH_JSON_BATCH; pad++) {
        tch_buf_clear(&b);
        tch_buf_adds(&b, "{\"event\":\"");
        for (size_t i = 0; i < pad; i++)
            tch_buf_addc(&b, 'a');
        tch_buf_adds(&b, lines[1] + strlen("{\"event\":\"bucket"));
        assert_false(b.failed);
        assert_agree(b.data, b.len);
        assert_agree(b.data, b.len - 1);
    }
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_on_valid_lines),
        cmocka_unit_test(agree_on_every_truncation),
        cmocka_unit_test(agree_on_every_damaged_byte),
        cmocka_unit_test(agree_where_a_batch_of_marks_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
