/* Tests the writer: where it writes, what it writes, and what happens when it cannot write. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/event.h>

#include "base/file.h"
#include "support/system.h"

#define HEAD                                                                                      \
    ",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\",\"model\":\"unknown\",\"concurrency\":" \
    "1,"
#define TAIL ",\"graph_enabled\":false,\"runtime_flags\":{},\"source\":\"native\"}\n"

static tacho_event_writer *writer;

static void open_at(const char *path)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    config.path = path;
    assert_int_equal(tacho_event_open(&config, &writer, NULL), 0);
}

static int push_plain(tacho_event_writer *w, const char *event, tacho_error *err)
{
    return tacho_event_push(w, event, TACHO_NO_FIELDS, TACHO_NO_FIELDS, false, err);
}

static void close_writer(void)
{
    tacho_event_close(writer);
    writer = NULL;
}

/* --- what it writes --- */

static void writes_the_fields_in_their_order_sorted_inside(void **state)
{
    static const char json[] = "{\"z\":1.50,\"a\":[1,{\"q\":1}]}";

    (void)state;
    open_at(test_at("p"));
    assert_int_equal(
        tacho_event_push(writer, "e",
                         TACHO_FIELDS(tacho_u64("b", 7), tacho_i64("a", -7), tacho_bool("c", true),
                                      tacho_text_n("Z", "t\"\xFF", 3), tacho_text("n", NULL)),
                         TACHO_FIELDS(tacho_f64("y", 2), tacho_json("x", json)), false, NULL),
        0);
    close_writer();
    test_assert_content(test_at("p"),
                        "{\"event\":\"e\"" HEAD
                        "\"shape\":{\"Z\":\"t\\\"\xEF\xBF\xBD\",\"a\":-7,\"b\":7,"
                        "\"c\":true,\"n\":\"\"},\"stage_us\":{\"x\":{\"z\":1.5,\"a\":[1,"
                        "{\"q\":1}]},\"y\":2.0}" TAIL);
}

static void the_last_of_two_fields_with_one_key_counts(void **state)
{
    (void)state;
    open_at(test_at("p"));
    assert_int_equal(tacho_event_push(writer, "e",
                                      TACHO_FIELDS(tacho_u64("b", 1), tacho_u64("a", 2),
                                                   tacho_u64("b", 3), tacho_u64("a", 4)),
                                      TACHO_NO_FIELDS, false, NULL),
                     0);
    close_writer();
    test_assert_content(test_at("p"),
                        "{\"event\":\"e\"" HEAD "\"shape\":{\"a\":4,\"b\":3},\"stage_us\":{}" TAIL);
}

static void names_that_need_escapes_get_them(void **state)
{
    (void)state;
    open_at(test_at("p"));
    assert_int_equal(tacho_event_push(writer, "\xC3\xA9\n", TACHO_FIELDS(tacho_u64("a\"", 1)),
                                      TACHO_FIELDS(tacho_u64("\\", 2), tacho_u64("k", 3)), false,
                                      NULL),
                     0);
    close_writer();
    test_assert_content(test_at("p"),
                        "{\"event\":\"\xC3\xA9\\n\"" HEAD
                        "\"shape\":{\"a\\\"\":1},\"stage_us\":{\"\\\\\":2,\"k\":3}" TAIL);
}

/* Invalid bytes become U+FFFD. The key is sorted by that, and is one key however many bytes
   there were. */
static void keys_that_are_not_utf8_are_sorted_after_replacement(void **state)
{
    (void)state;
    open_at(test_at("p"));
    assert_int_equal(tacho_event_push(writer, "e",
                                      TACHO_FIELDS(tacho_u64("\x80", 1), tacho_u64("\xC3\xA9", 2),
                                                   tacho_u64("\xFE", 3), tacho_u64("a", 4)),
                                      TACHO_NO_FIELDS, false, NULL),
                     0);
    close_writer();
    test_assert_content(test_at("p"), "{\"event\":\"e\"" HEAD
                                      "\"shape\":{\"a\":4,\"\xC3\xA9\":2,\"\xEF\xBF\xBD\":3},"
                                      "\"stage_us\":{}" TAIL);
}

/* Reads the file back and returns the number of its events. */
static uint64_t count_events(const char *path, uint64_t *torn)
{
    tacho_event_reader *reader = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    uint64_t count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int more;

    assert_true(fd >= 0);
    assert_int_equal(tacho_event_reader_open_fd(fd, path, &reader, NULL), 0);
    while ((more = tacho_event_next(reader, &event, &err)) != 0) {
        assert_true(more > 0 || more == TACHO_EPARSE);
        count += more > 0;
    }
    *torn = tacho_event_reader_torn(reader);
    tacho_event_reader_close(reader);
    close(fd);
    return count;
}

