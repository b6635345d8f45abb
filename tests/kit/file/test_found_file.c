/* Tests reading a folder that somebody else has filled, with links, FIFOs and devices in every
   place. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/file/found_file.h"
#include "support/system.h"

/* Makes run/ with a file and a folder, and a file outside it that must stay unread. */
static void make_run(void)
{
    assert_int_equal(mkdir(test_at("run"), 0777), 0);
    assert_int_equal(mkdir(test_at("run/iter"), 0777), 0);
    assert_int_equal(mkdir(test_at("outside"), 0777), 0);
    test_put(test_at("run/iter/part"), "part");
    test_put(test_at("outside/part"), "secret");
}

static void assert_refused(const char *name, const char *kind)
{
    tacho_error err;

    assert_int_equal(tch_found_open(test_at("run"), name, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, kind));
    assert_non_null(strstr(err.message, name));
    assert_int_equal(tch_found_regular(test_at("run"), name, NULL), 0);
}

static void reads_regular_files_only(void **state)
{
    tacho_error err;
    struct tch_buf b;

    (void)state;
    make_run();
    assert_int_equal(symlink("iter/part", test_at("run/link")), 0);
    assert_int_equal(symlink("/dev/zero", test_at("run/zero")), 0);
    assert_int_equal(mkfifo(test_at("run/fifo"), 0666), 0);
    assert_refused("link", "a symbolic link");
    assert_refused("zero", "a symbolic link");
    assert_refused("fifo", "a FIFO");
    assert_refused("iter", "a folder");
    assert_int_equal(tch_found_open(test_at("run"), "missing", &err), TACHO_EIO);
    assert_int_equal(errno, ENOENT);
    tch_buf_init(&b, 100);
    assert_int_equal(tch_found_read(test_at("run"), "iter/part", 100, &b, NULL), 0);
    assert_string_equal(b.data, "part");
    tch_buf_release(&b);
}

static void follows_no_link_to_a_folder(void **state)
{
    tacho_error err;

    (void)state;
    make_run();
    assert_int_equal(symlink("../outside", test_at("run/away")), 0);
    assert_true(tch_found_open(test_at("run"), "away/part", &err) < 0);
    assert_true(tch_found_open(test_at("run"), "../outside/part", &err) < 0);
    assert_true(tch_found_open(test_at("run"), "iter/../../outside/part", &err) < 0);
    assert_true(tch_found_open(test_at("run"), "iter//part", &err) < 0);
    assert_int_equal(tch_found_remove(test_at("run"), "away/part"), -1);
    test_assert_content(test_at("outside/part"), "secret");
    /* The user chose the folder itself, so that may be a link. */
    assert_int_equal(symlink("run", test_at("latest")), 0);
    assert_int_equal(tch_found_regular(test_at("latest"), "iter/part", NULL), 1);
}

static int add_name(void *ctx, const char *name, tacho_error *err)
{
    (void)err;
    tch_buf_addf(ctx, "%s ", name);
    return strcmp(name, "iter/stop") == 0 ? 7 : 0;
}

static void lists_names_in_order(void **state)
{
    struct tch_buf b;

    (void)state;
    make_run();
    test_put(test_at("run/iter/.hidden"), "");
    test_put(test_at("run/iter/a"), "");
    assert_int_equal(symlink("../outside", test_at("run/away")), 0);
    tch_buf_init(&b, 1000);
    assert_int_equal(tch_found_each(test_at("run"), "iter", add_name, &b, NULL), 0);
    assert_string_equal(b.data, "iter/a iter/part ");
    tch_buf_clear(&b);
    assert_int_equal(tch_found_each(test_at("run"), ".", add_name, &b, NULL), 0);
    assert_string_equal(b.data, "away iter ");
    tch_buf_clear(&b);
    assert_int_equal(tch_found_each(test_at("run"), "missing", add_name, &b, NULL), 0);
    assert_int_equal(tch_found_each(test_at("run"), "away", add_name, &b, NULL), 0);
    assert_int_equal(b.len, 0);
    test_put(test_at("run/iter/stop"), "");
    test_put(test_at("run/iter/z"), "");
    assert_int_equal(tch_found_each(test_at("run"), "iter", add_name, &b, NULL), 7);
    assert_null(strstr(b.data, "iter/z"));
    tch_buf_release(&b);
}

