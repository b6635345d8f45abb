/* Tests reading the output of a program: completely, up to a limit, within a time. */
#include "support/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "process/spawn.h"

#define ARGV(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define SH(script) ARGV("sh", "-c", script)

enum { SECOND = 1000000000 };

static void reads_more_than_a_pipe_holds(void **state)
{
    struct tch_spawn s = {.argv = ARGV("head", "-c", "1000000", "/dev/zero")};
    struct tch_buf out;
    struct tch_spawn_end end;

    (void)state;
    tch_buf_init(&out, 1000000);
    assert_int_equal(tch_spawn_read(&s, UINT64_C(60) * SECOND, &out, &end, NULL), 0);
    assert_int_equal(out.len, 1000000);
    assert_int_equal(end.status, 0);
    tch_buf_release(&out);
}

static void more_output_than_allowed_is_an_error(void **state)
{
    tacho_error err;
    struct tch_buf out;

    (void)state;
    tch_buf_init(&out, 5);
    assert_int_equal(
        tch_spawn_read(&(struct tch_spawn){.argv = ARGV("printf", "12345")}, 0, &out, NULL, &err),
        0);
    tch_buf_clear(&out);
    assert_int_equal(tch_spawn_read(&(struct tch_spawn){.argv = ARGV("yes")}, 0, &out, NULL, &err),
                     TACHO_ELIMIT);
    assert_string_equal(err.message, "killed 'yes', which printed more than 5 bytes");
    assert_string_equal(out.data, "y\ny\ny");
    tch_buf_release(&out);
}

static void a_failing_program_is_read_to_its_end(void **state)
{
    struct tch_buf out;
    struct tch_spawn_end end;

    (void)state;
    tch_buf_init(&out, 100);
    assert_int_equal(
        tch_spawn_read(&(struct tch_spawn){.argv = SH("echo x; exit 3")}, 0, &out, &end, NULL), 0);
    assert_string_equal(out.data, "x\n");
    assert_int_equal(WEXITSTATUS(end.status), 3);
    tch_buf_release(&out);
}

/* Returns the process group that a script prints before its timeout. Tries again with a longer
   timeout when the machine was too busy. */
static pid_t group_after_timeout(const char *script)
{
    struct tch_spawn s = {.argv = SH(script)};
    pid_t group = 0;

    for (uint64_t timeout = SECOND / 5; group == 0; timeout *= 2) {
        struct tch_buf out;
        tacho_error err;

        tch_buf_init(&out, 100);
        assert_int_equal(tch_spawn_read(&s, timeout, &out, NULL, &err), TACHO_ELIMIT);
        assert_non_null(strstr(err.message, "killed 'sh', which had not ended after "));
        group = (pid_t)strtod(out.data, NULL);
        tch_buf_release(&out);
    }
    return group;
}

/* Each script would run for 1000 s, and so would this test if nothing were killed. */
static void slow_programs_are_killed_with_their_children(void **state)
{
    static const char *const scripts[] = {
        "echo $$; sleep 1000",                   /* keeps the pipe open */
        "echo $$; sleep 1000 & exit 0",          /* its child does */
        "echo $$; exec >/dev/null; sleep 1000",  /* closes the pipe and continues */
        "echo $$; trap '' TERM INT; sleep 1000", /* ignores signals */
    };

    (void)state;
    /* This process adopts orphans of a script's group. They must have been killed, too. */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        pid_t group = group_after_timeout(scripts[i]);
        int status;

        while (waitpid(-group, &status, 0) > 0)
            assert_int_equal(WTERMSIG(status), SIGKILL);
        assert_int_equal(kill(-group, 0), -1);
    }
}

static int read_with_extra_env(void *arg)
{
    struct tch_spawn s = {.argv = SH("echo $X"), .extra_env = ARGV("X=1")};
    struct tch_buf out;
    int result;

    (void)arg;
    tch_buf_init(&out, 100);
    result = tch_spawn_read(&s, 0, &out, NULL, NULL);
    tch_buf_release(&out);
    if (result < 0)
        assert_int_equal(result, TACHO_ENOMEM);
    return result;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(read_with_extra_env, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_more_than_a_pipe_holds),
        cmocka_unit_test(more_output_than_allowed_is_an_error),
        cmocka_unit_test(a_failing_program_is_read_to_its_end),
        cmocka_unit_test(slow_programs_are_killed_with_their_children),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
