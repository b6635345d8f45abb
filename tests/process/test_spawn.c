/* Tests starting programs: arguments, environment, redirections, and errors that name the cause. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/spawn.h"
#include "support/system.h"

#define ARGV(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define SH(script) ARGV("sh", "-c", script)

static void put_script(const char *path, const char *text, mode_t mode)
{
    test_put(path, text);
    assert_int_equal(chmod(path, mode), 0);
}

static int run(const struct tch_spawn *s)
{
    struct tch_spawn_end end;
    tacho_error err;
    pid_t pid;

    if (tch_spawn(s, &pid, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(tch_spawn_wait(pid, &end, &err), 0);
    return end.status;
}

static void assert_prints(const struct tch_spawn *s, const char *text)
{
    struct tch_spawn_end end;
    struct tch_buf out;
    tacho_error err;

    tch_buf_init(&out, 10000);
    if (tch_spawn_read(s, 0, &out, &end, &err) < 0)
        fail_msg("%s", err.message);
    assert_string_equal(out.data, text);
    assert_int_equal(end.status, 0);
    tch_buf_release(&out);
}

static void assert_fails(const struct tch_spawn *s, int number, const char *message)
{
    tacho_error err;
    pid_t pid = -7;

    assert_int_equal(tch_spawn(s, &pid, &err), TACHO_EIO);
    assert_string_equal(err.message, message);
    assert_int_equal(err.system_errno, number);
    assert_int_equal(pid, -7);
}

static void finds_the_program_and_passes_arguments(void **state)
{
    (void)state;
    assert_prints(&(struct tch_spawn){.argv = ARGV("printf", "%s|", "a b", "", "$x")}, "a b||$x|");
}

static void reports_how_the_program_exited(void **state)
{
    struct tch_spawn_end end;
    pid_t pid;
    int status = run(&(struct tch_spawn){.argv = SH("exit 7")});

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    status = run(&(struct tch_spawn){.argv = SH("kill -TERM $$")});
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);

    assert_int_equal(tch_spawn(&(struct tch_spawn){.argv = ARGV("true")}, &pid, NULL), 0);
    assert_int_equal(tch_spawn_wait(pid, &end, NULL), 0);
    assert_true(end.usage.ru_maxrss > 0);
    assert_int_equal(tch_spawn_wait(pid, &end, NULL), TACHO_EIO); /* there is no such child now */
}

static void a_missing_program_is_named(void **state)
{
    (void)state;
    assert_fails(&(struct tch_spawn){.argv = ARGV("no-such-program-x")}, ENOENT,
                 "cannot run 'no-such-program-x': No such file or directory "
                 "(is it installed and on PATH?)");
    assert_fails(&(struct tch_spawn){.argv = ARGV("/no/such/program")}, ENOENT,
                 "cannot run '/no/such/program': No such file or directory");
}

static int miss_a_program_as_nobody(void *arg)
{
    struct tch_spawn s = {.argv = ARGV("no-such-program-x")};
    tacho_error err = {0};
    pid_t pid;

    setenv("PATH", arg, 1);
    test_become_nobody();
    return tch_spawn(&s, &pid, &err) == TACHO_EIO ? err.system_errno : 0;
}

static void an_unreadable_folder_on_path_does_not_hide_the_error(void **state)
{
    char path[PATH_MAX];

    (void)state;
    assert_int_equal(mkdir(test_at("closed"), 0), 0);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", test_at("closed"));
    assert_int_equal(chmod(test_home, 0755), 0);
    assert_int_equal(test_in_child(miss_a_program_as_nobody, path), ENOENT);
    assert_int_equal(chmod(test_at("closed"), 0700), 0);
}

static void files_that_are_not_programs_are_named(void **state)
{
    char message[300];

    (void)state;
    put_script(test_at("text"), "just text", 0755);
    snprintf(message, sizeof message,
             "cannot run '%s': Exec format error (no program for this machine; a script must "
             "begin with '#!')",
             test_at("text"));
    assert_fails(&(struct tch_spawn){.argv = ARGV(test_at("text"))}, ENOEXEC, message);
    test_put(test_at("plain"), "#!/bin/sh\n");
    snprintf(message, sizeof message,
             "cannot run '%s': Permission denied (is it a program, and may you run it?)",
             test_at("plain"));
    assert_fails(&(struct tch_spawn){.argv = ARGV(test_at("plain"))}, EACCES, message);
    put_script(test_at("script"), "#!/no/such/interpreter\n", 0755);
    snprintf(message, sizeof message,
             "cannot run '%s': No such file or directory (the interpreter that it asks for is "
             "missing)",
             test_at("script"));
    assert_fails(&(struct tch_spawn){.argv = ARGV(test_at("script"))}, ENOENT, message);
}

