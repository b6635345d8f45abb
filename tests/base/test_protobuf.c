/* Protocol Buffers on the wire. */
#include "support/test.h"

#include <tacho/error.h>

#include "base/protobuf.h"

static void assert_bytes(const struct tch_buf *b, const char *expect, size_t len)
{
    assert_false(b->failed);
    assert_int_equal(b->len, len);
    assert_memory_equal(b->data, expect, len);
}

#define ASSERT_BYTES(b, text) assert_bytes((b), (text), sizeof(text) - 1)

static void writes_the_examples_of_the_encoding_guide(void **state)
{
    struct tch_buf b;
    size_t sub, packed;

    (void)state;
    tch_buf_init(&b, 1000);
    tch_pb_varint(&b, 1, 150);
    ASSERT_BYTES(&b, "\x08\x96\x01");

    tch_buf_clear(&b);
    tch_pb_text(&b, 2, "testing");
    ASSERT_BYTES(&b, "\x12\x07testing");

    tch_buf_clear(&b);
    sub = tch_pb_begin(&b, 3);
    tch_pb_varint(&b, 1, 150);
    tch_pb_end(&b, sub);
    ASSERT_BYTES(&b, "\x1a\x03\x08\x96\x01");

    tch_buf_clear(&b);
    packed = tch_pb_begin(&b, 6);
    tch_pb_packed(&b, 3);
    tch_pb_packed(&b, 270);
    tch_pb_packed(&b, 86942);
    tch_pb_end(&b, packed);
    ASSERT_BYTES(&b, "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
    tch_buf_release(&b);
}

static void writes_numbers_at_their_limits(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1000);
    tch_pb_varint(&b, 1, UINT64_MAX);
    ASSERT_BYTES(&b, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");

    tch_buf_clear(&b);
    tch_pb_fixed64(&b, TCH_PB_FIELD_MAX, 0x0102030405060708u);
    ASSERT_BYTES(&b, "\xf9\xff\xff\xff\x0f\x08\x07\x06\x05\x04\x03\x02\x01");

    tch_buf_clear(&b);
    tch_pb_double(&b, 1, 1.0);
    ASSERT_BYTES(&b, "\x09\0\0\0\0\0\0\xf0\x3f");
    tch_buf_release(&b);
}

/* Nests messages so that their lengths need one, two and three bytes. */
static void gives_long_sub_messages_their_length(void **state)
{
    static char text[70000];
    static const size_t sizes[] = {0, 100, 127, 128, 16383, 16384, 70000};

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct tch_pb_field outer, inner;
        struct tch_pb_reader r;
        struct tch_buf b;
        size_t a, c;

        tch_buf_init(&b, 100000);
        a = tch_pb_begin(&b, 1);
        c = tch_pb_begin(&b, 2);
        tch_buf_add(&b, text, sizes[i]);
        tch_pb_end(&b, c);
        tch_pb_varint(&b, 3, 7);
        tch_pb_end(&b, a);
        assert_false(b.failed);

        tch_pb_open(&r, b.data, b.len);
        assert_int_equal(tch_pb_next(&r, &outer), 1);
        assert_int_equal(tch_pb_next(&r, &inner), 0);
        tch_pb_open(&r, outer.data, outer.len);
        assert_int_equal(tch_pb_next(&r, &inner), 1);
        assert_int_equal(inner.len, sizes[i]);
        assert_memory_equal(inner.data, text, sizes[i]);
        assert_int_equal(tch_pb_next(&r, &inner), 1);
        assert_int_equal(inner.value, 7);
        assert_int_equal(tch_pb_next(&r, &inner), 0);
        tch_buf_release(&b);
    }
}

static void reads_back_every_type(void **state)
{
    static const char message[] = "\x08\x96\x01"
                                  "\x11\x08\x07\x06\x05\x04\x03\x02\x01"
                                  "\x1a\x02hi"
                                  "\x25\x04\x03\x02\x01";
    struct tch_pb_reader r;
    struct tch_pb_field f;

    (void)state;
    tch_pb_open(&r, message, sizeof message - 1);
    assert_int_equal(tch_pb_next(&r, &f), 1);
    assert_int_equal(f.number, 1);
    assert_int_equal(f.type, TCH_PB_VARINT);
    assert_int_equal(f.value, 150);
    assert_int_equal(tch_pb_next(&r, &f), 1);
    assert_int_equal(f.type, TCH_PB_FIXED64);
    assert_int_equal(f.value, 0x0102030405060708u);
    assert_int_equal(tch_pb_next(&r, &f), 1);
    assert_int_equal(f.type, TCH_PB_BYTES);
    assert_int_equal(f.len, 2);
    assert_memory_equal(f.data, "hi", 2);
    assert_int_equal(tch_pb_next(&r, &f), 1);
    assert_int_equal(f.type, TCH_PB_FIXED32);
    assert_int_equal(f.value, 0x01020304);
    assert_int_equal(tch_pb_next(&r, &f), 0);
    assert_true(tch_pb_to_double(0x3ff0000000000000u) == 1.0);
}

static void refuses_truncated_and_invalid_messages(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\x08", 1},                                              /* no value */
        {"\x80", 1},                                              /* half a tag */
        {"\x08\x80", 2},                                          /* half a varint */
        {"\x11\x01\x02\x03", 4},                                  /* half a fixed64 */
        {"\x25\x01\x02\x03", 4},                                  /* half a fixed32 */
        {"\x1a\x03hi", 4},                                        /* bytes past the end */
        {"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},     /* a length of 2^64 - 1 */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11},     /* past 64 bits */
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12}, /* eleven bytes */
        {"\x00\x01", 2},                                          /* field 0 */
        {"\x0b\x01", 2},                                          /* a group */
        {"\x0e\x01", 2},                                          /* type 6 */
        {"\x80\x80\x80\x80\x10\x01", 6},                          /* field 2^29 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tch_pb_field f = {.number = 77};
        struct tch_pb_reader r;

        tch_pb_open(&r, bad[i].bytes, bad[i].len);
        assert_int_equal(tch_pb_next(&r, &f), TACHO_EPARSE);
        assert_ptr_equal(r.at, bad[i].bytes);
        assert_int_equal(f.number, 77);
    }
}

static void fails_at_the_limit_and_stays_failed(void **state)
{
    struct tch_buf b;
    size_t sub;

    (void)state;
    tch_buf_init(&b, 131);
    sub = tch_pb_begin(&b, 1);
    for (int i = 0; i < 128; i++)
        tch_buf_addc(&b, 'x');
    tch_pb_end(&b, sub);
    assert_false(b.failed);

    tch_buf_clear(&b);
    sub = tch_pb_begin(&b, 1);
    for (int i = 0; i < 129; i++)
        tch_buf_addc(&b, 'x');
    tch_pb_end(&b, sub); /* the length's second byte has no room */
    assert_true(b.failed);
    tch_pb_end(&b, sub);
    tch_pb_varint(&b, 1, 1);
    assert_true(b.failed);
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_examples_of_the_encoding_guide),
        cmocka_unit_test(writes_numbers_at_their_limits),
        cmocka_unit_test(gives_long_sub_messages_their_length),
        cmocka_unit_test(reads_back_every_type),
        cmocka_unit_test(refuses_truncated_and_invalid_messages),
        cmocka_unit_test(fails_at_the_limit_and_stays_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
