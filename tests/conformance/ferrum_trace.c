/* Runs the tests of ferrum's Chrome trace writer (ferrum-bench-core), and checks its documented
   behaviour, against <tacho/chrome.h> and the recorder of <tacho/trace.h>. */
#include <tacho/chrome.h>
#include <tacho/trace.h>

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"

static tacho_chrome *open_writer(const char *path)
{
    tacho_chrome *writer = NULL;

    CHECK_INT(tacho_chrome_open(path, &writer, NULL), 0);
    return writer;
}

static tacho_chrome *open_env(const char *const *pairs)
{
    tacho_chrome *writer = NULL;

    CHECK_INT(tacho_chrome_open_env(pairs, &writer, NULL), 0);
    return writer;
}

static void close_writer(tacho_chrome *writer)
{
    CHECK_INT(tacho_chrome_close(writer, NULL), 0);
}

static void push(tacho_chrome *writer, const char *name, const char *category, double ms,
                 uint32_t track)
{
    CHECK_INT(tacho_chrome_push(writer, name, category, ms, track, TACHO_NO_FIELDS, NULL), 0);
}

/* Reads the event with this index, from 0. It is valid until the reader is closed. */
static const tacho_trace_event *event_of(const char *path, size_t index, tacho_chrome_reader **ret)
{
    const tacho_trace_event *event = NULL;

    CHECK_INT(tacho_chrome_reader_open(path, ret, NULL), 0);
    for (size_t i = 0; i <= index; i++)
        CHECK_INT(tacho_chrome_next(*ret, &event, NULL), 1);
    return event;
}

static size_t count_events(const char *path)
{
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    size_t count = 0;
    int more;

    CHECK_INT(tacho_chrome_reader_open(path, &reader, NULL), 0);
    while ((more = tacho_chrome_next(reader, &event, NULL)) > 0)
        count++;
    CHECK_INT(more, 0);
    tacho_chrome_reader_close(reader);
    return count;
}

/* The tests of the reference. */

static void complete_event_round_trip(void)
{
    tacho_trace_event event = tacho_chrome_complete("rms_norm", "norm", 1000000, 0.123, 1);
    const tacho_trace_event *back = NULL;
    tacho_chrome_reader *reader = NULL;
    char *json;
    size_t len;

    CHECK_TEXT(event.phase, "X");
    CHECK_INT(event.dur_us, 123);
    CHECK_INT(tacho_chrome_event_to_json(&event, &json, &len, NULL), 0);
    CHECK_INT(tacho_chrome_reader_open_mem(json, len, &reader, NULL), 0);
    CHECK_INT(tacho_chrome_next(reader, &back, NULL), 1);
    CHECK_TEXT(back->name, "rms_norm");
    CHECK_INT(back->dur_us, 123);
    CHECK_INT(tacho_chrome_next(reader, &back, NULL), 0);
    tacho_chrome_reader_close(reader);
    free(json);
}

static void disabled_writer_is_noop(void)
{
    tacho_chrome *writer = open_writer(NULL);

    push(writer, "rms_norm", "norm", 1.0, 0);
    CHECK(!tacho_chrome_is_enabled(writer));
    CHECK_TEXT(tacho_chrome_path(writer), NULL);
    CHECK_INT(tacho_chrome_flush(writer, NULL), 0);
    close_writer(writer);
}

static void trace_writer_parses_env_snapshot(void)
{
    tacho_chrome *disabled = open_env((const char *[]){"FERRUM_TRACE_OUT=", "OTHER=1", NULL});
    tacho_chrome *enabled = open_env((const char *[]){"FERRUM_TRACE_OUT=ferrum-trace.json", NULL});

    CHECK(!tacho_chrome_is_enabled(disabled));
    CHECK(tacho_chrome_is_enabled(enabled));
    CHECK_TEXT(tacho_chrome_path(enabled), "ferrum-trace.json");
    close_writer(disabled);
    close_writer(enabled);
}

