/* Tests whole processes: environment, threads, fork, exec, signals, exits, limits, a full disk. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "lib/trace/recording_convert.h"
#include "lib/trace/recording_walk.h"
#include "seen.h"
#include "support/system.h"

static struct seen seen;

static bool exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

/* Returns how often a text occurs in a file. */
static int occurrences(const char *path, const char *text)
{
    struct tch_buf b;
    tacho_error err;
    int count = 0;

    tch_buf_init(&b, 64 << 20);
    if (tch_file_read(path, 64 << 20, &b, &err) < 0)
        fail_msg("%s", err.message);
    for (const char *at = b.data; (at = strstr(at, text)); at += strlen(text))
        count++;
    tch_buf_release(&b);
    return count;
}

static void is_off_by_default(void **state)
{
    char line[64];

    (void)state;
    seen_run(NULL, NULL, (const char *[]){"why", NULL}, line);
    assert_string_equal(line, "no trace was requested; set TACHO_TRACE_OUT");
    assert_int_equal(test_folder_count(test_home), 0);
}

static void writes_the_requested_file_and_removes_the_recording(void **state)
{
    (void)state;
    seen_run(test_at("a/b/trace.json"), NULL, (const char *[]){"spans", "2", "100", NULL}, NULL);
    assert_int_equal(occurrences(test_at("a/b/trace.json"), "\"name\":\"work\""), 200);
    assert_int_equal(test_folder_count(test_at("a/b")), 1);
}

static void accepts_the_older_variable(void **state)
{
    char variable[128];

    (void)state;
    snprintf(variable, sizeof variable, "FERRUM_TRACE_OUT=%s", test_at("trace.json"));
    seen_run(NULL, (const char *[]){variable, NULL}, (const char *[]){"spans", "1", "5", NULL},
             NULL);
    assert_int_equal(occurrences(test_at("trace.json"), "\"ph\":\"X\""), 5);
}

/* As in the reference, whose first push reads the variable. */
static void the_first_push_reads_a_variable_that_main_has_set(void **state)
{
    char line[64];

    (void)state;
    seen_run(NULL, (const char *[]){"TACHO_TRACE_OUT=", NULL},
             (const char *[]){"setenv", "push", test_at("t.json"), NULL}, line);
    assert_string_equal(line, "on");
    assert_int_equal(occurrences(test_at("t.json"), "\"pushed\""), 2);
    assert_int_equal(occurrences(test_at("t.json"), "\"work\""), 0);
    seen_run(NULL, NULL, (const char *[]){"setenv", "stopped", test_at("s.json"), NULL}, line);
    assert_string_equal(line, "the trace was stopped");
    assert_int_equal(occurrences(test_at("s.json"), "\"pushed\""), 2);
}

static void the_first_push_leaves_the_file_to_a_chrome_writer(void **state)
{
    char line[64];

    (void)state;
    seen_run(NULL, NULL, (const char *[]){"setenv", "chrome", test_at("t.json"), NULL}, line);
    assert_string_equal(line, "the file of the trace was left to tacho_chrome_open()");
    assert_int_equal(occurrences(test_at("t.json"), "\"written\""), 1);
    assert_int_equal(test_folder_count(test_home), 1);
}

static void records_into_the_run_folder(void **state)
{
    char variable[128];
    const char *recording;

    (void)state;
    snprintf(variable, sizeof variable, "TACHO_RUN_DIR=%s", test_home);
    seen_run(NULL, (const char *[]){variable, NULL}, (const char *[]){"spans", "1", "5", NULL},
             NULL);
    recording = seen_find(".tacho");
    assert_non_null(recording);
    assert_memory_equal(strrchr(recording, '/'), "/trace.", 7);
    seen_read(&seen, recording);
    assert_int_equal(seen_spans(&seen, "work"), 5);
    assert_int_equal(seen.r.head.ended, 1);
}

