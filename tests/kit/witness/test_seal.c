/* Tests that a seal finds every file that was changed, added or removed, and a change of the seal
   itself. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/witness/folder_seal.h"
#include "support/system.h"

static void make_folder(void)
{
    test_put(test_at("run.json"), "{}\n");
    test_put(test_at("empty"), "");
    assert_int_equal(mkdir(test_at("iter"), 0777), 0);
    assert_int_equal(mkdir(test_at("iter/0001"), 0777), 0);
    test_put(test_at("iter/0001/profile.jsonl"), "a line\n");
    assert_int_equal(symlink("run.json", test_at("link")), 0);
    assert_int_equal(mkdir(test_at("void"), 0777), 0);
}

static int make_sealed(void **state)
{
    struct tch_seal_info info;

    if (test_home_make(state) != 0)
        return -1;
    make_folder();
    return tch_seal_write(test_home, &info, NULL);
}

static int remove_sealed(void **state)
{
    unlink(test_at("iter/0001/profile.jsonl"));
    rmdir(test_at("iter/0001"));
    rmdir(test_at("iter"));
    rmdir(test_at("void"));
    return test_home_remove(state);
}

#define SEALED(test) cmocka_unit_test_setup_teardown(test, make_sealed, remove_sealed)

static int add_what(const char *file, const char *what, void *ctx)
{
    char *text = ctx;

    snprintf(text + strlen(text), 256 - strlen(text), "%s %s\n", file, what);
    return 0;
}

static void expect(int status, const char *what)
{
    struct tch_seal_info info;
    char text[256] = "";
    tacho_error err;

    assert_int_equal(tch_seal_check(test_home, add_what, text, &info, &err), status);
    assert_string_equal(text, what);
}

static void what_was_not_touched_is_as_sealed(void **state)
{
    struct tch_seal_info info;

    (void)state;
    assert_true(tch_seal_there(test_home));
    assert_int_equal(tch_seal_check(test_home, NULL, NULL, &info, NULL), 0);
    assert_int_equal(info.files, 5); /* including the link and the empty folder */
    assert_int_equal(info.bytes, 18);
}

static void what_changed_is_named(void **state)
{
    (void)state;
    test_put(test_at("iter/0001/profile.jsonl"), "a lime\n");
    expect(1, "iter/0001/profile.jsonl was changed\n");
    unlink(test_at("empty"));
    test_put(test_at("new"), "x");
    expect(1, "empty is missing\niter/0001/profile.jsonl was changed\n"
              "new was added after the folder was sealed\n");
    unlink(test_at("new"));
}

/* Additions of any kind are found, because readers must not find anything that was not sealed. */
static void what_was_added_is_named_whatever_it_is(void **state)
{
    (void)state;
    assert_int_equal(symlink("/etc/hostname", test_at("profile.jsonl")), 0);
    assert_int_equal(mkfifo(test_at("power.csv"), 0666), 0);
    assert_int_equal(mkdir(test_at("iter/0002"), 0777), 0);
    expect(1, "iter/0002/ was added after the folder was sealed\npower.csv was added after the "
              "folder was sealed\n"
              "profile.jsonl was added after the folder was sealed\n");
    unlink(test_at("profile.jsonl"));
    unlink(test_at("power.csv"));
    rmdir(test_at("iter/0002"));
    expect(0, "");
}

static void what_became_another_kind_is_named(void **state)
{
    (void)state;
    unlink(test_at("link"));
    assert_int_equal(symlink("empty", test_at("link")), 0);
    unlink(test_at("run.json"));
    assert_int_equal(symlink("empty", test_at("run.json")), 0);
    rmdir(test_at("void"));
    expect(1, "link was changed\nrun.json was changed\nvoid/ is missing\n");
}

/* Two names that differ only in bytes that are not UTF-8. */
static void names_are_sealed_by_their_bytes(void **state)
{
    struct tch_seal_info info;

    (void)state;
    test_put(test_at("a\xff"), "one");
    assert_int_equal(tch_seal_write(test_home, &info, NULL), 0);
    expect(0, "");
    assert_int_equal(rename(test_at("a\xff"), test_at("a\xfe")), 0);
    expect(1, "a\xfe was added after the folder was sealed\na\xff is missing\n");
    unlink(test_at("a\xfe"));
}

static void what_has_no_content_is_not_sealed(void **state)
{
    struct tch_seal_info info;
    tacho_error err;

    (void)state;
    assert_int_equal(mkfifo(test_at("fifo"), 0666), 0);
    assert_int_equal(tch_seal_write(test_home, &info, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "fifo"));
    unlink(test_at("fifo"));
}

static void a_run_may_expect_a_seal(void **state)
{
    (void)state;
    assert_false(tch_seal_expected(test_home));
    test_put(test_at("run.json"), "{\"plan\":{\"runs\":2,\"seal\":true}}");
    assert_true(tch_seal_expected(test_home));
    test_put(test_at("run.json"), "{\"plan\":{\"seal\":false}}");
    assert_false(tch_seal_expected(test_home));
}

/* Flips one bit of each byte of the seal, one after the other. */
static void a_changed_seal_is_found(void **state)
{
    const char *path = test_at(TCH_SEAL_FILE);
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read(path, 1 << 20, &b, NULL), 0);
    for (size_t i = 0; i < b.len; i++) {
        struct tch_seal_line *lines;
        char hash[TCH_SHA256_HEX];
        size_t count;
        tacho_error err;

        b.data[i] = (char)(b.data[i] ^ 1 << i % 8);
        assert_int_equal(tch_seal_parse(b.data, b.len, &lines, &count, hash, &err), TACHO_EPARSE);
        assert_true(err.line > 0);
        b.data[i] = (char)(b.data[i] ^ 1 << i % 8);
        assert_int_equal(tch_seal_parse(b.data, i, &lines, &count, hash, &err), TACHO_EPARSE);
    }
    tch_buf_release(&b);
}

static void sealing_again_takes_the_folder_as_it_is(void **state)
{
    struct tch_seal_info info;

    (void)state;
    test_put(test_at("empty"), "not any more");
    assert_int_equal(tch_seal_write(test_home, &info, NULL), 0);
    expect(0, "");
}

static int seal_and_check(void *arg)
{
    struct tch_seal_info info;

    (void)arg;
    if (tch_seal_write(test_home, &info, NULL) < 0)
        return -1;
    return tch_seal_check(test_home, NULL, NULL, &info, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(seal_and_check, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEALED(what_was_not_touched_is_as_sealed), SEALED(what_changed_is_named),
        SEALED(a_changed_seal_is_found),           SEALED(sealing_again_takes_the_folder_as_it_is),
        SEALED(survives_every_failing_allocation), SEALED(what_was_added_is_named_whatever_it_is),
        SEALED(what_became_another_kind_is_named), SEALED(names_are_sealed_by_their_bytes),
        SEALED(what_has_no_content_is_not_sealed), SEALED(a_run_may_expect_a_seal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