static void writes_many_fields_and_long_texts(void **state)
{
    enum { FIELDS = 1000, LONG = 100 * 1000 };
    static tacho_field fields[FIELDS];
    static char names[FIELDS][80];
    static char text[LONG];
    uint64_t torn;

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < FIELDS; i++) {
        snprintf(names[i], sizeof names[i], "%0*zu", i % 2 ? 70 : 4, i);
        fields[i] = tacho_text_n(names[i], text, i == 7 ? sizeof text : i % 5);
    }
    open_at(test_at("p"));
    assert_int_equal(tacho_event_push(writer, "e", (tacho_fields){fields, FIELDS},
                                      (tacho_fields){fields, 40}, true, NULL),
                     0);
    close_writer();
    assert_int_equal(count_events(test_at("p"), &torn), 1);
}

static void an_event_above_16_mib_is_refused_and_not_written(void **state)
{
    enum { HUGE_TEXT = 17 << 20 };
    char *text = calloc(1, HUGE_TEXT);
    tacho_error err;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', HUGE_TEXT);
    open_at(test_at("p"));
    assert_int_equal(tacho_event_push(writer, "e", TACHO_FIELDS(tacho_text_n("t", text, HUGE_TEXT)),
                                      TACHO_NO_FIELDS, true, &err),
                     TACHO_ELIMIT);
    close_writer();
    test_assert_content(test_at("p"), "");
    free(text);
}

static void a_value_that_is_not_json_is_refused(void **state)
{
    tacho_error err;

    (void)state;
    open_at(test_at("p"));
    assert_int_equal(tacho_event_push(writer, "e", TACHO_FIELDS(tacho_json("k", "{")),
                                      TACHO_NO_FIELDS, true, &err),
                     TACHO_EINVAL);
    assert_string_equal(err.message, "the value of 'k' is not valid JSON");
    assert_int_equal(tacho_event_push_json(writer, "e", "{]", "{}", true, &err), TACHO_EINVAL);
    assert_int_equal(push_plain(writer, NULL, &err), TACHO_EINVAL);
    close_writer();
    test_assert_content(test_at("p"), "");
}

/* --- where it writes --- */

static void fields_given_as_json_are_sorted(void **state)
{
    (void)state;
    open_at(test_at("p.jsonl"));
    assert_int_equal(tacho_event_push_json(writer, "e", "{\"b\":[1, 2],\"a\":\"x\"}",
                                           " { \"z\" : 1.50, \"y\" : 2 } ", false, NULL),
                     0);
    assert_int_equal(tacho_event_push_json(writer, "f", "[1]", "null", false, NULL), 0);
    close_writer();
    test_assert_content(test_at("p.jsonl"),
                        "{\"event\":\"e\"" HEAD "\"shape\":{\"a\":\"x\",\"b\":[1,2]},\"stage_us\":"
                        "{\"y\":2,\"z\":1.5}" TAIL "{\"event\":\"f\"" HEAD
                        "\"shape\":{},\"stage_us\":{}" TAIL);
}