static void a_long_name_is_truncated_between_characters(void **state)
{
    char name[400];
    tacho_error err;
    pid_t pid;

    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(name, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\xe2\x82\xac", 4);
        assert_int_equal(tch_spawn(&(struct tch_spawn){.argv = ARGV(name)}, &pid, &err), TACHO_EIO);
        assert_non_null(strstr(err.message, "\xe2\x82\xac': "));
    }
}

static void nothing_to_run_is_refused(void **state)
{
    const char *const none[] = {NULL};
    pid_t pid;

    (void)state;
    assert_int_equal(tch_spawn(&(struct tch_spawn){.argv = none}, &pid, NULL), TACHO_EINVAL);
    assert_int_equal(tch_spawn(&(struct tch_spawn){.argv = NULL}, &pid, NULL), TACHO_EINVAL);
}

static void runs_in_the_folder_asked_for(void **state)
{
    char want[PATH_MAX];

    (void)state;
    assert_non_null(realpath(test_home, want));
    assert_true(strlen(want) + 1 < sizeof want);
    memcpy(want + strlen(want), "\n", 2);
    assert_prints(&(struct tch_spawn){.argv = ARGV("pwd", "-P"), .cwd = test_home}, want);
    put_script(test_at("here"), "#!/bin/sh\necho here\n", 0755);
    assert_prints(&(struct tch_spawn){.argv = ARGV("./here"), .cwd = test_home}, "here\n");
}

static void a_missing_folder_is_not_a_missing_program(void **state)
{
    char message[300];

    (void)state;
    assert_fails(&(struct tch_spawn){.argv = ARGV("true"), .cwd = "/no/such/folder"}, ENOENT,
                 "cannot run 'true' in folder '/no/such/folder': No such file or directory");
    test_put(test_at("file"), "");
    snprintf(message, sizeof message, "cannot run 'true' in folder '%s': Not a directory",
             test_at("file"));
    assert_fails(&(struct tch_spawn){.argv = ARGV("true"), .cwd = test_at("file")}, ENOTDIR,
                 message);
}

static int spawn_as_nobody(void *arg)
{
    struct tch_spawn s = {.argv = ARGV("true"), .cwd = arg};
    tacho_error err = {0};
    pid_t pid;

    test_become_nobody();
    if (tch_spawn(&s, &pid, &err) != TACHO_EIO || !strstr(err.message, "in folder"))
        return 1;
    return err.system_errno == EACCES ? 0 : 2;
}

static void a_folder_that_may_not_be_entered_is_named(void **state)
{
    (void)state;
    assert_int_equal(chmod(test_home, 0700), 0);
    if (geteuid() != 0)
        assert_int_equal(chmod(test_home, 0600), 0);
    assert_int_equal(test_in_child(spawn_as_nobody, test_home), 0);
    assert_int_equal(chmod(test_home, 0700), 0);
}

static void extra_environment_replaces_and_removes_variables(void **state)
{
    struct tch_spawn s = {
        .argv = ARGV("/usr/bin/env"),
        .env = ARGV("A=1", "B=2", "AB=3", "C="),
        .extra_env = ARGV("B=new", "C", "D=first", "D=x=y", "E=1", "E"),
    };

    (void)state;
    assert_prints(&s, "A=1\nAB=3\nB=new\nD=x=y\n");
    s.extra_env = NULL;
    assert_prints(&s, "A=1\nB=2\nAB=3\nC=\n");
}

static void our_environment_is_the_default(void **state)
{
    struct tch_spawn s = {.argv = SH("echo $TACHO_TEST_A $TACHO_TEST_B")};

    (void)state;
    setenv("TACHO_TEST_A", "ours", 1);
    assert_prints(&s, "ours\n");
    s.extra_env = ARGV("TACHO_TEST_B=extra");
    assert_prints(&s, "ours extra\n");
    unsetenv("TACHO_TEST_A");
}

static void redirects_to_and_from_files(void **state)
{
    struct tch_spawn s = {
        .argv = SH("cat; echo error >&2"),
        .io = {{.kind = TCH_IO_READ, .path = test_at("in")},
               {.kind = TCH_IO_WRITE, .path = test_at("out")},
               {.kind = TCH_IO_APPEND, .path = test_at("log")}},
    };

    (void)state;
    test_put(test_at("in"), "input\n");
    test_put(test_at("out"), "something longer from before\n");
    test_put(test_at("log"), "before\n");
    s.io[0].path = test_at("in");
    assert_int_equal(run(&s), 0);
    test_assert_content(test_at("out"), "input\n");
    test_assert_content(test_at("log"), "before\nerror\n");
}