static void says_why_a_path_cannot_be_written(void **state)
{
    static const struct {
        const char *variable, *why;
    } bad[] = {
        {"TACHO_TRACE_OUT=/dev/null/trace.json",
         "no trace for TACHO_TRACE_OUT: cannot create folder"},
        {"FERRUM_TRACE_OUT=/dev/null/trace.json",
         "no trace for FERRUM_TRACE_OUT: cannot create folder"},
        {"TACHO_TRACE_OUT=/proc/trace.json",
         "no trace for TACHO_TRACE_OUT: cannot make the recording"},
    };
    char line[64], variable[128];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        seen_run(NULL, (const char *[]){bad[i].variable, NULL}, (const char *[]){"why", NULL},
                 line);
        if (strncmp(line, bad[i].why, strlen(bad[i].why)) != 0)
            fail_msg("'%s' does not begin with '%s'", line, bad[i].why);
    }
    snprintf(variable, sizeof variable, "FERRUM_TRACE_OUT=%s", test_at("t.json"));
    seen_run(NULL, (const char *[]){variable, "TACHO_TRACE_LIMIT=lots", NULL},
             (const char *[]){"why", NULL}, line);
    assert_memory_equal(line, "no trace for FERRUM_TRACE_OUT: TACHO_TRACE_LIMIT is 'lots'", 58);
}

/* When a requested trace cannot be written, a message on standard error says so, once. */
static void prints_at_exit_why_there_is_no_trace(void **state)
{
    char text[512] = "";
    size_t len;
    FILE *out = popen("FERRUM_TRACE_OUT=/dev/null/t.json '" TRACE_CHILD "' spans 2 10 2>&1", "r");

    (void)state;
    assert_non_null(out);
    len = fread(text, 1, sizeof text - 1, out);
    assert_int_equal(pclose(out), 0);
    assert_memory_equal(text, "tacho: no trace for FERRUM_TRACE_OUT: cannot create folder", 58);
    assert_ptr_equal(strchr(text, '\n'), text + len - 1);
}

static void children_of_any_name_get_files_of_their_own(void **state)
{
    static const struct {
        const char *name, *extension;
    } cases[] = {{"t.json.gz", "json.gz"}, {"t.txt", "txt"}, {"a.b", "b"}};
    char pid[64], name[128];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        seen_run(test_at(cases[i].name), NULL, (const char *[]){"exec", TRACE_CHILD, NULL}, pid);
        snprintf(name, sizeof name, "%c.%s.%s", cases[i].name[0], pid, cases[i].extension);
        assert_true(exists(test_at(cases[i].name)));
        assert_true(exists(test_at(name)));
    }
}

/* The variable starts the recorder, too. An empty recording is removed in favour of the writer;
   recorded spans are not overwritten. */
static void leaves_its_file_to_a_writer_unless_it_has_spans(void **state)
{
    char line[64];

    (void)state;
    seen_run(test_at("t.json"), NULL, (const char *[]){"chrome", "before", NULL}, line);
    assert_string_equal(line, "written");
    assert_int_equal(occurrences(test_at("t.json"), "\"ph\":\"X\""), 1);
    assert_int_equal(occurrences(test_at("t.json"), "\"name\":\"pushed\""), 1);
    assert_int_equal(test_folder_count(test_home), 1);
    seen_run(test_at("t.json"), NULL, (const char *[]){"chrome", "after", NULL}, line);
    assert_memory_equal(line, "this process records spans to '", 31);
    assert_int_equal(occurrences(test_at("t.json"), "\"name\":\"pushed\""), 0);
    assert_int_equal(occurrences(test_at("t.json"), "\"name\":\"work\""), 2);
}

static void keeps_ten_million_spans_of_two_threads(void **state)
{
    struct stat st;

    (void)state;
    seen_run(test_at("t.tacho"), NULL, (const char *[]){"spans", "2", "5000000", NULL}, NULL);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "work"), 10000000);
    assert_int_equal(seen.r.unfinished + seen.r.lost_ends + seen.r.head.dropped, 0);
    assert_int_equal(stat(test_at("t.tacho"), &st), 0);
    print_message("%.3f bytes a span\n", (double)st.st_size / 1e7);
    assert_true((double)st.st_size / 1e7 <= 16.1);
}

static void gives_a_lane_to_the_next_thread(void **state)
{
    struct stat st;

    (void)state;
    seen_run(test_at("t.tacho"), NULL, (const char *[]){"threads", "3000", NULL}, NULL);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "work"), 3000);
    assert_int_equal(seen.r.threads, 3000);
    assert_int_equal(stat(test_at("t.tacho"), &st), 0);
    assert_true(st.st_size < 1 << 20); /* not one stage per thread */
}

