/* Tests that plain, gzip and zstd files give the same bytes, and that damaged ones are refused. */
#include "support/test.h"

#include <unistd.h>

#include "kit/file/packed.h"

static const unsigned char gzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
                                     0xcb, 0x4d, 0xcc, 0xcc, 0xb3, 0x4e, 0x53, 0x30, 0xe6, 0x02,
                                     0x00, 0xe2, 0x5e, 0xfb, 0x9f, 0x09, 0x00, 0x00, 0x00};
static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x49, 0x00,
                                     0x00, 0x6d, 0x61, 0x69, 0x6e, 0x3b, 0x66, 0x20,
                                     0x33, 0x0a, 0x47, 0x5d, 0x62, 0x2b};
static const char plain[] = "main;f 3\n";

/* Returns a pipe that contains these bytes. */
static int filled(const void *data, size_t len)
{
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], data, len), len);
    close(fds[1]);
    return fds[0];
}

static int open_bytes(const void *data, size_t len, struct tch_packed **ret, tacho_error *err)
{
    int fd = filled(data, len);
    int status = tch_packed_open(ret, fd, "x", err);

    /* The head contains all of the file, so the descriptor is not read again. */
    close(fd);
    return status;
}

static void assert_reads(const void *data, size_t len, const char *wanted)
{
    struct tch_packed *p = NULL;
    tacho_error err;
    char got[64];
    size_t head;

    assert_int_equal(open_bytes(data, len, &p, &err), 0);
    tch_packed_head(p, &head);
    assert_int_equal(head, strlen(wanted));
    assert_int_equal(tch_packed_read(p, got, sizeof got, &err), strlen(wanted));
    assert_memory_equal(got, wanted, strlen(wanted));
    tch_packed_close(p);
}

static void reads_plain_text_and_gzip(void **state)
{
    unsigned char twice[2 * sizeof gzip];

    (void)state;
    memcpy(twice, gzip, sizeof gzip);
    memcpy(twice + sizeof gzip, gzip, sizeof gzip);
    assert_reads(plain, strlen(plain), plain);
    assert_reads("a", 1, "a");
    assert_reads(gzip, sizeof gzip, plain);
    assert_reads(twice, sizeof twice, "main;f 3\nmain;f 3\n");
}

static void reads_zstd_or_says_what_is_missing(void **state)
{
    struct tch_packed *p = NULL;
    tacho_error err;
    int status = open_bytes(zstd, sizeof zstd, &p, &err);

    (void)state;
    tch_packed_close(p);
    if (status == 0) {
        assert_reads(zstd, sizeof zstd, plain);
        return;
    }
    assert_int_equal(status, TACHO_EINVAL);
    assert_non_null(strstr(err.message, "libzstd.so.1"));
}

static void refuses_truncated_data(void **state)
{
    struct tch_packed *p = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(open_bytes(gzip, sizeof gzip - 3, &p, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "gzip"));
    assert_true(open_bytes(zstd, sizeof zstd - 3, &p, &err) < 0);
    assert_non_null(strstr(err.message, "zstd"));
    assert_null(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_text_and_gzip),
        cmocka_unit_test(reads_zstd_or_says_what_is_missing),
        cmocka_unit_test(refuses_truncated_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
