/* Whole files: limits, atomic replacement, folders, and what happens on a full disk. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "support/system.h"

static char home[TEST_FOLDER];

/* home/name, in one of four buffers that take turns. */
static const char *at(const char *name)
{
    static char paths[4][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 4];

    snprintf(path, PATH_MAX, "%s/%s", home, name);
    return path;
}

static int make_home(void **state)
{
    (void)state;
    test_folder_make(home);
    return 0;
}

static int remove_home(void **state)
{
    (void)state;
    test_folder_remove(home);
    return 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *path, const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read(path, 1 << 20, &b, NULL), 0);
    assert_string_equal(b.data, text);
    tch_buf_release(&b);
}

static void reads_a_file_behind_what_the_buffer_holds(void **state)
{
    struct tch_buf b;

    (void)state;
    put(at("a"), "hello");
    tch_buf_init(&b, 100);
    tch_buf_adds(&b, "> ");
    assert_int_equal(tch_file_read(at("a"), 100, &b, NULL), 0);
    assert_string_equal(b.data, "> hello");
    tch_buf_release(&b);
}

static void reads_an_empty_file(void **state)
{
    (void)state;
    put(at("a"), "");
    assert_content(at("a"), "");
}

static void takes_exactly_the_limit(void **state)
{
    tacho_error err;
    struct tch_buf b;

    (void)state;
    put(at("a"), "12345");
    tch_buf_init(&b, 100);
    tch_buf_adds(&b, "x");
    assert_int_equal(tch_file_read(at("a"), 4, &b, &err), TACHO_ELIMIT);
    assert_non_null(strstr(err.message, "more than 4 bytes"));
    assert_non_null(strstr(err.message, at("a")));
    assert_string_equal(b.data, "x"); /* as before */
    assert_int_equal(tch_file_read(at("a"), 5, &b, &err), 0);
    assert_string_equal(b.data, "x12345");
    tch_buf_release(&b);
}

static void the_buffers_own_limit_counts_too(void **state)
{
    tacho_error err;
    struct tch_buf b;

    (void)state;
    put(at("a"), "12345");
    tch_buf_init(&b, 4);
    assert_int_equal(tch_file_read(at("a"), 100, &b, &err), TACHO_ELIMIT);
    assert_int_equal(b.len, 0);
    assert_false(b.failed);
    tch_buf_release(&b);
}

static void reads_files_that_do_not_tell_their_size(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read("/proc/self/status", 1 << 20, &b, NULL), 0);
    assert_non_null(strstr(b.data, "VmRSS"));
    tch_buf_release(&b);
}

