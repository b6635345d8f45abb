/* Tests the writer of the process. It is made only once, so each test is a process of its own. */
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <tacho/event.h>

#include "support/system.h"

static int evaluated;

static tacho_field counted(const char *key)
{
    evaluated++;
    return tacho_u64(key, 1);
}

static int say_one(void)
{
    return TACHO_EVENT("e", TACHO_FIELDS(counted("a")), TACHO_FIELDS(counted("b")), true);
}

static void no_variables(void)
{
    unsetenv("TACHO_PROFILE_JSONL");
    unsetenv("FERRUM_PROFILE_JSONL");
    unsetenv("TACHO_RUN_DIR");
}

static int off_evaluates_nothing(void *arg)
{
    (void)arg;
    no_variables();
    for (int i = 0; i < 2; i++)
        if (say_one() != 0 || evaluated != 0)
            return 1;
    if (tacho_event_is_on() || tacho_event_is_enabled(tacho_event_global()))
        return 2;
    return tacho_event_global_status(NULL) == 0 ? 0 : 3;
}

static void evaluates_nothing_when_disabled(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(off_evaluates_nothing, NULL), 0);
}

static int comes_from_the_environment(void *arg)
{
    no_variables();
    setenv("TACHO_PROFILE_JSONL", arg, 1);
    if (say_one() != 0 || evaluated != 2 || !tacho_event_is_on())
        return 1;
    return strcmp(tacho_event_path(tacho_event_global()), arg) == 0 ? 0 : 2;
}

static void is_made_from_the_environment_at_first_use(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(comes_from_the_environment, (void *)test_at("p")), 0);
    test_assert_content(test_at("p"),
                        "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\","
                        "\"model\":\"unknown\",\"concurrency\":1,\"shape\":{\"a\":1},"
                        "\"stage_us\":{\"b\":1},\"graph_enabled\":true,\"runtime_flags\":{},"
                        "\"source\":\"native\"}\n");
}

static int is_configured_once(void *arg)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_error err;

    setenv("TACHO_PROFILE_JSONL", "/nowhere/at/all", 1);
    config.path = arg;
    if (tacho_event_configure(&config, &err) != 0)
        return 1;
    config.path = "/elsewhere";
    if (tacho_event_configure(&config, &err) != TACHO_EALREADY || err.code != TACHO_EALREADY)
        return 2;
    return strcmp(tacho_event_path(tacho_event_global()), arg) == 0 ? 0 : 3;
}

static void is_configured_at_most_once(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(is_configured_once, (void *)test_at("p")), 0);
}

struct messages {
    char last[300];
    int count;
};

/* A handler that uses the writer must not hang. */
static void keep_message(const char *message, void *arg)
{
    struct messages *messages = arg;

    messages->count += tacho_event_global() != NULL;
    snprintf(messages->last, sizeof messages->last, "%s", message);
}

static int cannot_be_opened(void *arg)
{
    struct messages messages = {.count = 0};
    tacho_error err = {0};
    char expected[300];

    no_variables();
    setenv("TACHO_PROFILE_JSONL", arg, 1);
    tacho_set_message_handler(keep_message, &messages);
    for (int i = 0; i < 2; i++)
        if (say_one() != 0 || evaluated != 0)
            return 1;
    if (tacho_event_global_status(&err) != TACHO_EIO || !strstr(err.message, "is a file"))
        return 2;
    snprintf(expected, sizeof expected, "[profile-jsonl] failed to open configured sink: %s",
             err.message);
    if (messages.count != 1 || strcmp(messages.last, expected) != 0)
        return 3;
    return err.system_errno != 0 ? 0 : 4;
}

static void a_sink_that_cannot_be_opened_is_reported_and_stops_nothing(void **state)
{
    (void)state;
    test_put(test_at("is a file"), "x");
    assert_int_equal(test_in_child(cannot_be_opened, (void *)test_at("is a file/p")), 0);
}