static void dev_null_is_empty_and_accepts_all_output(void **state)
{
    struct tch_spawn s = {
        .argv = SH("cat && echo x && echo y >&2"),
        .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}},
    };

    (void)state;
    assert_int_equal(run(&s), 0);
}

static void output_and_error_can_be_swapped(void **state)
{
    struct tch_spawn s = {
        .argv = SH("echo out; echo error >&2"),
        .io = {[1] = {.kind = TCH_IO_FD, .fd = 2}, [2] = {.kind = TCH_IO_FD, .fd = 1}},
    };
    int saved[2] = {dup(1), dup(2)};
    int status;

    (void)state;
    fflush(stdout);
    assert_true(dup2(open(test_at("one"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), 1) == 1);
    assert_true(dup2(open(test_at("two"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), 2) == 2);
    status = run(&s);
    dup2(saved[0], 1);
    dup2(saved[1], 2);
    close(saved[0]);
    close(saved[1]);
    assert_int_equal(status, 0);
    test_assert_content(test_at("one"), "error\n");
    test_assert_content(test_at("two"), "out\n");
}

/* Spawns after closing the standard streams, so that open() returns 0 for the output and 1 for the
   error. */
static int spawn_without_streams(void *arg)
{
    struct tch_spawn s = {
        .argv = SH("echo out; echo error >&2"),
        .io = {{.kind = TCH_IO_INHERIT},
               {.kind = TCH_IO_WRITE, .path = test_at("out")},
               {.kind = TCH_IO_WRITE, .path = test_at("log")}},
    };
    struct tch_spawn_end end;
    pid_t pid;

    (void)arg;
    close(0);
    close(1);
    close(2);
    if (tch_spawn(&s, &pid, NULL) < 0 || tch_spawn_wait(pid, &end, NULL) < 0)
        return 1;
    return end.status == 0 ? 0 : 2;
}

static void works_with_standard_streams_closed(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(spawn_without_streams, NULL), 0);
    test_assert_content(test_at("out"), "out\n");
    test_assert_content(test_at("log"), "error\n");
}

static void names_the_redirection_that_failed(void **state)
{
    struct tch_spawn s = {.argv = ARGV("true")};

    (void)state;
    s.io[0] = (struct tch_io){.kind = TCH_IO_READ, .path = "/no/such/file"};
    assert_fails(
        &s, ENOENT,
        "cannot open '/no/such/file', standard input of 'true': No such file or directory");
    s.io[0] = (struct tch_io){.kind = TCH_IO_INHERIT};
    s.io[2] = (struct tch_io){.kind = TCH_IO_WRITE, .path = "/"};
    assert_fails(&s, EISDIR, "cannot open '/', standard error of 'true': Is a directory");
    s.io[2] = (struct tch_io){.kind = TCH_IO_FD, .fd = 12345};
    assert_fails(&s, EBADF,
                 "cannot pass descriptor 12345 as standard error to 'true': Bad file descriptor");
}

static int count_open(void)
{
    return test_folder_count("/proc/self/fd");
}

static void leaves_no_descriptor_open(void **state)
{
    struct tch_spawn s = {
        .argv = ARGV("true"),
        .cwd = test_home,
        .io = {{.kind = TCH_IO_NULL},
               {.kind = TCH_IO_WRITE, .path = test_at("out")},
               {.kind = TCH_IO_FD, .fd = 2}},
    };
    struct tch_buf out;
    int before = count_open();

    (void)state;
    s.io[1].path = test_at("out");
    assert_int_equal(run(&s), 0);
    assert_int_equal(count_open(), before);
    s.argv = ARGV("no-such-program-x");
    assert_int_equal(tch_spawn(&s, &(pid_t){0}, NULL), TACHO_EIO);
    tch_buf_init(&out, 10);
    assert_int_equal(tch_spawn_read(&s, 0, &out, NULL, NULL), TACHO_EIO);
    tch_buf_release(&out);
    assert_int_equal(count_open(), before);
}

static void the_child_sees_only_its_streams(void **state)
{
    struct tch_spawn s = {
        .argv = SH("ls /proc/self/fd | wc -l"),
        .cwd = "/",
        .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_INHERIT}, {.kind = TCH_IO_FD, .fd = 2}},
    };
    struct tch_buf out;
    uint64_t inherited = 0;

    (void)state;
    /* Descriptors that this test inherited are passed on; ls opens one more. */
    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);

        inherited += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    tch_buf_init(&out, 100);
    assert_int_equal(tch_spawn_read(&s, 0, &out, NULL, NULL), 0);
    assert_int_equal(strtod(out.data, NULL), 4 + inherited);
    tch_buf_release(&out);
}

