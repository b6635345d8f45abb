/* Tests reading and writing whole files and making folders. test_file_replace.c tests replacing
   files. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "support/system.h"

static void appends_a_file_to_the_buffer(void **state)
{
    struct tch_buf b;

    (void)state;
    test_put(test_at("a"), "hello");
    tch_buf_init(&b, 100);
    tch_buf_adds(&b, "> ");
    assert_int_equal(tch_file_read(test_at("a"), 100, &b, NULL), 0);
    assert_string_equal(b.data, "> hello");
    tch_buf_release(&b);
}

static void reads_an_empty_file(void **state)
{
    struct tch_buf b;

    (void)state;
    test_put(test_at("a"), "");
    tch_buf_init(&b, 100);
    assert_int_equal(tch_file_read(test_at("a"), 100, &b, NULL), 0);
    assert_string_equal(b.data, "");
    tch_buf_release(&b);
}

static void takes_exactly_the_limit(void **state)
{
    tacho_error err;
    struct tch_buf b;

    (void)state;
    test_put(test_at("a"), "12345");
    tch_buf_init(&b, 100);
    tch_buf_adds(&b, "x");
    assert_int_equal(tch_file_read(test_at("a"), 4, &b, &err), TACHO_ELIMIT);
    assert_non_null(strstr(err.message, "more than 4 bytes"));
    assert_non_null(strstr(err.message, test_at("a")));
    assert_string_equal(b.data, "x"); /* unchanged */
    assert_int_equal(tch_file_read(test_at("a"), 5, &b, &err), 0);
    assert_string_equal(b.data, "x12345");
    tch_buf_release(&b);
}

static void the_buffers_own_limit_counts_too(void **state)
{
    tacho_error err;
    struct tch_buf b;

    (void)state;
    test_put(test_at("a"), "12345");
    tch_buf_init(&b, 4);
    assert_int_equal(tch_file_read(test_at("a"), 100, &b, &err), TACHO_ELIMIT);
    assert_int_equal(b.len, 0);
    assert_false(b.failed);
    tch_buf_release(&b);
}

static void reads_files_of_unknown_size(void **state)
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
    assert_unreadable(test_at("gone"), ENOENT);
    assert_unreadable(test_home, EISDIR);
    test_put(test_at("a"), "");
    assert_unreadable(test_at("a/b"), ENOTDIR);
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
    test_put(test_at("secret"), "x");
    assert_int_equal(chmod(test_home, 0755), 0);
    assert_int_equal(chmod(test_at("secret"), 0), 0);
    assert_int_equal(test_in_child(read_as_nobody, (void *)test_at("secret")), EACCES);
}

static void a_file_that_vanishes_while_it_is_read_is_read(void **state)
{
    struct tch_buf b;
    int fd;

    (void)state;
    test_put(test_at("a"), "still here");
    fd = open(test_at("a"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(unlink(test_at("a")), 0);
    tch_buf_init(&b, 100);
    assert_int_equal(tch_file_read_fd(fd, "a", 100, &b, NULL), 0);
    assert_string_equal(b.data, "still here");
    tch_buf_release(&b);
    close(fd);
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

static void start_signals(void)
{
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
    struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};

    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void stop_signals(void)
{
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){.it_interval = {0}}, NULL), 0);
}

/* The pipe is full most of the time, so signals interrupt writes and make them short. */
static void signals_do_not_shorten_writes(void **state)
{
    enum { SIZE = 1 << 20 };
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
        usleep(20000);
        while ((n = read(fds[0], data, 3000)) > 0)
            got += (size_t)n;
        _exit(got == SIZE ? 0 : 1);
    }
    close(fds[0]);
    start_signals();
    assert_int_equal(tch_write_all(fds[1], "pipe", data, SIZE, NULL), 0);
    stop_signals();
    close(fds[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    free(data);
}

static void signals_do_not_shorten_reads(void **state)
{
    struct tch_buf b;
    int fds[2];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        usleep(20000);
        _exit(tch_write_all(fds[1], "pipe", "late", 4, NULL) == 0 ? 0 : 1);
    }
    close(fds[1]);
    tch_buf_init(&b, 100);
    start_signals();
    assert_int_equal(tch_file_read_fd(fds[0], "pipe", 100, &b, NULL), 0);
    stop_signals();
    assert_string_equal(b.data, "late");
    tch_buf_release(&b);
    close(fds[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void makes_folders_as_deep_as_asked(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(tch_mkdirs(test_at("a//b/c/"), NULL), 0);
    assert_int_equal(stat(test_at("a/b/c"), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(tch_mkdirs(test_at("a/b/c"), NULL), 0); /* again is fine */
    assert_int_equal(tch_mkdirs("/", NULL), 0);
    assert_int_equal(tch_mkdirs(".", NULL), 0);
}

static void names_the_part_that_is_a_file(void **state)
{
    tacho_error err;
    char want[256];

    (void)state;
    test_put(test_at("f"), "");
    assert_int_equal(tch_mkdirs(test_at("f/x/y"), &err), TACHO_EIO);
    assert_int_equal(err.system_errno, ENOTDIR);
    snprintf(want, sizeof want, "'%s' is a file", test_at("f"));
    assert_non_null(strstr(err.message, want));
    assert_int_equal(tch_mkdirs(test_at("f"), &err), TACHO_EIO);
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
    test_put(test_at("a"), "some text");
    test_every_allocation_fails(read_big, (void *)test_at("a"));
    test_every_allocation_fails(read_big, "/proc/self/maps");
}

static void finds_the_folder_before_a_name(void **state)
{
    static const struct {
        const char *path;
        size_t name;
        const char *folder;
    } cases[] = {{"x", 0, "."}, {"/x", 1, "/"}, {"a/x", 2, "a"}, {"/a//x", 4, "/a"}};
    char folder[PATH_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tch_folder_before(folder, cases[i].path, cases[i].path + cases[i].name);
        assert_string_equal(folder, cases[i].folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_folder_before_a_name),
        TEST_IN_HOME(appends_a_file_to_the_buffer),
        TEST_IN_HOME(reads_an_empty_file),
        TEST_IN_HOME(takes_exactly_the_limit),
        TEST_IN_HOME(the_buffers_own_limit_counts_too),
        TEST_IN_HOME(reads_files_of_unknown_size),
        TEST_IN_HOME(reads_a_pipe_to_its_end),
        TEST_IN_HOME(names_the_file_that_cannot_be_read),
        TEST_IN_HOME(an_unreadable_file_is_an_error),
        TEST_IN_HOME(a_file_that_vanishes_while_it_is_read_is_read),
        TEST_IN_HOME(says_that_the_disk_is_full),
        TEST_IN_HOME(signals_do_not_shorten_writes),
        TEST_IN_HOME(signals_do_not_shorten_reads),
        TEST_IN_HOME(makes_folders_as_deep_as_asked),
        TEST_IN_HOME(names_the_part_that_is_a_file),
        TEST_IN_HOME(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