static void enabled_writer_flushes_to_file(void)
{
    tacho_chrome *writer = open_writer("trace.json");
    tacho_chrome_reader *reader = NULL;

    push(writer, "rms_norm", "norm", 1.0, 1);
    push(writer, "rope", "attn", 0.5, 1);
    CHECK_INT(tacho_chrome_flush(writer, NULL), 0);
    CHECK_INT(count_events("trace.json"), 2);
    CHECK_TEXT(event_of("trace.json", 0, &reader)->name, "rms_norm");
    tacho_chrome_reader_close(reader);
    CHECK_TEXT(event_of("trace.json", 1, &reader)->category, "attn");
    tacho_chrome_reader_close(reader);
    close_writer(writer);
}

/* The documentation of the reference, item by item. */

/* The format: the fields in their order, and nothing else in the file. */
static void the_file_is_an_array_of_complete_events(void)
{
    tacho_trace_event event = tacho_chrome_complete("rms_norm", "norm", 1234, 0.056, 1);
    tacho_chrome *writer = open_writer("trace.json");
    char *text;

    CHECK_INT(tacho_chrome_put(writer, &event, NULL), 0);
    event.args = TACHO_FIELDS(tacho_i64("tokens", 4), tacho_i64("dim", 4096));
    CHECK_INT(tacho_chrome_put(writer, &event, NULL), 0);
    close_writer(writer);
    text = read_whole("trace.json", NULL);
    CHECK_TEXT(text, "[{\"name\":\"rms_norm\",\"cat\":\"norm\",\"ph\":\"X\",\"ts\":1234,\"dur\":56,"
                     "\"pid\":0,\"tid\":1},"
                     "{\"name\":\"rms_norm\",\"cat\":\"norm\",\"ph\":\"X\",\"ts\":1234,\"dur\":56,"
                     "\"pid\":0,\"tid\":1,\"args\":{\"tokens\":4,\"dim\":4096}}]");
    free(text);
    writer = open_writer("empty.json");
    close_writer(writer);
    text = read_whole("empty.json", NULL);
    CHECK_TEXT(text, "[]");
    free(text);
}

static void env_takes_the_first_value_that_is_not_empty(void)
{
    static const struct {
        const char *pairs[4];
        const char *path;
    } env[] = {
        {{"FERRUM_TRACE_OUT=a.json", "FERRUM_TRACE_OUT=b.json", NULL}, "a.json"},
        {{"FERRUM_TRACE_OUT=", "FERRUM_TRACE_OUT=b.json", NULL}, "b.json"},
        {{"FERRUM_TRACE_OUT= ", NULL}, " "}, /* a blank is a path */
        {{"FERRUM_TRACE_OUTER=x", "XFERRUM_TRACE_OUT=x", NULL}, NULL},
        {{"FERRUM_TRACE_OUT=a.json", "TACHO_TRACE_OUT=t.json", NULL}, "t.json"},
        {{"FERRUM_TRACE_OUT=a.json", "TACHO_TRACE_OUT=", NULL}, "a.json"},
        {{NULL}, NULL},
    };

    for (size_t i = 0; i < sizeof env / sizeof env[0]; i++) {
        tacho_chrome *writer = open_env(env[i].pairs);

        CHECK_TEXT(tacho_chrome_path(writer), env[i].path);
        close_writer(writer);
    }
    setenv("FERRUM_TRACE_OUT", "process.json", 1);
    close_writer(open_env(NULL));
    CHECK_INT(count_events("process.json"), 0);
}

static void any_file_name_is_allowed(void)
{
    static const char *const names[] = {"trace", "trace.txt", " ", ".hidden", "made/for/it/t.json"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tacho_chrome *writer = open_writer(names[i]);

        push(writer, "a", "b", 1, 0);
        close_writer(writer);
        CHECK_INT(count_events(names[i]), 1);
    }
}

static void several_writers_at_once(void)
{
    tacho_chrome *one = open_writer("one.json"), *two = open_writer("two.json");

    push(one, "a", "x", 1, 0);
    push(two, "b", "x", 1, 0);
    push(one, "c", "x", 1, 0);
    CHECK(tacho_chrome_is_enabled(one) && tacho_chrome_is_enabled(two));
    close_writer(one);
    close_writer(two);
    CHECK_INT(count_events("one.json"), 2);
    CHECK_INT(count_events("two.json"), 1);
}

enum { THREADS = 4, PUSHES = 500 };

static void *push_many(void *writer)
{
    for (int i = 0; i < PUSHES; i++)
        push(writer, "work", "thread", 0.001, 7);
    return NULL;
}