static void each_push_reports_an_invalid_configuration(void **state)
{
    static const struct {
        tacho_event_config config;
        const char *message;
    } cases[] = {
        {{.commit_sha = " ", .concurrency = 1}, "commit_sha must be non-empty when present"},
        {{.env_hash = "md5:1", .concurrency = 1}, "env_hash must start with sha256:"},
        {{.model = "", .concurrency = 1}, "model must be non-empty"},
        {{.concurrency = 0}, "concurrency must be > 0"},
        {{.runtime_flags = "[]", .concurrency = 1}, "runtime_flags must be an object"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_event_config config = cases[i].config;
        tacho_error err;

        config.size = sizeof config;
        config.path = test_at("p.jsonl");
        assert_int_equal(tacho_event_open(&config, &writer, NULL), 0);
        assert_int_equal(push_plain(writer, "e", &err), TACHO_EINVAL);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(tacho_event_push_json(writer, "e", "{}", "{}", true, &err), TACHO_EINVAL);
        assert_string_equal(err.message, cases[i].message);
        close_writer();
    }
    test_assert_content(test_at("p.jsonl"), "");
}

static void makes_the_folders_above_its_file_and_appends(void **state)
{
    uint64_t torn;

    (void)state;
    for (int i = 0; i < 2; i++) {
        open_at(test_at("a/b/c/p"));
        assert_string_equal(tacho_event_path(writer), test_at("a/b/c/p"));
        assert_true(tacho_event_is_enabled(writer));
        assert_int_equal(push_plain(writer, "e", NULL), 0);
        assert_int_equal(tacho_event_flush(writer, NULL), 0);
        assert_int_equal(tacho_event_sync(writer, NULL), 0);
        close_writer();
    }
    assert_int_equal(count_events(test_at("a/b/c/p"), &torn), 2);
}

static void without_a_path_every_push_succeeds_and_does_nothing(void **state)
{
    static const char *const blank[] = {NULL, "", " ", "\xC2\xA0"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        open_at(blank[i]);
        assert_false(tacho_event_is_enabled(writer));
        assert_null(tacho_event_path(writer));
        assert_int_equal(push_plain(writer, "", NULL), 0);
        assert_int_equal(tacho_event_flush(writer, NULL), 0);
        assert_int_equal(tacho_event_sync(writer, NULL), 0);
        close_writer();
    }
    assert_int_equal(push_plain(NULL, "e", NULL), 0);
    assert_int_equal(test_folder_count(test_home), 0);
}

static const char *pair(char out[200], const char *name, const char *value)
{
    snprintf(out, 200, "%s=%s", name, value);
    return out;
}

static void tacho_variables_come_before_ferrum_ones(void **state)
{
    char tacho[200];
    char ferrum[200];
    const char *pairs[] = {pair(ferrum, "FERRUM_PROFILE_JSONL", test_at("ferrum")),
                           pair(tacho, "TACHO_PROFILE_JSONL", test_at("tacho")),
                           "FERRUM_PROFILE_MODEL=f",
                           "FERRUM_PROFILE_CONCURRENCY=7",
                           "TACHO_PROFILE_MODEL=t",
                           "TACHO_RUN_DIR=/nowhere",
                           NULL};

    (void)state;
    assert_int_equal(tacho_event_open_env(pairs, &writer, NULL), 0);
    assert_int_equal(push_plain(writer, "e", NULL), 0);
    close_writer();
    test_assert_content(test_at("tacho"),
                        "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\","
                        "\"model\":\"t\",\"concurrency\":7,\"shape\":{},\"stage_us\":{}" TAIL);
    assert_int_equal(test_folder_count(test_home), 1);
}

/* TACHO_TRACE_OUT is read the same way. */
static void a_blank_variable_counts_as_not_set(void **state)
{
    char ferrum[200];
    const char *pairs[] = {"TACHO_PROFILE_JSONL=",
                           "TACHO_PROFILE_MODEL= ",
                           "FERRUM_PROFILE_MODEL=f",
                           "TACHO_RUN_DIR=/run/dir",
                           pair(ferrum, "FERRUM_PROFILE_JSONL", test_at("ferrum")),
                           NULL};
    tacho_event_config *config = NULL;

    (void)state;
    assert_int_equal(tacho_event_config_from_env(pairs, &config, NULL), 0);
    assert_string_equal(config->path, test_at("ferrum"));
    assert_string_equal(config->model, "f");
    free(config);
    pairs[4] = "FERRUM_PROFILE_JSONL= ";
    assert_int_equal(tacho_event_config_from_env(pairs, &config, NULL), 0);
    assert_string_equal(config->path, "/run/dir/profile.jsonl");
    free(config);
    pairs[3] = "TACHO_RUN_DIR=";
    assert_int_equal(tacho_event_open_env(pairs, &writer, NULL), 0);
    assert_false(tacho_event_is_enabled(writer));
    close_writer();
}

static void the_last_of_two_variables_of_one_name_counts(void **state)
{
    char first[200];
    char last[200];
    const char *pairs[] = {
        pair(first, "TACHO_PROFILE_JSONL", test_at("first")),
        "FERRUM_PROFILE_MODEL=a",
        "FERRUM_PROFILE_CONCURRENCY=8",
        pair(last, "TACHO_PROFILE_JSONL", test_at("last")),
        "FERRUM_PROFILE_MODEL=b",
        "FERRUM_PROFILE_CONCURRENCY=none", /* invalid, so it is the default and not 8 */
        NULL};

    (void)state;
    assert_int_equal(tacho_event_open_env(pairs, &writer, NULL), 0);
    assert_int_equal(push_plain(writer, "e", NULL), 0);
    close_writer();
    test_assert_content(test_at("last"),
                        "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\","
                        "\"model\":\"b\",\"concurrency\":1,\"shape\":{},\"stage_us\":{}" TAIL);
    assert_int_equal(test_folder_count(test_home), 1);
}

static void a_run_folder_gets_a_profile_of_its_own(void **state)
{
    char folder[200];
    const char *pairs[] = {pair(folder, "TACHO_RUN_DIR", test_at("run/iter/0001")), NULL};

    (void)state;
    assert_int_equal(tacho_event_open_env(pairs, &writer, NULL), 0);
    assert_string_equal(tacho_event_path(writer), test_at("run/iter/0001/profile.jsonl"));
    close_writer();
}

static void an_environment_that_is_not_utf8_stops_nothing(void **state)
{
    char path[200];
    const char *pairs[] = {pair(path, "TACHO_PROFILE_JSONL", test_at("p\xFF")),
                           "\xFF\xFE=\xFF",
                           "TACHO_PROFILE_MODEL=m\xFF",
                           "TACHO_PROFILE_COMMIT_SHA=\xC3",
                           "TACHO_PROFILE_ENV_HASH=sha256:\x80",
                           "TACHO_PROFILE_RUNTIME_FLAGS_JSON={\"a\":\"\xFF\"}",
                           "TACHO_PROFILE_CONCURRENCY=\xFF",
                           NULL};

    (void)state;
    assert_int_equal(tacho_event_open_env(pairs, &writer, NULL), 0);
    assert_int_equal(push_plain(writer, "e", NULL), 0);
    close_writer();
    test_assert_content(
        test_at("p\xFF"),
        "{\"event\":\"e\",\"commit_sha\":\"\xEF\xBF\xBD\",\"env_hash\":\"sha256:\xEF\xBF\xBD\","
        "\"model\":\"m\xEF\xBF\xBD\",\"concurrency\":1,\"shape\":{},\"stage_us\":{}" TAIL);
}

/* --- when it cannot --- */

static void says_why_a_file_cannot_be_opened(void **state)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_error err;

    (void)state;
    test_put(test_at("file"), "x");
    config.path = test_at("file/below");
    assert_int_equal(tacho_event_open(&config, &writer, &err), TACHO_EIO);
    assert_null(writer);
    assert_non_null(strstr(err.message, "file"));
    config.path = test_home; /* a folder */
    assert_int_equal(tacho_event_open(&config, &writer, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, EISDIR);
}

static int open_as_nobody(void *arg)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_error err = {0};
    tacho_event_writer *w = NULL;

    test_become_nobody();
    config.path = arg;
    return tacho_event_open(&config, &w, &err) == TACHO_EIO ? err.system_errno : 0;
}

