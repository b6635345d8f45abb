/* SHAKE-256: NIST's examples, every length around the rate, and input in pieces. */
#include "support/test.h"

#include "base/sha256.h"
#include "base/shake256.h"

enum { LONG = 512 };

static void assert_bytes(const uint8_t *bytes, size_t len, const char *hex)
{
    for (size_t i = 0; i < len; i++) {
        char two[3];

        snprintf(two, sizeof two, "%02x", bytes[i]);
        assert_memory_equal(two, hex + 2 * i, 2);
    }
    assert_int_equal(strlen(hex), 2 * len);
}

static void gives_the_published_bytes(void **state)
{
    uint8_t message[200];
    uint8_t out[LONG];

    (void)state;
    /* "Examples with Intermediate Values" of NIST: SHAKE256_Msg0 and SHAKE256_Msg1600. */
    tch_shake256(NULL, 0, out, LONG);
    assert_bytes(out, 32, "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f");
    assert_bytes(out + LONG - 32, 32,
                 "ab0bae316339894304e35877b0c28a9b1fd166c796b9cc258a064a8f57e27f2a");
    memset(message, 0xA3, sizeof message);
    tch_shake256(message, sizeof message, out, LONG);
    assert_bytes(out, 32, "cd8a920ed141aa0407a22d59288652e9d9f1a7ee0c1e7c1ca699424da84a904d");
    assert_bytes(out + LONG - 32, 32,
                 "6a1a9d7846436e4dca5728b6f760eef0ca92bf0be5615e96959d767197a0beeb");
}

/* Compares with a digest over the results of Python's hashlib.shake_256 for all lengths. */
static void every_length_around_the_rate(void **state)
{
    uint8_t all[601 * 16];
    char hex[TCH_SHA256_HEX];

    (void)state;
    for (size_t n = 0; n <= 600; n++) {
        uint8_t message[600];

        for (size_t i = 0; i < n; i++)
            message[i] = (uint8_t)(i * 7 + n);
        tch_shake256(message, n, all + n * 16, 16);
    }
    tch_sha256_hex(hex, all, sizeof all);
    assert_string_equal(hex, "60115733ac1b03a2e8e6499b66eab958a2924a312b594c317189d1e01c243541");
}

static void pieces_give_the_same_as_the_whole(void **state)
{
    uint8_t message[3 * TCH_SHAKE256_RATE];
    uint8_t whole[32];

    (void)state;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 31);
    tch_shake256(message, sizeof message, whole, sizeof whole);
    for (size_t piece = 1; piece < sizeof message; piece++) {
        struct tch_shake256 h;
        uint8_t out[32];

        tch_shake256_init(&h);
        for (size_t at = 0; at < sizeof message; at += piece)
            tch_shake256_update(&h, message + at,
                                at + piece < sizeof message ? piece : sizeof message - at);
        tch_shake256_final(&h, out, sizeof out);
        assert_memory_equal(out, whole, sizeof whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_published_bytes),
        cmocka_unit_test(every_length_around_the_rate),
        cmocka_unit_test(pieces_give_the_same_as_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