static int complains_on_stderr(void *arg)
{
    int out = open(test_at("stderr"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    no_variables();
    setenv("TACHO_PROFILE_JSONL", arg, 1);
    if (out < 0 || dup2(out, STDERR_FILENO) < 0)
        return 1;
    for (int i = 0; i < 2; i++)
        if (say_one() != 0)
            return 2;
    return 0;
}

static void without_a_handler_standard_error_gets_the_message_once(void **state)
{
    char expected[300];

    (void)state;
    test_put(test_at("file"), "x");
    assert_int_equal(test_in_child(complains_on_stderr, (void *)test_at("file/p")), 0);
    snprintf(expected, sizeof expected,
             "[profile-jsonl] failed to open configured sink: "
             "cannot create folder '%s', there is a file: File exists\n",
             test_at("file"));
    test_assert_content(test_at("stderr"), expected);
}

static int cannot_be_configured(void *arg)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_error err = {0};

    no_variables();
    setenv("TACHO_PROFILE_JSONL", test_at("from the environment"), 1);
    config.path = arg;
    if (tacho_event_configure(&config, &err) != TACHO_EIO || err.code != TACHO_EIO)
        return 1;
    if (tacho_event_configure(&config, &err) != TACHO_EIO)
        return 2;
    if (say_one() != 0 || evaluated != 2 || tacho_event_global_status(NULL) != 0)
        return 3;
    if (strcmp(tacho_event_path(tacho_event_global()), test_at("from the environment")) != 0)
        return 4;
    return tacho_event_configure(&config, NULL) == TACHO_EALREADY ? 0 : 5;
}

static void after_a_configuration_that_fails_the_environment_is_used(void **state)
{
    (void)state;
    test_put(test_at("file"), "x");
    assert_int_equal(test_in_child(cannot_be_configured, (void *)test_at("file/p")), 0);
}

static int is_flushed_before_first_use(void *arg)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    no_variables();
    setenv("TACHO_PROFILE_JSONL", "/nowhere/at/all", 1);
    if (tacho_event_flush_global(NULL) != 0)
        return 1;
    config.path = arg;
    if (tacho_event_configure(&config, NULL) != 0)
        return 2;
    return say_one() == 0 && tacho_event_flush_global(NULL) == 0 ? 0 : 3;
}

static void a_flush_before_first_use_does_not_make_the_writer(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(is_flushed_before_first_use, (void *)test_at("p")), 0);
}

static void *say_some(void *arg)
{
    (void)arg;
    for (int i = 0; i < 500; i++)
        if (TACHO_EVENT("e", TACHO_NO_FIELDS, TACHO_NO_FIELDS, false) < 0)
            return &evaluated;
    return tacho_event_global();
}

static int is_made_by_many_threads(void *arg)
{
    pthread_t threads[8];
    void *first = NULL;
    void *writer;

    no_variables();
    setenv("TACHO_PROFILE_JSONL", arg, 1);
    for (int i = 0; i < 8; i++)
        if (pthread_create(&threads[i], NULL, say_some, NULL) != 0)
            return 1;
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &writer);
        if (i == 0)
            first = writer;
        if (writer != first || writer == &evaluated)
            return 2;
    }
    return 0;
}

static void many_threads_get_the_same_one(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(is_made_by_many_threads, (void *)test_at("p")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(evaluates_nothing_when_disabled),
        TEST_IN_HOME(is_made_from_the_environment_at_first_use),
        TEST_IN_HOME(is_configured_at_most_once),
        TEST_IN_HOME(a_sink_that_cannot_be_opened_is_reported_and_stops_nothing),
        TEST_IN_HOME(without_a_handler_standard_error_gets_the_message_once),
        TEST_IN_HOME(after_a_configuration_that_fails_the_environment_is_used),
        TEST_IN_HOME(a_flush_before_first_use_does_not_make_the_writer),
        TEST_IN_HOME(many_threads_get_the_same_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