static void a_writer_is_shared_by_threads(void)
{
    tacho_chrome *writer = open_writer("trace.json");
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, push_many, writer), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close_writer(writer);
    CHECK_INT(count_events("trace.json"), THREADS * PUSHES);
}

/* complete(): half microseconds are rounded away from zero, and the cast saturates. */
static void durations_round_to_whole_microseconds(void)
{
    static const struct {
        double ms;
        uint64_t us;
    } rows[] = {{0.123, 123},          {0.0005, 1},      {0.0004999, 0}, {0.0015, 2},
                {0.0025, 3},           {-1.0, 0},        {NAN, 0},       {INFINITY, UINT64_MAX},
                {DBL_MAX, UINT64_MAX}, {2500.0, 2500000}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(tacho_chrome_complete("n", "c", 0, rows[i].ms, 0).dur_us == rows[i].us);
}

static void push_back_dates_the_start(void)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    tacho_chrome *writer = open_writer("trace.json");
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;

    nanosleep(&pause, NULL);
    push(writer, "late", "x", 5.0, 3);
    close_writer(writer);
    event = event_of("trace.json", 0, &reader);
    CHECK(event->ts_us >= 15000);
    CHECK_INT(event->dur_us, 5000);
    CHECK_INT(event->pid, 0);
    CHECK_INT(event->tid, 3);
    tacho_chrome_reader_close(reader);
}

/* A start before the epoch becomes 0, and the duration stays. */
static void a_start_before_the_epoch_is_zero(void)
{
    static const double durations[] = {2500.0, 1e300, INFINITY};
    tacho_chrome *writer = open_writer("trace.json");
    tacho_chrome_reader *reader = NULL;

    for (size_t i = 0; i < 3; i++)
        push(writer, "load_model", "io", durations[i], 0);
    close_writer(writer);
    for (size_t i = 0; i < 3; i++) {
        const tacho_trace_event *event = event_of("trace.json", i, &reader);

        CHECK_INT(event->ts_us, 0);
        CHECK(event->dur_us == (i == 0 ? 2500000 : UINT64_MAX));
        tacho_chrome_reader_close(reader);
    }
}

static void push_with_args(void)
{
    tacho_chrome *writer = open_writer("trace.json");
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    char *text;

    CHECK_INT(tacho_chrome_push(writer, "a", "b", 0, 0,
                                TACHO_FIELDS(tacho_json("shape", "[32, 4096]"),
                                             tacho_json("none", "null"),
                                             tacho_json("nested", "{\"k\": [1, 2.50, true]}"),
                                             tacho_text("t", "x\"y"), tacho_f64("nan", NAN)),
                                NULL),
              0);
    CHECK_INT(tacho_chrome_push_json(writer, "a", "b", 0, 0,
                                     "{\"z\": 1, \"a\": {\"b\": null}, \"z\": 2}", NULL),
              0);
    CHECK_INT(tacho_chrome_push(
                  writer, "a", "b", 0, 0,
                  TACHO_FIELDS(tacho_i64("twice", 1), tacho_bool("b", true), tacho_i64("twice", 2)),
                  NULL),
              0);
    CHECK_INT(tacho_chrome_push_json(writer, "a", "b", 0, 0, "{}", NULL), 0);
    close_writer(writer);
    text = read_whole("trace.json", NULL);
    CHECK_CONTAINS(text,
                   "\"args\":{\"shape\":[32,4096],\"none\":null,\"nested\":{\"k\":[1,2.5,true]},"
                   "\"t\":\"x\\\"y\",\"nan\":null}}");
    CHECK_CONTAINS(text, "\"args\":{\"z\":2,\"a\":{\"b\":null}}}");
    CHECK_CONTAINS(text, ",\"args\":{\"twice\":2,\"b\":true}}");
    CHECK_CONTAINS(text, "\"tid\":0}]");
    free(text);
    event = event_of("trace.json", 0, &reader);
    CHECK_INT(event->args.count, 5);
    CHECK_TEXT(event->args.data[0].key, "shape");
    CHECK_INT(event->args.data[0].type, TACHO_FIELD_JSON);
    CHECK_TEXT(event->args.data[0].as.text.data, "[32,4096]");
    CHECK_INT(event->args.data[3].type, TACHO_FIELD_TEXT);
    CHECK_TEXT(event->args.data[3].as.text.data, "x\"y");
    tacho_chrome_reader_close(reader);
}