static void gives_a_forked_child_a_file_of_its_own(void **state)
{
    char pid[64], name[128];

    (void)state;
    seen_run(test_at("trace.json"), NULL, (const char *[]){"fork", NULL}, pid);
    snprintf(name, sizeof name, "trace.%s.json", pid);
    assert_int_equal(occurrences(test_at("trace.json"), "\"name\":\"work\""), 2);
    assert_int_equal(occurrences(test_at("trace.json"), "in child"), 0);
    assert_int_equal(occurrences(test_at(name), "\"name\":\"work\""), 1);
    assert_int_equal(occurrences(test_at(name), "\"name\":\"in child\""), 1);
    assert_int_equal(occurrences(test_at(name), "\"name\":\"new name\""), 1);
    assert_int_equal(test_folder_count(test_home), 2);
}

static void makes_no_file_for_a_child_that_records_nothing(void **state)
{
    (void)state;
    seen_run(test_at("trace.json"), NULL, (const char *[]){"forkidle", NULL}, NULL);
    assert_int_equal(test_folder_count(test_home), 1);
}

static void gives_a_child_after_exec_a_file_of_its_own(void **state)
{
    char pid[64], name[128];

    (void)state;
    seen_run(test_at("trace.pftrace"), NULL, (const char *[]){"exec", TRACE_CHILD, NULL}, pid);
    snprintf(name, sizeof name, "trace.%s.pftrace", pid);
    assert_true(exists(test_at("trace.pftrace")));
    assert_true(exists(test_at(name)));
    assert_int_equal(test_folder_count(test_home), 2);
}

static void keeps_records_made_before_an_exec(void **state)
{
    char pid[64], name[128];

    (void)state;
    seen_run(test_at("trace.json"), NULL, (const char *[]){"reexec", TRACE_CHILD, NULL}, pid);
    snprintf(name, sizeof name, "trace.json.%s.tacho", pid);
    seen_read(&seen, test_at(name));
    assert_int_equal(seen_spans(&seen, "work"), 1);
    snprintf(name, sizeof name, "trace.%s.json", pid);
    assert_int_equal(occurrences(test_at(name), "\"name\":\"work\""), 3);
}

static void keeps_the_recording_of_a_run_folder_before_an_exec(void **state)
{
    char variable[512], pid[64], name[128];

    (void)state;
    snprintf(variable, sizeof variable, "TACHO_RUN_DIR=%s", test_home);
    seen_run(NULL, (const char *[]){variable, NULL}, (const char *[]){"reexec", TRACE_CHILD, NULL},
             pid);
    snprintf(name, sizeof name, "trace.%s.tacho", pid);
    seen_read(&seen, test_at(name));
    assert_int_equal(seen_spans(&seen, "work"), 1);
    snprintf(name, sizeof name, "trace.%s-2.tacho", pid);
    seen_read(&seen, test_at(name));
    assert_int_equal(seen_spans(&seen, "work"), 3);
}

static void keeps_spans_that_are_open_at_exit_from_any_thread(void **state)
{
    (void)state;
    seen_run(test_at("trace.json"), NULL, (const char *[]){"open", NULL}, NULL);
    assert_int_equal(occurrences(test_at("trace.json"), "{\"name\":\"main never ends\",\"cat\":"
                                                        "\"test\",\"ph\":\"B\""),
                     1);
    assert_int_equal(
        occurrences(test_at("trace.json"), "{\"name\":\"left open\",\"cat\":\"test\",\"ph\":\"B\""),
        1);
    assert_int_equal(test_folder_count(test_home), 1);
}

static void leaves_the_recording_after_an_abort(void **state)
{
    pid_t pid = seen_start(test_at("trace.json"), NULL, (const char *[]){"abort", NULL}, NULL);
    const char *recording;
    tacho_error err;

    (void)state;
    assert_true(WIFSIGNALED(seen_wait(pid)));
    recording = seen_find(".tacho");
    assert_non_null(recording);
    seen_read(&seen, recording);
    assert_int_equal(seen_spans(&seen, "work"), 1);
    assert_int_equal(seen_unfinished(&seen, "aborts"), 1);
    assert_int_equal(seen.r.head.ended, 0);
    assert_int_equal(tch_trace_convert(recording, test_at("r.json"), NULL, &err), 0);
    assert_int_equal(occurrences(test_at("r.json"), "\"ph\":\"B\""), 1);
}

