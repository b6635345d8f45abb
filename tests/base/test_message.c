/* Tests messages to a handler and to standard error, also when that is closed. */
#include "support/test.h"

#include <unistd.h>

#include "base/message.h"
#include "support/system.h"

struct messages {
    char last[1000];
    int count;
};

static void keep(const char *message, void *arg)
{
    struct messages *messages = arg;

    messages->count++;
    snprintf(messages->last, sizeof messages->last, "%s", message);
}

static void a_handler_gets_the_text_without_a_line_feed(void **state)
{
    struct messages got = {.count = 0};

    (void)state;
    tacho_set_message_handler(keep, &got);
    tch_message("a %d", 1);
    assert_string_equal(got.last, "a 1");
    tch_message("%0600d", 0); /* truncated to fit */
    assert_int_equal(strlen(got.last), 510);
    assert_int_equal(got.count, 2);
    tacho_set_message_handler(NULL, NULL);
}

static int print_to_a_closed_pipe(void *arg)
{
    int ends[2];

    (void)arg;
    if (pipe(ends) < 0 || dup2(ends[1], STDERR_FILENO) < 0 || close(ends[0]) < 0)
        return 1;
    tch_message("nobody reads this");
    tch_message("nor this");
    return 0;
}

static void a_program_survives_a_closed_standard_error(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(print_to_a_closed_pipe, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_gets_the_text_without_a_line_feed),
        cmocka_unit_test(a_program_survives_a_closed_standard_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
