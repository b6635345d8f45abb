/* A program closes all descriptors and opens a file of its own under each number, as a daemon does
   when it starts. libtacho must neither write to that file, nor read from it, nor close it. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/chrome.h>
#include <tacho/csv.h>
#include <tacho/event.h>
#include <tacho/memory.h>
#include <tacho/trace.h>
#include <tacho/witness.h>

#include "base/file.h"
#include "lib/trace/recording_file.h"
#include "lib/trace/recording_walk.h"
#include "support/system.h"

enum { NUMBERS = 1024, FREE = 64, SPANS = 100000 };

static char victim[PATH_MAX];
static struct stat victim_is;
static unsigned said;

static void count_message(const char *message, void *arg)
{
    (void)message;
    (void)arg;
    said++;
}

/* Opens the victim under all numbers but the last FREE ones. */
static int take_numbers(void)
{
    int fd;

    if (close_range(3, ~0U, 0) < 0)
        return -1;
    fd = open(victim, O_RDWR);
    if (fstat(fd, &victim_is) < 0)
        return -1;
    for (int i = 3; i < NUMBERS - FREE; i++)
        if (i != fd && dup2(fd, i) < 0)
            return -1;
    return 0;
}

/* Returns 0 when the victim has its content and is open under all the numbers. */
static int check_numbers(void)
{
    struct stat st;
    char text[16];

    for (int i = 3; i < NUMBERS - FREE; i++)
        if (fstat(i, &st) < 0 || st.st_ino != victim_is.st_ino || st.st_dev != victim_is.st_dev)
            return 101;
    if (lseek(3, 0, SEEK_CUR) != 0)
        return 102;
    return st.st_size == 8 && pread(3, text, 16, 0) == 8 && memcmp(text, "precious", 8) == 0 ? 0
                                                                                             : 103;
}

static void record_spans(int count)
{
    for (int i = 0; i < count; i++) {
        TACHO_SPAN("span", "test");
    }
}

static int ignore(void *ctx, const struct tch_seen_event *e)
{
    (void)ctx;
    (void)e;
    return 0;
}

static int read_recording(struct tch_recording *r, const char *path)
{
    if (tch_recording_open(r, path, NULL) < 0 || tch_recording_walk(r, ignore, NULL, NULL) < 0)
        return -1;
    tch_recording_close(r);
    return 0;
}

/* The cases. Each opens something, loses its descriptors by take_numbers(), and uses it. */

static int continues_a_recording(void)
{
    struct tch_recording r;

    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    record_spans(10);
    if (take_numbers() < 0)
        return 2;
    record_spans(SPANS);
    if (tacho_trace_stop(NULL) < 0)
        return 3;
    return read_recording(&r, test_at("t.tacho")) == 0 && r.spans == SPANS + 10 &&
                   r.head.dropped == 0 && said == 0
               ? 0
               : 4;
}

static int count_in_file(const char *path, const char *text)
{
    struct tch_buf b;
    int count = 0;

    tch_buf_init(&b, 1 << 20);
    if (tch_file_read(path, 1 << 20, &b, NULL) == 0)
        for (const char *at = b.data; (at = strstr(at, text)); at++)
            count++;
    tch_buf_release(&b);
    return count;
}

static int converts_a_recording(void)
{
    if (tacho_trace_start(test_at("t.json"), NULL) < 0)
        return 1;
    record_spans(10);
    if (take_numbers() < 0 || chdir("/") < 0 || tacho_trace_flush(NULL) < 0)
        return 2;
    record_spans(10);
    if (tacho_trace_stop(NULL) < 0 || test_folder_count(test_home) != 2)
        return 3;
    return count_in_file(test_at("t.json"), "\"name\":\"span\"") == 20 ? 0 : 4;
}

/* The recording was moved, so it cannot be opened again: what is mapped is in the file, the rest is
   counted, and one message says so. */
static int counts_what_is_lost(void)
{
    struct tch_recording r;

    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    record_spans(10);
    if (rename(test_at("t.tacho"), test_at("moved.tacho")) < 0 || take_numbers() < 0)
        return 2;
    record_spans(SPANS);
    if (tacho_trace_stop(NULL) != TACHO_EIO)
        return 3;
    if (read_recording(&r, test_at("moved.tacho")) < 0 || !r.head.ended)
        return 4;
    if (r.spans + r.lost_begins + r.head.dropped != SPANS + 10 || r.head.dropped == 0 ||
        r.head.reasons != TCH_REC_CLOSED)
        return 5;
    return said == 1 ? 0 : 6;
}

/* A child made by fork leaves the parent's number alone and makes its own recording. */
static int leaves_numbers_alone_after_fork(void)
{
    struct tch_recording r;
    int status;
    pid_t pid;

    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    record_spans(10);
    if (take_numbers() < 0)
        return 2;
    pid = fork();
    if (pid == 0) {
        record_spans(SPANS);
        _exit(tacho_trace_stop(NULL) < 0 ? 1 : check_numbers());
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return 3;
    if (tacho_trace_stop(NULL) < 0 || read_recording(&r, test_at("t.tacho")) < 0 || r.spans != 10)
        return 4;
    return 0;
}

static tacho_event_writer *open_events(const char *path)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *w = NULL;

    config.path = path;
    return tacho_event_open(&config, &w, NULL) < 0 ? NULL : w;
}

static int push(tacho_event_writer *w)
{
    return tacho_event_push(w, "event", TACHO_NO_FIELDS, TACHO_NO_FIELDS, false, NULL);
}