static void records_from_libraries_that_are_loaded_and_unloaded(void **state)
{
    (void)state;
    seen_run(test_at("t.tacho"), NULL, (const char *[]){"plugin", TRACE_PLUGIN, NULL}, NULL);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "plugin"), 4);
}

static void records_in_signal_handlers(void **state)
{
    char line[64];
    unsigned long long below, above;

    (void)state;
    seen_run(test_at("t.tacho"), NULL, (const char *[]){"handler", "2000", NULL}, line);
    assert_int_equal(sscanf(line, "%llu %llu", &below, &above), 2);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "below"), below);
    assert_int_equal(seen_spans(&seen, "below inside"), below);
    assert_int_equal(seen_spans(&seen, "handler"), above);
    assert_int_equal(seen_spans(&seen, "handler inside"), above);
    assert_int_equal(seen.r.unfinished + seen.r.lost_ends + seen.r.head.dropped, 0);
}

static void flushes_when_the_signal_arrives(void **state)
{
    const char *out = test_at("trace.json");
    char text[16];
    int fd;
    pid_t pid = seen_start(out, NULL, (const char *[]){"signal", NULL}, &fd);

    (void)state;
    assert_true(read(fd, text, sizeof text) > 0);
    close(fd);
    kill(pid, SIGUSR1);
    for (int i = 0; i < 300000 && !exists(out); i++)
        usleep(2000);
    assert_int_equal(occurrences(out, "\"name\":\"work\""), 1);
    kill(pid, SIGKILL);
    seen_wait(pid);
}

static void flushes_when_the_signal_arrives_in_a_child(void **state)
{
    char start[512];

    (void)state;
    if (TEST_SANITIZED) {
        print_message("skipped: the child of a process with threads may hang in the allocator of a "
                      "sanitizer\n");
        skip();
    }
    snprintf(start, sizeof start, "%s", test_at("trace"));
    seen_run(test_at("trace.json"), NULL, (const char *[]){"forksignal", start, NULL}, NULL);
}

/* An argument whose key has no room is left out and counted; its event stays. */
static void keeps_events_when_there_is_no_room_for_names(void **state)
{
    (void)state;
    seen_run(test_at("trace.tacho"), NULL, (const char *[]){"keys", NULL}, NULL);
    seen_read(&seen, test_at("trace.tacho"));
    assert_int_equal(seen_others(&seen, "moment"), 11);
    assert_int_equal(seen.r.head.cut, 10);
    assert_true(seen.r.head.reasons & TCH_REC_NAMES);
}

static void flushes_again_and_keeps_earlier_events(void **state)
{
    (void)state;
    seen_run(test_at("trace.json"), NULL, (const char *[]){"flush", test_at("trace.json"), NULL},
             NULL);
    assert_int_equal(occurrences(test_at("trace.json"), "\"name\":\"work\""), 3);
}

/* Returns the number of spans whose begin was read. */
static uint64_t begins(const struct tch_recording *r)
{
    return r->spans + r->unfinished + r->lost_begins;
}

/* Two threads write 1.6 MB each into 4 MiB. Dropped records are counted. */
static void stops_at_the_limit_and_counts_the_rest(void **state)
{
    struct stat st;

    (void)state;
    seen_run(test_at("t.tacho"), (const char *[]){"TACHO_TRACE_LIMIT=4MiB,stop", NULL},
             (const char *[]){"spans", "2", "500000", NULL}, NULL);
    assert_int_equal(stat(test_at("t.tacho"), &st), 0);
    assert_true(st.st_size <= (4 << 20) + TCH_REC_CHUNK);
    seen_read(&seen, test_at("t.tacho"));
    assert_true(seen.r.head.dropped > 0);
    assert_int_equal(seen.r.head.reasons, TCH_REC_LIMIT);
    assert_int_equal(begins(&seen.r) + seen.r.head.dropped, 1000000);
}

static void overwrites_the_oldest_in_a_ring(void **state)
{
    struct stat st;
    tacho_error err;

    (void)state;
    seen_run(test_at("t.tacho"), (const char *[]){"TACHO_TRACE_LIMIT=5MiB,ring", NULL},
             (const char *[]){"spans", "2", "500000", NULL}, NULL);
    assert_int_equal(stat(test_at("t.tacho"), &st), 0);
    assert_true(st.st_size <= 5 << 20);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen.r.head.reasons, TCH_REC_RING);
    assert_int_equal(begins(&seen.r) + seen.r.head.dropped, 1000000);
    assert_int_equal(tch_trace_convert(test_at("t.tacho"), test_at("t.json"), NULL, &err), 0);
    /* The records that contained the threads' names were replaced. */
    assert_int_equal(occurrences(test_at("t.json"), "\"thread_name\""), 2);
    assert_int_equal(occurrences(test_at("t.json"), "\"name\":\"records dropped\""), 1);
}