static void replaces_the_link_and_not_its_target(void **state)
{
    struct stat st;

    (void)state;
    make_run();
    assert_int_equal(symlink("../outside/part", test_at("run/report.html")), 0);
    assert_int_equal(mkfifo(test_at("run/fifo"), 0666), 0);
    assert_int_equal(tch_found_write(test_at("run"), "report.html", "new", 3, false, NULL), 0);
    assert_int_equal(tch_found_write(test_at("run"), "fifo", "new", 3, true, NULL), 0);
    test_assert_content(test_at("run/report.html"), "new");
    test_assert_content(test_at("run/fifo"), "new");
    test_assert_content(test_at("outside/part"), "secret");
    assert_int_equal(lstat(test_at("run/report.html"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(test_folder_count(test_at("run")), 3);

    assert_int_equal(symlink("../outside", test_at("run/away")), 0);
    assert_true(tch_found_write(test_at("run"), "away/part", "new", 3, false, NULL) < 0);
    assert_true(tch_found_write(test_at("run"), "iter", "new", 3, false, NULL) < 0);
    test_assert_content(test_at("outside/part"), "secret");
}

static void removes_links_files_and_empty_folders(void **state)
{
    (void)state;
    make_run();
    assert_int_equal(symlink("../outside/part", test_at("run/link")), 0);
    assert_int_equal(tch_found_remove(test_at("run"), "link"), 0);
    test_assert_content(test_at("outside/part"), "secret");
    assert_int_equal(tch_found_remove(test_at("run"), "iter"), -1);
    assert_int_equal(tch_found_remove(test_at("run"), "iter/part"), 0);
    assert_int_equal(tch_found_remove(test_at("run"), "iter"), 0);
    assert_int_equal(test_folder_count(test_at("run")), 0);
}

static void makes_folders_but_follows_no_link(void **state)
{
    tacho_error err;
    struct stat st;

    (void)state;
    make_run();
    assert_int_equal(tch_found_mkdir(test_at("run"), "iter", &err), 0);
    assert_int_equal(tch_found_mkdir(test_at("run"), "iter/0001", &err), 0);
    assert_int_equal(stat(test_at("run/iter/0001"), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(symlink("../outside", test_at("run/away")), 0);
    assert_int_equal(tch_found_mkdir(test_at("run"), "away", &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "run/away' is a symbolic link, not a folder; remove it"));
    assert_int_equal(tch_found_mkdir(test_at("run"), "iter/part", &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "is a file, not a folder"));
    assert_int_equal(tch_found_mkdir(test_at("run"), "away/0001", &err), TACHO_EIO);
    assert_int_equal(tch_found_mkdir(test_at("run"), "../outside/0001", &err), TACHO_EIO);
    assert_int_equal(stat(test_at("outside/0001"), &st), -1);
}

/* A file that cannot be examined is not a missing file: its reader would leave it out silently. */
static void a_failure_is_not_a_missing_file(void **state)
{
    struct rlimit before;
    struct rlimit none;
    tacho_error err;
    int status;

    (void)state;
    make_run();
    assert_int_equal(tch_found_regular(test_at("run"), "iter/other", &err), 0);
    assert_int_equal(tch_found_regular(test_at("run"), "other/part", &err), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    status = tch_found_regular(test_at("run"), "iter/part", &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, TACHO_EIO);
    assert_int_equal(err.system_errno, EMFILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(reads_regular_files_only),
        TEST_IN_HOME(follows_no_link_to_a_folder),
        TEST_IN_HOME(lists_names_in_order),
        TEST_IN_HOME(replaces_the_link_and_not_its_target),
        TEST_IN_HOME(removes_links_files_and_empty_folders),
        TEST_IN_HOME(makes_folders_but_follows_no_link),
        TEST_IN_HOME(a_failure_is_not_a_missing_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
