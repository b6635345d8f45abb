/* Base64. The vectors are those of RFC 4648, section 10. */
#include "support/test.h"

#include "base/base64.h"

static const struct {
    const char *plain;
    const char *coded;
} vectors[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xfb\xff\xfe", "+//+"},
};

static void encodes_and_decodes_the_vectors(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const char *coded = vectors[i].coded;

        tch_buf_clear(&b);
        tch_base64_add(&b, vectors[i].plain, strlen(vectors[i].plain));
        assert_string_equal(b.data, coded);
        tch_buf_clear(&b);
        assert_int_equal(tch_base64_parse(coded, strlen(coded), &b), 0);
        assert_string_equal(b.data, vectors[i].plain);
        tch_buf_clear(&b); /* without the padding */
        assert_int_equal(tch_base64_parse(coded, strcspn(coded, "="), &b), 0);
        assert_string_equal(b.data, vectors[i].plain);
    }
    tch_buf_release(&b);
}

static void keeps_all_bytes(void **state)
{
    struct tch_buf coded;
    struct tch_buf plain;
    unsigned char all[256];

    (void)state;
    tch_buf_init(&coded, 1000);
    tch_buf_init(&plain, 1000);
    for (int i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    tch_base64_add(&coded, all, sizeof all);
    assert_int_equal(coded.len, 344);
    assert_int_equal(tch_base64_parse(coded.data, coded.len, &plain), 0);
    assert_int_equal(plain.len, sizeof all);
    assert_memory_equal(plain.data, all, sizeof all);
    tch_buf_release(&coded);
    tch_buf_release(&plain);
}

static void refuses_other_characters(void **state)
{
    static const char *const bad[] = {"Zm9v!", "Zg==Zg", "Z g=", "Zm_v", "\x80"};
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(tch_base64_parse(bad[i], strlen(bad[i]), &b), -1);
    assert_int_equal(tch_base64_parse("Zm\0v", 4, &b), -1);
    tch_buf_release(&b);
}

static int code(void *arg)
{
    struct tch_buf coded;
    struct tch_buf plain;
    int status = -1;

    (void)arg;
    tch_buf_init(&coded, 10000);
    tch_buf_init(&plain, 10000);
    tch_base64_add(&coded, vectors, sizeof vectors);
    if (!coded.failed && tch_base64_parse(coded.data, coded.len, &plain) == 0 && !plain.failed)
        status = 0;
    tch_buf_release(&coded);
    tch_buf_release(&plain);
    return status;
}

static void fails_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(code, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_and_decodes_the_vectors),
        cmocka_unit_test(keeps_all_bytes),
        cmocka_unit_test(refuses_other_characters),
        cmocka_unit_test(fails_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