static void bad_args_are_refused_and_reported(void)
{
    tacho_chrome *writer = open_writer("trace.json");
    tacho_error err;

    push(writer, "good", "x", 0, 0);
    CHECK_INT(tacho_chrome_push_json(writer, "a", "b", 0, 0, "[1]", &err), TACHO_EINVAL);
    CHECK_TEXT(err.message, "the arguments of an event must be a JSON object");
    CHECK_INT(tacho_chrome_push_json(writer, "a", "b", 0, 0, "{\"a\":1e999}", &err), TACHO_EINVAL);
    CHECK_INT(
        tacho_chrome_push(writer, "a", "b", 0, 0, TACHO_FIELDS(tacho_json("k", "1,\"x\":2")), &err),
        TACHO_EINVAL);
    CHECK_CONTAINS(err.message, "the argument 'k' is not valid JSON: ");
    CHECK_INT(tacho_chrome_flush(writer, &err), TACHO_EINVAL);
    CHECK_CONTAINS(err.message, "3 events are missing in 'trace.json': ");
    CHECK_INT(count_events("trace.json"), 1);
    CHECK_INT(tacho_chrome_close(writer, &err), TACHO_EINVAL);
}

/* Different on purpose: in the reference, a second flush overwrites the events of the first. */
static void every_flush_writes_all_events(void)
{
    tacho_chrome *writer = open_writer("trace.json");

    push(writer, "one", "x", 1, 0);
    CHECK_INT(tacho_chrome_flush(writer, NULL), 0);
    CHECK_INT(count_events("trace.json"), 1);
    push(writer, "two", "x", 1, 0);
    CHECK_INT(tacho_chrome_flush(writer, NULL), 0);
    CHECK_INT(count_events("trace.json"), 2);
    close_writer(writer);
    CHECK_INT(count_events("trace.json"), 2);
}

static void flush_reports_what_it_cannot_write(void)
{
    tacho_chrome *writer = open_writer("/dev/null/trace.json");
    tacho_error err;

    push(writer, "a", "x", 1, 0);
    CHECK_INT(tacho_chrome_flush(writer, &err), TACHO_EIO);
    CHECK_INT(tacho_chrome_close(writer, &err), TACHO_EIO);
    CHECK_INT(tacho_chrome_close(NULL, &err), 0);
}

/* A writer that is still open when the program exits writes its file, in the folder in which it
   was opened. A forked child does not. */
static void flush_on_drop(void)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        push(open_writer("at-exit.json"), "a", "x", 1, 0);
        if (fork() == 0)
            exit(0);
        wait(NULL);
        if (access("at-exit.json", F_OK) == 0 || chdir("/") < 0)
            _exit(1);
        exit(0);
    }
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK_INT(count_events("at-exit.json"), 1);
}

/* The global writer is the recorder. It is off without a variable, and flushing it then
   succeeds. */
static void global_trace_is_disabled_without_env(void)
{
    CHECK(!tacho_trace_is_on());
    tacho_trace_push("rms_norm", "norm", 1.0, 0);
    CHECK_INT(tacho_trace_flush(NULL), 0);
    CHECK_INT(tacho_trace_stop(NULL), 0);
}

static void global_trace_writes_the_same_events(void)
{
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;

    CHECK_INT(tacho_trace_start("trace.anything", NULL), 0);
    tacho_trace_push("load_model", "io", 2500.0, 4);
    tacho_trace_push_args("rope", "attn", 0.5, 1, TACHO_FIELDS(tacho_json("shape", "[1,2]")));
    CHECK_INT(tacho_trace_flush(NULL), 0);
    event = event_of("trace.anything", 0, &reader);
    CHECK_TEXT(event->name, "load_model");
    CHECK_INT(event->ts_us, 0);
    CHECK_INT(event->dur_us, 2500000);
    CHECK_INT(event->pid, 0);
    CHECK_INT(event->tid, 4);
    tacho_chrome_reader_close(reader);
    event = event_of("trace.anything", 1, &reader);
    CHECK_TEXT(event->args.data[0].as.text.data, "[1,2]");
    tacho_chrome_reader_close(reader);
    CHECK_INT(tacho_trace_stop(NULL), 0);
}

