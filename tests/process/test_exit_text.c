/* Tests the words for how a process ended. */
#include "support/test.h"

#include <signal.h>
#include <unistd.h>

#include "process/exit_text.h"
#include "process/spawn.h"

static int end_of(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct tch_spawn_end end;
    pid_t pid;

    assert_int_equal(tch_spawn(&(struct tch_spawn){.argv = argv}, &pid, NULL), 0);
    assert_int_equal(tch_spawn_wait(pid, &end, NULL), 0);
    return end.status;
}

static void names_the_status(void **state)
{
    char text[TCH_EXIT_TEXT];

    (void)state;
    assert_string_equal(tch_exit_text(end_of("exit 7"), "was killed by", "failed with", text),
                        "failed with status 7");
    assert_string_equal(tch_exit_text(end_of("exit 0"), "was killed by", "exited with", text),
                        "exited with status 0");
}

static void names_the_signal_by_number_and_in_words(void **state)
{
    char text[TCH_EXIT_TEXT];

    (void)state;
    assert_string_equal(tch_exit_text(end_of("kill -9 $$"), "was killed by", "failed with", text),
                        "was killed by signal 9 (Killed)");
    tch_exit_text(SIGRTMIN + 1, "was killed by", "failed with", text); /* has no name of its own */
    assert_memory_equal(text, "was killed by signal ", 21);
    assert_non_null(strchr(text, ')'));
}

static void the_code_is_that_of_a_shell(void **state)
{
    (void)state;
    assert_int_equal(tch_exit_code(end_of("exit 7")), 7);
    assert_int_equal(tch_exit_code(end_of("kill -9 $$")), 137);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_status),
        cmocka_unit_test(names_the_signal_by_number_and_in_words),
        cmocka_unit_test(the_code_is_that_of_a_shell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