static void signal_handling_is_reset(void **state)
{
    sigset_t blocked;
    sigset_t before;
    int status;

    (void)state;
    signal(SIGTERM, SIG_IGN);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    status = run(&(struct tch_spawn){.argv = SH("kill -TERM $$; exit 3")});
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGTERM, SIG_DFL);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void a_group_of_its_own_when_asked(void **state)
{
    struct tch_spawn s = {.argv = ARGV("sleep", "1000"), .new_group = true};
    struct tch_spawn_end end;
    pid_t pid;

    (void)state;
    assert_int_equal(tch_spawn(&s, &pid, NULL), 0);
    assert_int_equal(getpgid(pid), pid);
    kill(-pid, SIGKILL);
    assert_int_equal(tch_spawn_wait(pid, &end, NULL), 0);
    s.new_group = false;
    assert_int_equal(tch_spawn(&s, &pid, NULL), 0);
    assert_int_equal(getpgid(pid), getpgrp());
    kill(pid, SIGKILL);
    assert_int_equal(tch_spawn_wait(pid, &end, NULL), 0);
}

static void finds_programs_as_the_shell_does(void **state)
{
    char path[PATH_MAX];
    char *before = getenv("PATH");
    char saved[4096];
    char search[PATH_MAX];
    tacho_error err;

    (void)state;
    snprintf(saved, sizeof saved, "%s", before ? before : "");
    put_script(test_at("prog"), "#!/bin/sh\n", 0755);
    assert_int_equal(mkdir(test_at("first"), 0755), 0);
    test_put(test_at("first/prog"), "not to be run");
    assert_int_equal(mkdir(test_at("first/sub"), 0755), 0);
    snprintf(search, sizeof search, "/no/such:%s:%s", test_at("first"), test_home);
    setenv("PATH", search, 1);
    assert_int_equal(tch_find_program("prog", path, sizeof path, &err), 0);
    assert_string_equal(path, test_at("prog"));
    assert_int_equal(tch_find_program("sub", path, sizeof path, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, EACCES); /* a folder */
    assert_int_equal(tch_find_program("none", path, sizeof path, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, ENOENT);
    assert_non_null(strstr(err.message, "on PATH?"));
    assert_int_equal(tch_find_program("", path, sizeof path, &err), TACHO_EIO);
    assert_int_equal(tch_find_program("prog", path, 5, &err), TACHO_ELIMIT);
    unsetenv("PATH");
    assert_int_equal(tch_find_program("sh", path, sizeof path, &err), 0);
    assert_int_equal(tch_find_program(test_at("prog"), path, sizeof path, &err), 0);
    assert_string_equal(path, test_at("prog"));
    setenv("PATH", saved, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(finds_the_program_and_passes_arguments),
        TEST_IN_HOME(reports_how_the_program_exited),
        TEST_IN_HOME(a_missing_program_is_named),
        TEST_IN_HOME(an_unreadable_folder_on_path_does_not_hide_the_error),
        TEST_IN_HOME(files_that_are_not_programs_are_named),
        TEST_IN_HOME(a_long_name_is_truncated_between_characters),
        TEST_IN_HOME(nothing_to_run_is_refused),
        TEST_IN_HOME(runs_in_the_folder_asked_for),
        TEST_IN_HOME(a_missing_folder_is_not_a_missing_program),
        TEST_IN_HOME(a_folder_that_may_not_be_entered_is_named),
        TEST_IN_HOME(extra_environment_replaces_and_removes_variables),
        TEST_IN_HOME(our_environment_is_the_default),
        TEST_IN_HOME(redirects_to_and_from_files),
        TEST_IN_HOME(dev_null_is_empty_and_accepts_all_output),
        TEST_IN_HOME(output_and_error_can_be_swapped),
        TEST_IN_HOME(works_with_standard_streams_closed),
        TEST_IN_HOME(names_the_redirection_that_failed),
        TEST_IN_HOME(leaves_no_descriptor_open),
        TEST_IN_HOME(the_child_sees_only_its_streams),
        TEST_IN_HOME(signal_handling_is_reset),
        TEST_IN_HOME(a_group_of_its_own_when_asked),
        TEST_IN_HOME(finds_programs_as_the_shell_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