static void reads_a_pipe_to_its_end(void **state)
{
    enum { SIZE = 300000 };
    struct tch_buf b;
    int fds[2];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < SIZE / 1000; i++) {
            char piece[1000];

            memset(piece, 'p', sizeof piece);
            if (tch_write_all(fds[1], "pipe", piece, sizeof piece, NULL) < 0)
                _exit(1);
        }
        _exit(0);
    }
    close(fds[1]);
    tch_buf_init(&b, SIZE);
    assert_int_equal(tch_file_read_fd(fds[0], "pipe", SIZE, &b, NULL), 0);
    assert_int_equal(b.len, SIZE);
    close(fds[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    tch_buf_release(&b);
}

static void assert_unreadable(const char *path, int number)
{
    tacho_error err;
    struct tch_buf b;

    tch_buf_init(&b, 100);
    assert_int_equal(tch_file_read(path, 100, &b, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, number);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(b.len, 0);
    tch_buf_release(&b);
}

static void names_the_file_that_cannot_be_read(void **state)
{
    (void)state;
    assert_unreadable(at("gone"), ENOENT);
    assert_unreadable(home, EISDIR);
    put(at("a"), "");
    assert_unreadable(at("a/b"), ENOTDIR);
}

static int read_as_nobody(void *arg)
{
    tacho_error err = {0};
    struct tch_buf b;

    test_become_nobody();
    tch_buf_init(&b, 100);
    return tch_file_read(arg, 100, &b, &err) == TACHO_EIO ? err.system_errno : 0;
}

static void an_unreadable_file_is_an_error(void **state)
{
    (void)state;
    put(at("secret"), "x");
    assert_int_equal(chmod(home, 0755), 0);
    assert_int_equal(chmod(at("secret"), 0), 0);
    assert_int_equal(test_in_child(read_as_nobody, (void *)at("secret")), EACCES);
}

static void a_file_that_vanishes_while_it_is_read_is_read(void **state)
{
    struct tch_buf b;
    int fd;

    (void)state;
    put(at("a"), "still here");
    fd = open(at("a"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(unlink(at("a")), 0);
    tch_buf_init(&b, 100);
    assert_int_equal(tch_file_read_fd(fd, "a", 100, &b, NULL), 0);
    assert_string_equal(b.data, "still here");
    tch_buf_release(&b);
    close(fd);
}

static void makes_a_new_file_as_the_umask_says(void **state)
{
    struct stat st;
    mode_t before = umask(027);

    (void)state;
    assert_int_equal(tch_file_replace(at("new"), "abc", 3, false, NULL), 0);
    umask(before);
    assert_content(at("new"), "abc");
    assert_int_equal(stat(at("new"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(test_folder_count(home), 1);
}

static void replaces_a_file_and_keeps_its_mode(void **state)
{
    struct stat st;

    (void)state;
    put(at("a"), "old and longer");
    assert_int_equal(chmod(at("a"), 0604), 0);
    assert_int_equal(tch_file_replace(at("a"), "new", 3, true, NULL), 0);
    assert_content(at("a"), "new");
    assert_int_equal(stat(at("a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0604);
    assert_int_equal(test_folder_count(home), 1);
}

static void whoever_has_it_open_keeps_the_old_content(void **state)
{
    struct tch_buf b;
    int fd;

    (void)state;
    put(at("a"), "old");
    fd = open(at("a"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(tch_file_replace(at("a"), "new", 3, false, NULL), 0);
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
    assert_int_equal(mkdir(at("sub"), 0777), 0);
    put(at("sub/real"), "old");
    assert_int_equal(symlink("real", at("sub/second")), 0);
    assert_int_equal(symlink("sub/second", at("first")), 0);
    assert_int_equal(tch_file_replace(at("first"), "new", 3, false, NULL), 0);
    assert_content(at("sub/real"), "new");
    assert_int_equal(lstat(at("first"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));

    assert_int_equal(symlink("sub/fresh", at("dangling")), 0);
    assert_int_equal(tch_file_replace(at("dangling"), "made", 4, false, NULL), 0);
    assert_content(at("sub/fresh"), "made");

    assert_int_equal(symlink("loop", at("loop")), 0);
    assert_int_equal(tch_file_replace(at("loop"), "x", 1, false, NULL), TACHO_EIO);
}

static void what_cannot_be_replaced_is_written_to(void **state)
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
    assert_no_replace(home, EISDIR);
    assert_no_replace(at("no/such/folder"), ENOENT);
    assert_no_replace(at(longest), ENAMETOOLONG);
    assert_no_replace("/dev/full", ENOSPC);
    assert_no_replace("", ENOENT);
    assert_int_equal(test_folder_count(home), 0);
}

static void the_longest_name_can_be_replaced(void **state)
{
    char name[NAME_MAX + 1];

    (void)state;
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    assert_int_equal(tch_file_replace(at(name), "x", 1, false, NULL), 0);
    assert_content(at(name), "x");
}

static void nothing_is_seen_before_the_commit(void **state)
{
    struct tch_replace r;

    (void)state;
    put(at("a"), "old");
    assert_int_equal(tch_replace_open(&r, at("a"), NULL), 0);
    assert_int_equal(tch_replace_write(&r, "ne", 2, NULL), 0);
    assert_content(at("a"), "old");
    assert_int_equal(tch_replace_write(&r, "w", 1, NULL), 0);
    assert_int_equal(tch_replace_commit(&r, NULL), 0);
    assert_content(at("a"), "new");
    tch_replace_abort(&r);
    assert_content(at("a"), "new");
}

static void an_abort_leaves_no_trace(void **state)
{
    struct tch_replace r;

    (void)state;
    assert_int_equal(tch_replace_open(&r, at("a"), NULL), 0);
    assert_int_equal(tch_replace_write(&r, "x", 1, NULL), 0);
    assert_int_equal(test_folder_count(home), 1);
    tch_replace_abort(&r);
    tch_replace_abort(&r);
    assert_int_equal(test_folder_count(home), 0);
}

static void a_change_of_folder_does_not_move_the_file(void **state)
{
    char before[PATH_MAX];
    struct tch_replace r;

    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(home), 0);
    assert_int_equal(tch_replace_open(&r, "relative", NULL), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(tch_replace_commit(&r, NULL), 0);
    assert_int_equal(chdir(before), 0);
    assert_content(at("relative"), "");
}

static void a_failed_rename_leaves_no_temporary_file(void **state)
{
    tacho_error err;
    struct tch_replace r;

    (void)state;
    assert_int_equal(tch_replace_open(&r, at("a"), NULL), 0);
    assert_int_equal(mkdir(at("a"), 0777), 0); /* something came in between */
    assert_int_equal(tch_replace_commit(&r, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, EISDIR);
    assert_int_equal(test_folder_count(home), 1);
}

static void says_that_the_disk_is_full(void **state)
{
    tacho_error err;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(tch_write_all(fd, "out.json", "x", 1, &err), TACHO_EIO);
    assert_string_equal(err.message, "cannot write 'out.json': No space left on device");
    close(fd);
}

static void on_alarm(int signal)
{
    (void)signal;
}

/* The pipe is full most of the time, so that signals interrupt and shorten the writes. */
static void signals_do_not_shorten_what_is_written(void **state)
{
    enum { SIZE = 1 << 20 };
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
    struct itimerval never = {.it_value = {.tv_usec = 0}};
    char *data = calloc(SIZE, 1);
    int fds[2];
    int status;
    pid_t pid;

    (void)state;
    assert_non_null(data);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        size_t got = 0;
        ssize_t n;

        close(fds[1]);
        while ((n = read(fds[0], data, 3000)) > 0) {
            got += (size_t)n;
            usleep(20);
        }
        _exit(got == SIZE ? 0 : 1);
    }
    close(fds[0]);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    assert_int_equal(tch_write_all(fds[1], "pipe", data, SIZE, NULL), 0);
    setitimer(ITIMER_REAL, &never, NULL);
    close(fds[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    free(data);
}

/* In a namespace of its own: a tmpfs of 64 KiB. 77: there can be none here. */
static int fill_a_small_disk(void *arg)
{
    enum { SIZE = 256 * 1024 };
    static char big[SIZE];
    const char *path = at("disk/out");
    struct tch_buf b;
    tacho_error err = {0};

    (void)arg;
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", at("disk"), "tmpfs", 0, "size=64k") < 0)
        return 77;
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
    if (test_folder_count(at("disk")) != 1)
        return 5;
    /* Nor does a file appear that was not there. */
    if (tch_file_replace(at("disk/other"), big, sizeof big, false, &err) != TACHO_EIO)
        return 6;
    return test_folder_count(at("disk")) == 1 ? 0 : 7;
}

static void a_full_disk_leaves_the_old_content(void **state)
{
    int result;

    (void)state;
    assert_int_equal(mkdir(at("disk"), 0777), 0);
    result = test_in_child(fill_a_small_disk, NULL);
    if (result == 77) {
        print_message("skipped: mounting a tmpfs needs root and CAP_SYS_ADMIN\n");
        skip();
    }
    assert_int_equal(result, 0);
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
    assert_int_equal(chmod(home, 0555), 0);
    assert_int_equal(test_in_child(replace_as_nobody, (void *)at("a")), EACCES);
    assert_int_equal(chmod(home, 0755), 0);
    assert_int_equal(test_folder_count(home), 0);
}

static void makes_folders_as_deep_as_asked(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(tch_mkdirs(at("a//b/c/"), NULL), 0);
    assert_int_equal(stat(at("a/b/c"), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(tch_mkdirs(at("a/b/c"), NULL), 0); /* again is fine */
    assert_int_equal(tch_mkdirs("/", NULL), 0);
    assert_int_equal(tch_mkdirs(".", NULL), 0);
}

static void names_the_part_that_is_a_file(void **state)
{
    tacho_error err;
    char want[256];

    (void)state;
    put(at("f"), "");
    assert_int_equal(tch_mkdirs(at("f/x/y"), &err), TACHO_EIO);
    assert_int_equal(err.system_errno, ENOTDIR);
    snprintf(want, sizeof want, "'%s' is a file", at("f"));
    assert_non_null(strstr(err.message, want));
    assert_int_equal(tch_mkdirs(at("f"), &err), TACHO_EIO);
    assert_int_equal(err.system_errno, EEXIST);
    assert_int_equal(tch_mkdirs("", &err), TACHO_EIO);
    assert_int_equal(tch_mkdirs("/proc/none/such", &err), TACHO_EIO);
}

static int read_big(void *arg)
{
    struct tch_buf b;
    tacho_error err;
    int result;

    tch_buf_init(&b, 1 << 20);
    result = tch_file_read(arg, 1 << 20, &b, &err);
    tch_buf_release(&b);
    if (result < 0)
        assert_int_equal(result, TACHO_ENOMEM);
    return result;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    put(at("a"), "some text");
    test_every_allocation_fails(read_big, (void *)at("a"));
    test_every_allocation_fails(read_big, "/proc/self/maps");
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, remove_home)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOME(reads_a_file_behind_what_the_buffer_holds),
        IN_HOME(reads_an_empty_file),
        IN_HOME(takes_exactly_the_limit),
        IN_HOME(the_buffers_own_limit_counts_too),
        IN_HOME(reads_files_that_do_not_tell_their_size),
        IN_HOME(reads_a_pipe_to_its_end),
        IN_HOME(names_the_file_that_cannot_be_read),
        IN_HOME(an_unreadable_file_is_an_error),
        IN_HOME(a_file_that_vanishes_while_it_is_read_is_read),
        IN_HOME(makes_a_new_file_as_the_umask_says),
        IN_HOME(replaces_a_file_and_keeps_its_mode),
        IN_HOME(whoever_has_it_open_keeps_the_old_content),
        IN_HOME(replaces_what_a_link_points_to),
        IN_HOME(what_cannot_be_replaced_is_written_to),
        IN_HOME(names_the_file_that_cannot_be_replaced),
        IN_HOME(the_longest_name_can_be_replaced),
        IN_HOME(nothing_is_seen_before_the_commit),
        IN_HOME(an_abort_leaves_no_trace),
        IN_HOME(a_change_of_folder_does_not_move_the_file),
        IN_HOME(a_failed_rename_leaves_no_temporary_file),
        IN_HOME(says_that_the_disk_is_full),
        IN_HOME(signals_do_not_shorten_what_is_written),
        IN_HOME(a_full_disk_leaves_the_old_content),
        IN_HOME(a_folder_that_may_not_be_written_to_is_an_error),
        IN_HOME(makes_folders_as_deep_as_asked),
        IN_HOME(names_the_part_that_is_a_file),
        IN_HOME(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