static void a_folder_without_permission_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(chmod(test_home, 0555), 0);
    assert_int_equal(test_in_child(open_as_nobody, (void *)test_at("p")), EACCES);
    assert_int_equal(chmod(test_home, 0755), 0);
}

static void begins_a_new_line_after_a_fragment(void **state)
{
    (void)state;
    test_put(test_at("p"), "{\"event\":\"tor");
    open_at(test_at("p"));
    assert_int_equal(push_plain(writer, "e", NULL), 0);
    close_writer();
    test_assert_content(test_at("p"), "{\"event\":\"tor\n{\"event\":\"e\"" HEAD
                                      "\"shape\":{},\"stage_us\":{}" TAIL);
}

static int fill_a_small_disk(void)
{
    const char *path = test_at("p");
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *w = NULL;
    tacho_error err = {0};
    uint64_t pushed = 0;
    uint64_t torn = 0;

    config.path = path;
    if (tacho_event_open(&config, &w, &err) < 0)
        return 1;
    while (pushed < 10000 && push_plain(w, "e", &err) == 0)
        pushed++;
    if (pushed == 10000 || err.code != TACHO_EIO || err.system_errno != ENOSPC)
        return 2;
    if (!strstr(err.message, path))
        return 3;
    if (count_events(path, &torn) != pushed || torn > 1)
        return 4;
    /* There is room again: the next event starts on a line of its own, after the fragment. */
    if (torn == 1 && truncate(path, 60 * 1024) < 0)
        return 5;
    pushed = count_events(path, &torn);
    if (push_plain(w, "after", &err) < 0)
        return 6;
    tacho_event_close(w);
    return count_events(path, &torn) == pushed + 1 ? 0 : 7;
}

static void a_full_disk_is_reported_and_written_lines_stay(void **state)
{
    (void)state;
    test_on_small_disk(64, fill_a_small_disk);
}

/* --- many writers --- */

enum { MANY = 20 * 1000 };