static void holds_a_stage_in_memory_for_each_thread_however_much_it_records(void **state)
{
    enum {
        THREADS = 8,
        CODE_KIB = 1024
    }; /* code and data of libraries that are loaded at the same time */
    char line[64];
    uint64_t kib;

    (void)state;
    seen_run(test_at("t.tacho"), NULL, (const char *[]){"memory", "8", "200000", NULL}, line);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "work"), THREADS * 200000 + 1); /* 25 MB */
    line[strcspn(line, "\n")] = '\0';
    assert_int_equal(tch_parse_u64(line, UINT64_MAX, &kib), 0);
    assert_in_range(kib, THREADS * 128, THREADS * 256 + CODE_KIB);
}

static void records_by_the_other_clock(void **state)
{
    uint64_t before = tch_now_ns();

    (void)state;
    seen_run(test_at("t.tacho"), (const char *[]){"TACHO_CLOCK=monotonic", NULL},
             (const char *[]){"spans", "2", "50000", NULL}, NULL);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen.r.head.clock, TCH_REC_CLOCK_NS);
    assert_int_equal(seen_spans(&seen, "work"), 100000);
    assert_in_range(seen.r.clock.first.ns, before, tch_now_ns());
    assert_in_range(seen.r.clock.last.ns, seen.r.clock.first.ns, tch_now_ns());
    /* ticks are nanoseconds */
    assert_int_equal(tch_clock_ns(&seen.r.clock, seen.r.clock.first.ticks + 1000000),
                     seen.r.clock.first.ns + 1000000);
    seen_run(test_at("all.json"), (const char *[]){"TACHO_CLOCK=monotonic", NULL},
             (const char *[]){"all", NULL}, NULL);
    assert_int_equal(occurrences(test_at("all.json"), "\"name\":\"inner\""), 100);
}

static void convert_and_compare(const char *recording)
{
    struct tch_buf first, second;

    tch_buf_init(&first, 64 << 20);
    tch_buf_init(&second, 64 << 20);
    assert_int_equal(tch_trace_convert(recording, test_at("1.json"), NULL, NULL), 0);
    assert_int_equal(tch_trace_convert(recording, test_at("2.json"), NULL, NULL), 0);
    assert_int_equal(tch_file_read(test_at("1.json"), 64 << 20, &first, NULL), 0);
    assert_int_equal(tch_file_read(test_at("2.json"), 64 << 20, &second, NULL), 0);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.data, second.data, first.len);
    tch_buf_release(&first);
    tch_buf_release(&second);
}

static void gives_the_same_times_at_every_reading(void **state)
{
    int status;

    (void)state;
    seen_run(test_at("ended.tacho"), NULL, (const char *[]){"all", NULL}, NULL);
    convert_and_compare(test_at("ended.tacho"));
    status =
        seen_wait(seen_start(test_at("killed.tacho"), NULL, (const char *[]){"abort", NULL}, NULL));
    assert_true(WIFSIGNALED(status));
    convert_and_compare(test_at("killed.tacho"));
    seen_read(&seen, test_at("killed.tacho"));
    assert_false(seen.r.clock_from_reader);
}

struct late {
    uint64_t first, last;
};

static int see_late(void *ctx, const struct tch_seen_event *e)
{
    struct late *late = ctx;

    if (e->seen == TCH_SEEN_END)
        late->first = e->ns;
    if (e->seen == TCH_SEEN_UNFINISHED)
        late->last = e->ns;
    return 0;
}

/* The pairs of the recording are some microseconds apart, which is not enough for a tenth of a
   second. If the program had to wait for a CPU between the two pairs, they may be. */
