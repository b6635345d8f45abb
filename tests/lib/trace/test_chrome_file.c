/* Tests limits of the writer object and the strict reader of <tacho/chrome.h>, and what they do
   without memory. tests/conformance/ferrum_trace.c tests what they write and read. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <tacho/chrome.h>

#include "support/system.h"

static const char *file;

static int write_file(void *arg)
{
    tacho_chrome *writer = NULL;
    int status, closed;

    (void)arg;
    status = tacho_chrome_open(file, &writer, NULL);
    if (status < 0)
        return status;
    for (int i = 0; i < 20 && status == 0; i++)
        status = tacho_chrome_push(writer, "name", "category", 1.0, 0,
                                   TACHO_FIELDS(tacho_json("a", "[1,{\"b\":2}]")), NULL);
    closed = tacho_chrome_close(writer, NULL);
    if (status < 0)
        assert_true(closed < 0); /* the event is missing */
    return status < 0 ? status : closed;
}

static void writing_survives_every_allocation_failing(void **state)
{
    static const char *const names[] = {"t.json", "t.json.gz"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        file = test_at(names[i]);
        test_every_allocation_fails(write_file, NULL);
    }
}

static int read_file(void *arg)
{
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    int more = tacho_chrome_reader_open(file, &reader, NULL);

    (void)arg;
    if (more < 0)
        return more;
    while ((more = tacho_chrome_next(reader, &event, NULL)) > 0)
        assert_int_equal(event->args.count, 1);
    tacho_chrome_reader_close(reader);
    return more;
}

static void reading_survives_every_allocation_failing(void **state)
{
    (void)state;
    file = test_at("t.json");
    assert_int_equal(write_file(NULL), 0);
    test_every_allocation_fails(read_file, NULL);
}

/* In a file of several windows, positions in messages are positions in the file. */
static void a_long_file_is_read_in_bounded_memory(void **state)
{
    enum { EVENTS = 20000 };
    const char *path = test_at("long.json");
    tacho_chrome *writer = NULL;
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    size_t count = 0;
    int more;

    (void)state;
    assert_int_equal(tacho_chrome_open(path, &writer, NULL), 0);
    for (int i = 0; i < EVENTS; i++)
        assert_int_equal(tacho_chrome_push(writer, "name", "category", i, 0, TACHO_NO_FIELDS, NULL),
                         0);
    assert_int_equal(tacho_chrome_close(writer, NULL), 0);
    assert_int_equal(tacho_chrome_reader_open(path, &reader, NULL), 0);
    while ((more = tacho_chrome_next(reader, &event, NULL)) > 0)
        assert_int_equal(event->dur_us, 1000 * count++);
    assert_int_equal(more, 0);
    assert_int_equal(count, EVENTS);
    tacho_chrome_reader_close(reader);
}

static void an_event_above_the_limit_is_refused(void **state)
{
    enum { LEN = (16 << 20) + 100 };
    static const char head[] = "[{\"name\":\"";
    char *text = malloc(LEN);
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    tacho_error err;

    (void)state;
    assert_non_null(text);
    memset(text, 'n', LEN);
    memcpy(text, head, sizeof head - 1);
    assert_int_equal(tacho_chrome_reader_open_mem(text, LEN, &reader, NULL), 0);
    assert_int_equal(tacho_chrome_next(reader, &event, &err), TACHO_ELIMIT);
    tacho_chrome_reader_close(reader);
    free(text);
}

static void a_missing_file_is_reported(void **state)
{
    tacho_chrome_reader *reader = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_chrome_reader_open(test_at("none.json"), &reader, &err), TACHO_EIO);
    assert_int_equal(tacho_chrome_reader_open(test_home, &reader, &err), TACHO_EIO);
    assert_null(reader);
}

static void a_compressed_file_is_refused_by_name(void **state)
{
    tacho_chrome *writer = NULL;
    tacho_chrome_reader *reader = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_chrome_open(test_at("t.json.gz"), &writer, NULL), 0);
    assert_int_equal(tacho_chrome_close(writer, NULL), 0);
    assert_int_equal(tacho_chrome_reader_open(test_at("t.json.gz"), &reader, &err),
                     TACHO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "gunzip"));
    assert_int_equal(tacho_chrome_reader_open_mem("\x1f\x8b", 2, &reader, NULL),
                     TACHO_EUNSUPPORTED);
    assert_null(reader);
}

static void one_missing_event_is_counted_as_one(void **state)
{
    tacho_fields bad = TACHO_FIELDS(tacho_json("k", "{"));
    tacho_chrome *writer = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_chrome_open(test_at("t.json"), &writer, NULL), 0);
    assert_int_equal(tacho_chrome_push(writer, "n", "c", 1, 0, bad, NULL), TACHO_EINVAL);
    assert_int_equal(tacho_chrome_close(writer, &err), TACHO_EINVAL);
    assert_memory_equal(err.message, "1 event is missing in '", 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(writing_survives_every_allocation_failing),
        TEST_IN_HOME(reading_survives_every_allocation_failing),
        TEST_IN_HOME(a_long_file_is_read_in_bounded_memory),
        cmocka_unit_test(an_event_above_the_limit_is_refused),
        TEST_IN_HOME(a_missing_file_is_reported),
        TEST_IN_HOME(a_compressed_file_is_refused_by_name),
        TEST_IN_HOME(one_missing_event_is_counted_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
