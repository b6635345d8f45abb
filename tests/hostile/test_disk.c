/* Records spans and writes events when no more can be written: on a small disk, with a limit on the
   size of files, and reads a recording that is almost all hole. The program never stops or waits
   because of that. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/event.h>
#include <tacho/trace.h>

#include "lib/trace/recording_file.h"
#include "lib/trace/recording_walk.h"
#include "support/system.h"

enum { SPANS = 500000, LIMIT = 3 << 20 };

static void set_limit(rlim_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static int ignore(void *ctx, const struct tch_seen_event *e)
{
    (void)ctx;
    (void)e;
    return 0;
}

/* Checks that every span is in the file or counted as dropped, and that the file is no longer
   than `most`. Returns 0, or the number of the check that failed. */
static int check_recording(const char *path, uint64_t spans, off_t most)
{
    struct tch_recording r;
    struct stat st;

    if (tch_recording_open(&r, path, NULL) < 0)
        return 11;
    if (tch_recording_walk(&r, ignore, NULL, NULL) < 0)
        return 12;
    tch_recording_close(&r);
    if (r.spans + r.lost_begins + r.head.dropped != spans)
        return 13;
    if (r.head.dropped == 0 || r.head.reasons != TCH_REC_DISK)
        return 14;
    return stat(path, &st) == 0 && st.st_size <= most ? 0 : 15;
}

static void record_spans(int count)
{
    for (int i = 0; i < count; i++) {
        TACHO_SPAN("span", "test");
    }
}

/* Records until RLIMIT_FSIZE. If the kernel kills the process by SIGXFSZ, test_in_child() fails. */

static int record_up_to_the_limit(void *arg)
{
    (void)arg;
    set_limit(LIMIT);
    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    record_spans(SPANS);
    if (tacho_trace_stop(NULL) < 0)
        return 2;
    return check_recording(test_at("t.tacho"), SPANS, LIMIT);
}

static void stops_recording_at_the_file_size_limit(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(record_up_to_the_limit, NULL), 0);
}

/* The trace as JSON is larger than the recording. */
static int convert_up_to_the_limit(void *arg)
{
    tacho_error err;

    (void)arg;
    if (tacho_trace_start(test_at("t.json"), NULL) < 0)
        return 1;
    record_spans(SPANS / 10);
    set_limit(LIMIT);
    if (tacho_trace_stop(&err) != TACHO_EIO || err.system_errno != EFBIG)
        return 2;
    return test_folder_count(test_home) == 1 ? 0 : 3; /* the recording is kept */
}

static void fails_to_convert_at_the_file_size_limit(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(convert_up_to_the_limit, NULL), 0);
}

/* The last event before the limit is torn, the next one fails completely, and then there is room
   again. */
static int push_events_up_to_the_limit(void *arg)
{
    const char *path = test_at("p.jsonl");
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_fields none = {0};
    tacho_event_writer *w = NULL;
    struct stat st;
    char text[4096];
    ssize_t len;
    int fd;

    (void)arg;
    config.path = path;
    set_limit(1 << 20);
    if (tacho_event_open(&config, &w, NULL) < 0 ||
        tacho_event_push(w, "first", none, none, false, NULL) < 0 || stat(path, &st) < 0)
        return 1;
    set_limit((rlim_t)st.st_size + 20);
    if (tacho_event_push(w, "torn", none, none, false, NULL) != TACHO_EIO)
        return 2;
    if (tacho_event_push(w, "lost", none, none, false, NULL) != TACHO_EIO)
        return 3;
    set_limit(1 << 20);
    if (tacho_event_push(w, "last", none, none, false, NULL) < 0)
        return 4;
    tacho_event_close(w);
    fd = open(path, O_RDONLY);
    len = read(fd, text, sizeof text - 1);
    close(fd);
    if (len <= 0)
        return 5;
    text[len] = '\0';
    return strstr(text, "\n{\"event\":\"last\"") && text[len - 1] == '\n' ? 0 : 6;
}

static void starts_a_new_line_after_a_torn_one(void **state)
{
    (void)state;
    assert_int_equal(test_in_child(push_events_up_to_the_limit, NULL), 0);
}

/* A small disk. */

enum { DISK_KIB = 5 * 1024 };

static int record_on_a_full_disk(void)
{
    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    record_spans(4 * SPANS);
    if (tacho_trace_stop(NULL) < 0)
        return 2;
    return check_recording(test_at("t.tacho"), 4 * SPANS, DISK_KIB * 1024);
}

static void does_not_grow_on_a_full_disk(void **state)
{
    (void)state;
    test_on_small_disk(DISK_KIB, record_on_a_full_disk);
}

/* While the disk is full no thread gets a stage. As soon as there is room, the next thread does. */
static int record_when_there_is_room_again(void)
{
    const struct timespec pause = {.tv_nsec = 300000000}; /* longer than the recorder waits */
    struct tch_recording r;
    int fd = open(test_at("filler"), O_CREAT | O_WRONLY, 0600);

    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    if (posix_fallocate(fd, 0, (DISK_KIB - 300) * 1024) != 0)
        return 2;
    record_spans(1000);
    if (ftruncate(fd, 0) < 0)
        return 3;
    nanosleep(&pause, NULL);
    record_spans(1000);
    if (tacho_trace_stop(NULL) < 0)
        return 4;
    if (tch_recording_open(&r, test_at("t.tacho"), NULL) < 0 ||
        tch_recording_walk(&r, ignore, NULL, NULL) < 0)
        return 5;
    tch_recording_close(&r);
    return r.spans == 1000 && r.head.reasons == TCH_REC_DISK ? 0 : 6;
}

static void records_again_when_there_is_room(void **state)
{
    (void)state;
    test_on_small_disk(DISK_KIB, record_when_there_is_room_again);
}

/* Reads a recording with a large hole. Reading it byte by byte would take hours. */
static int read_a_hole(void *arg)
{
    struct tch_recording r;

    (void)arg;
    if (tacho_trace_start(test_at("t.tacho"), NULL) < 0)
        return 1;
    record_spans(10);
    if (tacho_trace_stop(NULL) < 0)
        return 2;
    if (truncate(test_at("t.tacho"), (off_t)1 << 43) < 0)
        return 77;
    alarm(600);
    if (tch_recording_open(&r, test_at("t.tacho"), NULL) < 0)
        return 3;
    if (tch_recording_walk(&r, ignore, NULL, NULL) < 0)
        return 4;
    tch_recording_close(&r);
    return r.spans == 10 ? 0 : 5;
}

static void skips_a_hole_of_terabytes(void **state)
{
    int result = test_in_child(read_a_hole, NULL);

    (void)state;
    if (result == 77) {
        print_message("skipped: the file system has no files of 8 TiB\n");
        skip();
    }
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(stops_recording_at_the_file_size_limit),
        TEST_IN_HOME(fails_to_convert_at_the_file_size_limit),
        TEST_IN_HOME(starts_a_new_line_after_a_torn_one),
        TEST_IN_HOME(does_not_grow_on_a_full_disk),
        TEST_IN_HOME(records_again_when_there_is_room),
        TEST_IN_HOME(skips_a_hole_of_terabytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