static int push_many(void *arg)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *w = NULL;

    config.path = test_at("p");
    config.model = arg;
    if (tacho_event_open(&config, &w, NULL) < 0)
        return 1;
    for (int i = 0; i < MANY; i++)
        if (tacho_event_push(w, "e", TACHO_FIELDS(tacho_u64("i", (uint64_t)i)),
                             TACHO_FIELDS(tacho_f64("us", i * 0.5)), true, NULL) < 0)
            return 2;
    tacho_event_close(w);
    return 0;
}

static void lines_of_two_processes_stay_whole(void **state)
{
    pid_t other = fork();
    uint64_t torn;
    int status;

    (void)state;
    if (other == 0)
        _exit(push_many("child"));
    assert_true(other > 0);
    assert_int_equal(push_many("parent"), 0);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_int_equal(count_events(test_at("p"), &torn), 2 * MANY);
    assert_int_equal(torn, 0);
}

static void *push_from_thread(void *arg)
{
    for (int i = 0; i < MANY / 10; i++)
        if (push_plain(arg, "e", NULL) < 0)
            return arg;
    return NULL;
}

static void lines_of_threads_stay_whole(void **state)
{
    pthread_t threads[4];
    uint64_t torn;
    void *result;

    (void)state;
    open_at(test_at("p"));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, push_from_thread, writer), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &result);
        assert_null(result);
    }
    close_writer();
    assert_int_equal(count_events(test_at("p"), &torn), 4 * (MANY / 10));
    assert_int_equal(torn, 0);
}

/* --- memory --- */

static int open_and_push(void *arg)
{
    static tacho_field fields[40];
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *w = NULL;
    int status;

    (void)arg;
    for (size_t i = 0; i < 40; i++)
        fields[i] = tacho_json_n("key", "{\"a\":{\"a\":1},\"a\":2}", 19);
    config.path = test_at("folder/p");
    config.runtime_flags = "{\"b\":1,\"b\":{\"c\":[1,2,3]}}";
    status = tacho_event_open(&config, &w, NULL);
    if (status == 0)
        status = tacho_event_push(w, "e", (tacho_fields){fields, 40}, (tacho_fields){fields, 40},
                                  true, NULL);
    tacho_event_close(w);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(open_and_push, NULL);
}

static int push_usual(void *arg)
{
    long before = test_alloc_live();

    (void)arg;
    test_alloc_fail_after(0);
    int status = tacho_event_push(writer, "e", TACHO_FIELDS(tacho_u64("batch", 32)),
                                  TACHO_FIELDS(tacho_f64("model", 12500)), true, NULL);

    test_alloc_fail_after(-1);
    return status < 0 || test_alloc_live() != before;
}

static void the_usual_event_needs_no_memory(void **state)
{
    (void)state;
    open_at(test_at("p"));
    assert_int_equal(push_usual(NULL), 0);
    close_writer();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(writes_the_fields_in_their_order_sorted_inside),
        TEST_IN_HOME(the_last_of_two_fields_with_one_key_counts),
        TEST_IN_HOME(names_that_need_escapes_get_them),
        TEST_IN_HOME(keys_that_are_not_utf8_are_sorted_after_replacement),
        TEST_IN_HOME(writes_many_fields_and_long_texts),
        TEST_IN_HOME(an_event_above_16_mib_is_refused_and_not_written),
        TEST_IN_HOME(a_value_that_is_not_json_is_refused),
        TEST_IN_HOME(fields_given_as_json_are_sorted),
        TEST_IN_HOME(each_push_reports_an_invalid_configuration),
        TEST_IN_HOME(makes_the_folders_above_its_file_and_appends),
        TEST_IN_HOME(without_a_path_every_push_succeeds_and_does_nothing),
        TEST_IN_HOME(tacho_variables_come_before_ferrum_ones),
        TEST_IN_HOME(a_blank_variable_counts_as_not_set),
        TEST_IN_HOME(the_last_of_two_variables_of_one_name_counts),
        TEST_IN_HOME(a_run_folder_gets_a_profile_of_its_own),
        TEST_IN_HOME(an_environment_that_is_not_utf8_stops_nothing),
        TEST_IN_HOME(says_why_a_file_cannot_be_opened),
        TEST_IN_HOME(a_folder_without_permission_is_an_error),
        TEST_IN_HOME(begins_a_new_line_after_a_fragment),
        TEST_IN_HOME(a_full_disk_is_reported_and_written_lines_stay),
        TEST_IN_HOME(lines_of_two_processes_stay_whole),
        TEST_IN_HOME(lines_of_threads_stay_whole),
        TEST_IN_HOME(survives_every_allocation_failing),
        TEST_IN_HOME(the_usual_event_needs_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
