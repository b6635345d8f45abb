/* SHA-256: the published vectors, both implementations, and the sha256sum program. */
#include "support/test.h"

#include <unistd.h>

#include "base/sha256.h"

static void assert_hex(const char *text, const char *hex)
{
    char out[TCH_SHA256_HEX];

    tch_sha256_hex(out, text, strlen(text));
    assert_string_equal(out, hex);
}

static void gives_the_published_digests(void **state)
{
    (void)state;
    assert_hex("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hex("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
               "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void a_million_times_the_letter_a(void **state)
{
    uint8_t digest[TCH_SHA256_SIZE];
    char hex[TCH_SHA256_HEX];
    struct tch_sha256 h;
    char text[1000];

    (void)state;
    memset(text, 'a', sizeof text);
    tch_sha256_init(&h);
    for (int i = 0; i < 1000; i++)
        tch_sha256_update(&h, text, sizeof text);
    tch_sha256_final(&h, digest);
    tch_sha256_digest_hex(hex, digest);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void accepts_null_with_length_zero(void **state)
{
    char hex[TCH_SHA256_HEX];

    (void)state;
    tch_sha256_hex(hex, NULL, 0);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Hashes the data in pieces of random sizes, also empty ones. */
static void hash_in_pieces(tch_sha256_blocks *blocks, const uint8_t *data, size_t len,
                           uint32_t *random, uint8_t digest[TCH_SHA256_SIZE])
{
    struct tch_sha256 h;

    tch_sha256_init(&h);
    h.blocks = blocks;
    while (len > 0) {
        size_t piece = next_random(random) % (len < 150 ? len + 1 : 150);

        tch_sha256_update(&h, data, piece);
        data += piece;
        len -= piece;
    }
    tch_sha256_final(&h, digest);
}

static void any_split_gives_the_same(void **state)
{
    uint8_t data[300];
    uint32_t random = 42;

    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)next_random(&random);
    for (size_t len = 0; len <= sizeof data; len++) {
        uint8_t whole[TCH_SHA256_SIZE];
        uint8_t pieces[TCH_SHA256_SIZE];

        tch_sha256(data, len, whole);
        for (int turn = 0; turn < 5; turn++) {
            hash_in_pieces(tch_sha256_portable, data, len, &random, pieces);
            assert_memory_equal(pieces, whole, sizeof whole);
        }
    }
}

static void both_implementations_agree(void **state)
{
    tch_sha256_blocks *fast = tch_sha256_x86();
    uint8_t data[300 + 3];
    uint32_t random = 7;

    (void)state;
    if (!fast) {
        print_message("skipped: this CPU has no SHA instructions\n");
        skip();
    }
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)next_random(&random);
    for (size_t len = 0; len <= 300; len++) {
        uint8_t slow_digest[TCH_SHA256_SIZE];
        uint8_t fast_digest[TCH_SHA256_SIZE];

        for (size_t shift = 0; shift < 4; shift++) { /* unaligned, too */
            hash_in_pieces(tch_sha256_portable, data + shift, len, &random, slow_digest);
            hash_in_pieces(fast, data + shift, len, &random, fast_digest);
            assert_memory_equal(slow_digest, fast_digest, sizeof slow_digest);
        }
    }
}

static void assert_agrees_with_sha256sum(const char *path, const char *data, size_t len)
{
    char command[128];
    char want[TCH_SHA256_HEX] = "";
    char got[TCH_SHA256_HEX];
    FILE *file = fopen(path, "we");
    FILE *pipe;

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "sha256sum '%s'", path);
    pipe = popen(command, "re");
    assert_non_null(pipe);
    assert_non_null(fgets(want, sizeof want, pipe));
    /* Reads to the end, so that sha256sum is not killed by SIGPIPE. */
    while (fgetc(pipe) != EOF)
        continue;
    assert_int_equal(pclose(pipe), 0);
    tch_sha256_hex(got, data, len);
    assert_string_equal(got, want);
}

static void agrees_with_the_sha256sum_program(void **state)
{
    static const size_t sizes[] = {0, 1, 55, 56, 63, 64, 65, 119, 120, 4096, 100001};
    char path[] = "/tmp/tacho-sha256-XXXXXX";
    int fd;
    char *data;
    uint32_t random = 1;

    (void)state;
    if (system("sha256sum --version >/dev/null 2>&1") != 0) {
        print_message("skipped: there is no sha256sum program\n");
        skip();
    }
    fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    data = malloc(100001);
    assert_non_null(data);
    for (size_t i = 0; i < 100001; i++)
        data[i] = (char)next_random(&random);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_agrees_with_sha256sum(path, data, sizes[i]);
    free(data);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_published_digests),
        cmocka_unit_test(a_million_times_the_letter_a),
        cmocka_unit_test(accepts_null_with_length_zero),
        cmocka_unit_test(any_split_gives_the_same),
        cmocka_unit_test(both_implementations_agree),
        cmocka_unit_test(agrees_with_the_sha256sum_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