/* The reader refuses what the schema of the reference refuses, and names the place. */
static void the_reader_is_strict(void)
{
#define HEAD "{\"name\":\"n\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":1,"
    static const struct {
        const char *text, *message;
        uint64_t line, column;
    } bad[] = {
        {"[" HEAD "\"dur\":2,\"pid\":0}]", "trace event 1: there is no member 'tid'", 1, 2},
        {"[" HEAD "\"dur\":2,\"pid\":0,\"tid\":0},\n " HEAD "\"dur\":2.0,\"pid\":0,\"tid\":0}]",
         "trace event 2: a whole number below 2^64 is expected for 'dur'", 2, 46},
        {"[" HEAD "\"dur\":-2,\"pid\":0,\"tid\":0}]",
         "trace event 1: a whole number below 2^64 is expected for 'dur'", 1, 46},
        {"[" HEAD "\"dur\":2,\"pid\":4294967296,\"tid\":0}]",
         "trace event 1: a whole number below 2^32 is expected for 'pid'", 1, 54},
        {"[" HEAD "\"dur\":2,\"pid\":0,\"tid\":0,\"args\":null}]",
         "trace event 1: an object is expected for 'args'", 1, 71},
        {"[" HEAD "\"ts\":2}]", "trace event 1: there are two members 'ts'", 1, 41},
        {"[{\"name\":7}]", "trace event 1: a text is expected for 'name'", 1, 10},
        {"[{\"ph\":\"XY\"}]", "trace event 1: one character is expected for 'ph'", 1, 8},
        {"[7]", "trace event 1: an event must be an object", 1, 2},
        {"7", "a trace must be an array of events", 1, 0},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tacho_chrome_reader *reader = NULL;
        const tacho_trace_event *event;
        tacho_error err;
        int more;

        CHECK_INT(tacho_chrome_reader_open_mem(bad[i].text, strlen(bad[i].text), &reader, NULL), 0);
        while ((more = tacho_chrome_next(reader, &event, &err)) > 0)
            ;
        CHECK_INT(more, TACHO_EPARSE);
        CHECK_TEXT(err.message, bad[i].message);
        CHECK_INT(err.line, bad[i].line);
        CHECK_INT(err.column, bad[i].column);
        CHECK_INT(tacho_chrome_next(reader, &event, &err), TACHO_EPARSE); /* final */
        tacho_chrome_reader_close(reader);
    }
}

/* The recorder and a writer cannot write to the same file, however it is spelled. */
static void one_file_has_one_writer(void)
{
    tacho_chrome *writer = NULL;
    tacho_error err;

    CHECK_INT(tacho_trace_start("trace.json", NULL), 0);
    CHECK_INT(tacho_chrome_open("./trace.json", &writer, &err), TACHO_EALREADY);
    CHECK_INT(tacho_chrome_open("other.json", &writer, &err), 0);
    close_writer(writer);
    CHECK_INT(tacho_trace_stop(NULL), 0);
    close_writer(open_writer("trace.json"));
}

static const struct conformance_case cases[] = {
    CASE(complete_event_round_trip),
    CASE(disabled_writer_is_noop),
    CASE(trace_writer_parses_env_snapshot),
    CASE(enabled_writer_flushes_to_file),
    CASE(the_file_is_an_array_of_complete_events),
    CASE(env_takes_the_first_value_that_is_not_empty),
    CASE(any_file_name_is_allowed),
    CASE(several_writers_at_once),
    CASE(a_writer_is_shared_by_threads),
    CASE(durations_round_to_whole_microseconds),
    CASE(push_back_dates_the_start),
    CASE(a_start_before_the_epoch_is_zero),
    CASE(push_with_args),
    CASE(bad_args_are_refused_and_reported),
    CASE(every_flush_writes_all_events),
    CASE(flush_reports_what_it_cannot_write),
    CASE(flush_on_drop),
    CASE(global_trace_is_disabled_without_env),
    CASE(global_trace_writes_the_same_events),
    CASE(the_reader_is_strict),
    CASE(one_file_has_one_writer),
};

CONFORMANCE_MAIN(cases)
