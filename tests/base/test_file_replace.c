/* Tests replacing a file: it has the old content or all of the new, also on a full disk. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/system.h"

static void makes_a_new_file_as_the_umask_says(void **state)
{
    struct stat st;
    mode_t before = umask(027);

    (void)state;
    assert_int_equal(tch_file_replace(test_at("new"), "abc", 3, false, NULL), 0);
    umask(before);
    test_assert_content(test_at("new"), "abc");
    assert_int_equal(stat(test_at("new"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(test_folder_count(test_home), 1);
}

static void replaces_a_file_and_keeps_its_mode(void **state)
{
    struct stat st;

    (void)state;
    test_put(test_at("a"), "old and longer");
    assert_int_equal(chmod(test_at("a"), 06662), 0); /* the set-uid bits do not stay */
    assert_int_equal(tch_file_replace(test_at("a"), "new", 3, true, NULL), 0);
    test_assert_content(test_at("a"), "new");
    assert_int_equal(stat(test_at("a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0662);
    assert_int_equal(test_folder_count(test_home), 1);
}

static void open_descriptors_keep_the_old_content(void **state)
{
    struct tch_buf b;
    int fd;

    (void)state;
    test_put(test_at("a"), "old");
    fd = open(test_at("a"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(tch_file_replace(test_at("a"), "new", 3, false, NULL), 0);
    tch_buf_init(&b, 100);
    assert_int_equal(tch_file_read_fd(fd, "a", 100, &b, NULL), 0);
    assert_string_equal(b.data, "old");
    tch_buf_release(&b);
    close(fd);
}

static void replaces_what_a_link_points_to(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkdir(test_at("sub"), 0777), 0);
    test_put(test_at("sub/real"), "old");
    assert_int_equal(symlink("real", test_at("sub/second")), 0);
    assert_int_equal(symlink("sub/second", test_at("first")), 0);
    assert_int_equal(tch_file_replace(test_at("first"), "new", 3, false, NULL), 0);
    test_assert_content(test_at("sub/real"), "new");
    assert_int_equal(lstat(test_at("first"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));

    assert_int_equal(symlink("sub/fresh", test_at("dangling")), 0);
    assert_int_equal(tch_file_replace(test_at("dangling"), "made", 4, false, NULL), 0);
    test_assert_content(test_at("sub/fresh"), "made");

    assert_int_equal(symlink("loop", test_at("loop")), 0);
    assert_int_equal(tch_file_replace(test_at("loop"), "x", 1, false, NULL), TACHO_EIO);
}

static void devices_are_written_to_not_replaced(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(tch_file_replace("/dev/null", "x", 1, true, NULL), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void assert_no_replace(const char *path, int number)
{
    tacho_error err;

    assert_int_equal(tch_file_replace(path, "x", 1, false, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, number);
    assert_non_null(strstr(err.message, "'"));
}

static void names_the_file_that_cannot_be_replaced(void **state)
{
    char longest[300];

    (void)state;
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_no_replace(test_home, EISDIR);
    assert_no_replace(test_at("no/such/folder"), ENOENT);
    assert_no_replace(test_at(longest), ENAMETOOLONG);
    assert_no_replace("/dev/full", ENOSPC);
    assert_no_replace("", ENOENT);
    assert_no_replace(test_at("new/"), EISDIR);
    assert_int_equal(test_folder_count(test_home), 0);
}

static void the_longest_name_can_be_replaced(void **state)
{
    char name[NAME_MAX + 1];

    (void)state;
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    assert_int_equal(tch_file_replace(test_at(name), "x", 1, false, NULL), 0);
    test_assert_content(test_at(name), "x");
}

static void nothing_is_visible_before_the_commit(void **state)
{
    struct tch_replace r;

    (void)state;
    test_put(test_at("a"), "old");
    assert_int_equal(tch_replace_open(&r, test_at("a"), NULL), 0);
    assert_int_equal(tch_replace_write(&r, "ne", 2, NULL), 0);
    test_assert_content(test_at("a"), "old");
    assert_int_equal(tch_replace_write(&r, "w", 1, NULL), 0);
    assert_int_equal(tch_replace_commit(&r, NULL), 0);
    test_assert_content(test_at("a"), "new");
    tch_replace_abort(&r);
    test_assert_content(test_at("a"), "new");
}

static void an_abort_leaves_no_trace(void **state)
{
    struct tch_replace r;

    (void)state;
    assert_int_equal(tch_replace_open(&r, test_at("a"), NULL), 0);
    assert_int_equal(tch_replace_write(&r, "x", 1, NULL), 0);
    assert_int_equal(test_folder_count(test_home), 1);
    tch_replace_abort(&r);
    tch_replace_abort(&r);
    assert_int_equal(test_folder_count(test_home), 0);
}

/* A killed process with our process id may have left such a file. */
static void a_temporary_name_that_is_taken_is_left_alone(void **state)
{
    struct tch_replace r;
    unsigned serial;
    char next[64];
    const char *dot;

    (void)state;
    assert_int_equal(tch_replace_open(&r, test_at("a"), NULL), 0);
    dot = strstr(r.temp, ".tmp");
    assert_non_null(dot);
    while (dot[-1] != '.')
        dot--;
    assert_int_equal(sscanf(dot, "%u", &serial), 1);
    tch_replace_abort(&r);
    snprintf(next, sizeof next, ".a.%ld.%u.tmp", (long)getpid(), serial + 1);
    test_put(test_at(next), "of another");
    assert_int_equal(tch_file_replace(test_at("a"), "new", 3, false, NULL), 0);
    test_assert_content(test_at("a"), "new");
    test_assert_content(test_at(next), "of another");
    assert_int_equal(test_folder_count(test_home), 2);
}

static void a_change_of_folder_does_not_move_the_file(void **state)
{
    char before[PATH_MAX];
    struct tch_replace r;

    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(test_home), 0);
    assert_int_equal(tch_replace_open(&r, "relative", NULL), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(tch_replace_commit(&r, NULL), 0);
    assert_int_equal(chdir(before), 0);
    test_assert_content(test_at("relative"), "");
}

static void a_failed_rename_leaves_no_temporary_file(void **state)
{
    tacho_error err;
    struct tch_replace r;

    (void)state;
    assert_int_equal(tch_replace_open(&r, test_at("a"), NULL), 0);
    assert_int_equal(mkdir(test_at("a"), 0777), 0); /* another process made a folder in between */
    assert_int_equal(tch_replace_commit(&r, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, EISDIR);
    assert_int_equal(test_folder_count(test_home), 1);
}

static int fill_a_small_disk(void)
{
    enum { SIZE = 256 * 1024 };
    static char big[SIZE];
    const char *path = test_at("out");
    struct tch_buf b;
    tacho_error err = {0};

    if (tch_file_replace(path, "old", 3, false, &err) < 0)
        return 1;
    if (tch_file_replace(path, big, sizeof big, true, &err) != TACHO_EIO)
        return 2;
    if (err.system_errno != ENOSPC || !strstr(err.message, path))
        return 3;
    tch_buf_init(&b, 100);
    if (tch_file_read(path, 100, &b, &err) < 0 || strcmp(b.data, "old") != 0)
        return 4;
    tch_buf_release(&b);
    if (test_folder_count(test_home) != 1)
        return 5;
    /* A failed call does not make a new file either. */
    if (tch_file_replace(test_at("other"), big, sizeof big, false, &err) != TACHO_EIO)
        return 6;
    return test_folder_count(test_home) == 1 ? 0 : 7;
}

static void a_full_disk_leaves_the_old_content(void **state)
{
    (void)state;
    test_on_small_disk(64, fill_a_small_disk);
}

static int replace_as_nobody(void *arg)
{
    tacho_error err = {0};

    test_become_nobody();
    return tch_file_replace(arg, "x", 1, false, &err) == TACHO_EIO ? err.system_errno : 0;
}

static void a_folder_that_may_not_be_written_to_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(chmod(test_home, 0555), 0);
    assert_int_equal(test_in_child(replace_as_nobody, (void *)test_at("a")), EACCES);
    assert_int_equal(chmod(test_home, 0755), 0);
    assert_int_equal(test_folder_count(test_home), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(makes_a_new_file_as_the_umask_says),
        TEST_IN_HOME(replaces_a_file_and_keeps_its_mode),
        TEST_IN_HOME(open_descriptors_keep_the_old_content),
        TEST_IN_HOME(replaces_what_a_link_points_to),
        TEST_IN_HOME(devices_are_written_to_not_replaced),
        TEST_IN_HOME(names_the_file_that_cannot_be_replaced),
        TEST_IN_HOME(the_longest_name_can_be_replaced),
        TEST_IN_HOME(nothing_is_visible_before_the_commit),
        TEST_IN_HOME(an_abort_leaves_no_trace),
        TEST_IN_HOME(a_temporary_name_that_is_taken_is_left_alone),
        TEST_IN_HOME(a_change_of_folder_does_not_move_the_file),
        TEST_IN_HOME(a_failed_rename_leaves_no_temporary_file),
        TEST_IN_HOME(a_full_disk_leaves_the_old_content),
        TEST_IN_HOME(a_folder_that_may_not_be_written_to_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