static int continues_events(void)
{
    tacho_event_writer *w = chdir(test_home) < 0 ? NULL : open_events("p.jsonl");
    struct stat one, two;

    if (!w || push(w) < 0 || stat("p.jsonl", &one) < 0 || take_numbers() < 0 || chdir("/") < 0)
        return 1;
    if (push(w) < 0 || stat(test_at("p.jsonl"), &two) < 0 || two.st_size != 2 * one.st_size)
        return 2;
    if (take_numbers() < 0)
        return 3;
    tacho_event_close(w);
    return said == 0 ? 0 : 4;
}

static int reports_lost_events_once(void)
{
    tacho_event_writer *w = open_events(test_at("p.jsonl"));

    if (!w || push(w) < 0 || unlink(test_at("p.jsonl")) < 0 || take_numbers() < 0)
        return 1;
    for (int i = 0; i < 2; i++)
        if (push(w) != TACHO_EIO)
            return 2;
    tacho_event_close(w);
    return said == 1 ? 0 : 3;
}

static int continues_csv_files(void)
{
    static const enum tacho_csv_mode modes[] = {TACHO_CSV_WHOLE, TACHO_CSV_STREAM,
                                                TACHO_CSV_APPEND};
    tacho_csv_memory row = {.timestamp_us = 1};
    tacho_csv *csv[3];
    struct stat st;

    for (int i = 0; i < 3; i++)
        if (tacho_csv_open(test_at((const char *[]){"a.csv", "b.csv", "c.csv"}[i]),
                           TACHO_CSV_MEMORY, modes[i], &csv[i], NULL) < 0 ||
            tacho_csv_add_memory(csv[i], &row, NULL) < 0 || tacho_csv_flush(csv[i], NULL) < 0)
            return 1;
    if (take_numbers() < 0)
        return 2;
    for (int i = 0; i < 3; i++)
        if (tacho_csv_add_memory(csv[i], &row, NULL) < 0 || tacho_csv_close(csv[i], NULL) < 0)
            return 3 + i;
    if (stat(test_at("a.csv"), &st) < 0 || st.st_size == 0)
        return 6;
    for (int i = 1; i < 3; i++) {
        struct stat other;

        if (stat(test_at(i == 1 ? "b.csv" : "c.csv"), &other) < 0 || other.st_size != st.st_size)
            return 6 + i;
    }
    return test_folder_count(test_home) == 4 ? 0 : 9; /* no temporary file */
}

static int continues_a_witness_log(void)
{
    tacho_witness_entry entry = {0};
    tacho_witness_reader *r = NULL;
    tacho_witness *w = NULL;

    if (tacho_witness_open(test_at("w.jsonl"), &w, NULL) < 0)
        return 1;
    if (take_numbers() < 0)
        return 2;
    if (tacho_witness_close(w, NULL) < 0)
        return 3;
    if (tacho_witness_reader_open(test_at("w.jsonl"), &r, NULL) < 0)
        return 4;
    if (tacho_witness_next(r, &entry, NULL) != 0 || !tacho_witness_reader_is_closed(r))
        return 5;
    tacho_witness_reader_close(r);
    return 0;
}

static int stops_reading(void)
{
    tacho_chrome_reader *r = NULL;

    test_put(test_at("t.json"), "[]");
    if (tacho_chrome_reader_open(test_at("t.json"), &r, NULL) < 0 || take_numbers() < 0)
        return 1;
    tacho_chrome_reader_close(r);
    return 0;
}

static int continues_to_track_memory(void)
{
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory *m = NULL;

    if (tacho_memory_new("m", &m, NULL) < 0 || take_numbers() < 0)
        return 1;
    if (tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &s, NULL) < 0 || s.rss_bytes == 0)
        return 2;
    if (take_numbers() < 0)
        return 3;
    tacho_memory_free(m);
    return 0;
}

static int run_case(void *arg)
{
    int (*body)(void) = *(int (**)(void))arg;
    struct rlimit limit = {NUMBERS, NUMBERS};
    int result;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = NUMBERS;
    if (limit.rlim_max < NUMBERS || setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 100;
    snprintf(victim, sizeof victim, "%s", test_at("victim"));
    test_put(victim, "precious");
    tacho_set_message_handler(count_message, NULL);
    result = body();
    return result != 0 ? result : check_numbers();
}

#define CASE(name)                                                   \
    static void test_##name(void **state)                            \
    {                                                                \
        int (*body)(void) = name;                                    \
                                                                     \
        (void)state;                                                 \
        assert_int_equal(test_in_child(run_case, (void *)&body), 0); \
    }

CASE(continues_a_recording)
CASE(converts_a_recording)
CASE(counts_what_is_lost)
CASE(leaves_numbers_alone_after_fork)
CASE(continues_events)
CASE(reports_lost_events_once)
CASE(continues_csv_files)
CASE(continues_a_witness_log)
CASE(stops_reading)
CASE(continues_to_track_memory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(test_continues_a_recording),
        TEST_IN_HOME(test_converts_a_recording),
        TEST_IN_HOME(test_counts_what_is_lost),
        TEST_IN_HOME(test_leaves_numbers_alone_after_fork),
        TEST_IN_HOME(test_continues_events),
        TEST_IN_HOME(test_reports_lost_events_once),
        TEST_IN_HOME(test_continues_csv_files),
        TEST_IN_HOME(test_continues_a_witness_log),
        TEST_IN_HOME(test_stops_reading),
        TEST_IN_HOME(test_continues_to_track_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