static void takes_its_own_clock_pair_when_those_of_the_recording_mislead(void **state)
{
    uint64_t before = tch_now_ns();
    struct tch_recording r;
    struct late late = {0};
    uint64_t last_ns;
    int status;

    (void)state;
    status = seen_wait(
        seen_start(test_at("t.tacho"), NULL, (const char *[]){"late", "100", NULL}, NULL));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(tch_recording_open(&r, test_at("t.tacho"), NULL), 0);
    assert_int_equal(tch_recording_walk(&r, see_late, &late, NULL), 0);
    tch_recording_close(&r);
    last_ns = r.head.last[0].ns > r.head.last[1].ns ? r.head.last[0].ns : r.head.last[1].ns;
    if (last_ns - r.head.first.ns < 4000000)
        assert_int_equal(r.clock_from_reader, r.head.clock == TCH_REC_CLOCK_TSC);
    assert_in_range(late.first, before, late.last);
    assert_in_range(late.last - late.first, 99990000, tch_now_ns() - before);
}

static int ignore(void *ctx, const struct tch_seen_event *e)
{
    (void)ctx;
    (void)e;
    return 0;
}

static int record_on_a_full_disk(void)
{
    struct tch_recording r;
    const char *out = test_at("t.tacho");
    int status;
    pid_t pid;

    pid = fork();
    if (pid == 0) {
        setenv("TACHO_TRACE_OUT", out, 1);
        execl(TRACE_CHILD, TRACE_CHILD, "spans", "2", "500000", (char *)NULL);
        _exit(98);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return 1;
    if (tch_recording_open(&r, out, NULL) < 0)
        return 2;
    if (tch_recording_walk(&r, ignore, NULL, NULL) < 0)
        return 3;
    tch_recording_close(&r);
    if (begins(&r) + r.head.dropped != 1000000)
        return 4;
    return r.head.dropped > 0 && r.head.reasons == TCH_REC_DISK ? 0 : 5;
}

static void counts_records_that_a_full_disk_refuses(void **state)
{
    (void)state;
    test_on_small_disk(5 * 1024, record_on_a_full_disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(is_off_by_default),
        TEST_IN_HOME(writes_the_requested_file_and_removes_the_recording),
        TEST_IN_HOME(accepts_the_older_variable),
        TEST_IN_HOME(the_first_push_reads_a_variable_that_main_has_set),
        TEST_IN_HOME(the_first_push_leaves_the_file_to_a_chrome_writer),
        TEST_IN_HOME(records_into_the_run_folder),
        TEST_IN_HOME(says_why_a_path_cannot_be_written),
        TEST_IN_HOME(prints_at_exit_why_there_is_no_trace),
        TEST_IN_HOME(children_of_any_name_get_files_of_their_own),
        TEST_IN_HOME(leaves_its_file_to_a_writer_unless_it_has_spans),
        TEST_IN_HOME(keeps_ten_million_spans_of_two_threads),
        TEST_IN_HOME(gives_a_lane_to_the_next_thread),
        TEST_IN_HOME(gives_a_forked_child_a_file_of_its_own),
        TEST_IN_HOME(makes_no_file_for_a_child_that_records_nothing),
        TEST_IN_HOME(gives_a_child_after_exec_a_file_of_its_own),
        TEST_IN_HOME(keeps_records_made_before_an_exec),
        TEST_IN_HOME(keeps_the_recording_of_a_run_folder_before_an_exec),
        TEST_IN_HOME(keeps_spans_that_are_open_at_exit_from_any_thread),
        TEST_IN_HOME(leaves_the_recording_after_an_abort),
        TEST_IN_HOME(records_from_libraries_that_are_loaded_and_unloaded),
        TEST_IN_HOME(records_in_signal_handlers),
        TEST_IN_HOME(flushes_when_the_signal_arrives),
        TEST_IN_HOME(flushes_when_the_signal_arrives_in_a_child),
        TEST_IN_HOME(keeps_events_when_there_is_no_room_for_names),
        TEST_IN_HOME(flushes_again_and_keeps_earlier_events),
        TEST_IN_HOME(stops_at_the_limit_and_counts_the_rest),
        TEST_IN_HOME(overwrites_the_oldest_in_a_ring),
        TEST_IN_HOME(holds_a_stage_in_memory_for_each_thread_however_much_it_records),
        TEST_IN_HOME(records_by_the_other_clock),
        TEST_IN_HOME(gives_the_same_times_at_every_reading),
        TEST_IN_HOME(takes_its_own_clock_pair_when_those_of_the_recording_mislead),
        TEST_IN_HOME(counts_records_that_a_full_disk_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
