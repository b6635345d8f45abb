/* Tests of scanning a file on several threads: the same result as on one, in order, in bounded
   memory. */
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "kit/event/event_scan.h"
#include "kit/event/line_blocks.h"
#include "lib/event/sample.h"

static int file_of(const struct tch_buf *text)
{
    int fd = memfd_create("events", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(tch_write_all(fd, "events", text->data, text->len, NULL), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Records the numbers of the bad lines and the start of their messages. */
static void note_bad(void *ctx, const tacho_error *why)
{
    tch_buf_addf(ctx, "%llu:%.12s\n", (unsigned long long)why->line, why->message);
}

static int count_event(void *worker, const tacho_event_view *event, tacho_error *err)
{
    (void)event;
    (void)err;
    ++*(uint64_t *)worker;
    return 0;
}

struct feed {
    const struct tch_buf *text;
    int fd;
};

static void *feed(void *arg)
{
    const struct feed *f = arg;

    tch_write_all(f->fd, "pipe", f->text->data, f->text->len, NULL);
    close(f->fd);
    return NULL;
}

static struct tch_scan_counts scan_fd(int fd, unsigned threads, struct tch_buf *bad)
{
    uint64_t events[8] = {0};
    void *workers[8];
    const struct tch_scan how = {
        .threads = threads, .workers = workers, .event = count_event, .bad = note_bad, .ctx = bad};
    struct tch_scan_counts counts;
    uint64_t sum = 0;

    for (size_t i = 0; i < 8; i++)
        workers[i] = &events[i];
    tch_buf_clear(bad);
    assert_int_equal(tch_scan_fd(fd, "events", &how, &counts, NULL), 0);
    for (size_t i = 0; i < 8; i++)
        sum += events[i];
    assert_int_equal(sum, counts.events);
    return counts;
}

/* Scans a file. A pipe must give the same result. */
static struct tch_scan_counts scan(const struct tch_buf *text, unsigned threads,
                                   struct tch_buf *bad)
{
    struct tch_scan_counts of_file;
    struct tch_scan_counts of_pipe;
    struct feed f = {.text = text};
    struct tch_buf bad_of_pipe;
    pthread_t thread;
    int fd = file_of(text);
    int fds[2];

    of_file = scan_fd(fd, threads, bad);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), text->len);
    close(fd);
    assert_int_equal(of_file.bytes, text->len);

    tch_buf_init(&bad_of_pipe, 1 << 20);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    f.fd = fds[1];
    assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
    of_pipe = scan_fd(fds[0], threads, &bad_of_pipe);
    pthread_join(thread, NULL);
    close(fds[0]);
    assert_memory_equal(&of_pipe, &of_file, sizeof of_file);
    assert_string_equal(bad_of_pipe.data, bad->data);
    tch_buf_release(&bad_of_pipe);
    return of_file;
}

/* Makes some MB of text with bad, blank and torn lines throughout. */
static void make_text(struct tch_buf *b)
{
    static const char *const odd[] = {"nope\n",  "\n",           "{\"event\":\"to" EVENT "\n",
                                      "{\"ev\n", " \xC2\xA0 \n", "{}\n"};

    for (unsigned i = 0; i < 30000; i++) {
        tch_buf_adds(b, EVENT "\n");
        if (i % 97 == 0)
            tch_buf_adds(b, odd[i / 97 % 6]);
    }
    tch_buf_adds(b, "{\"event\":\"last, and without an end");
}

static void threads_report_the_same_in_the_same_order(void **state)
{
    struct tch_buf text;
    struct tch_buf bad;
    char *expected;
    struct tch_scan_counts one;

    (void)state;
    tch_buf_init(&text, 1 << 26);
    tch_buf_init(&bad, 1 << 20);
    make_text(&text);
    one = scan(&text, 1, &bad);
    assert_true(one.torn > 50 && one.bad > 50 && one.blank > 50);
    assert_int_equal(one.lines, one.events + one.bad + one.blank);
    expected = strdup(bad.data);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        struct tch_scan_counts many = scan(&text, threads, &bad);

        assert_memory_equal(&many, &one, sizeof one);
        assert_string_equal(bad.data, expected);
    }
    free(expected);
    tch_buf_release(&text);
    tch_buf_release(&bad);
}

static void lines_longer_than_a_piece_are_read_whole(void **state)
{
    static char model[3 << 20];
    struct tch_buf text;
    struct tch_buf bad;

    (void)state;
    memset(model, 'm', sizeof model - 1);
    tch_buf_init(&text, 1 << 26);
    tch_buf_init(&bad, 1 << 20);
    for (int i = 0; i < 4; i++) {
        tch_buf_addf(&text, EVENT_OF("%s", "{}", "{}", "{}") "\n", model);
        tch_buf_adds(&text, EVENT "\n");
    }
    for (unsigned threads = 1; threads <= 4; threads++)
        assert_int_equal(scan(&text, threads, &bad).events, 8);
    assert_string_equal(bad.data, "");
    tch_buf_release(&text);
    tch_buf_release(&bad);
}

static void a_line_above_the_limit_is_reported_with_its_number(void **state)
{
    static char junk[18 << 20];
    struct tch_buf text;
    struct tch_buf bad;
    struct tch_scan_counts counts;

    (void)state;
    memset(junk, 'x', sizeof junk);
    tch_buf_init(&text, 1 << 26);
    tch_buf_init(&bad, 1 << 20);
    tch_buf_adds(&text, EVENT "\n");
    tch_buf_add(&text, junk, sizeof junk);
    tch_buf_adds(&text, "\n" EVENT "\nnope\n");
    tch_buf_add(&text, junk, sizeof junk); /* another one, at the end of the file */
    for (unsigned threads = 1; threads <= 2; threads++) {
        counts = scan(&text, threads, &bad);
        assert_int_equal(counts.events, 2);
        assert_int_equal(counts.lines, 5);
        assert_string_equal(bad.data, "2:line of 1887\n4:invalid JSON\n5:line of 1887\n");
    }
    tch_buf_release(&text);
    tch_buf_release(&bad);
}

static void an_empty_file_has_no_lines(void **state)
{
    struct tch_buf text;
    struct tch_buf bad;

    (void)state;
    tch_buf_init(&text, 10);
    tch_buf_init(&bad, 10);
    assert_int_equal(scan(&text, 2, &bad).lines, 0);
    tch_buf_release(&bad);
}

/* Adds a line of `len` bytes, including its line feed, that is not an event. */
static void add_line(struct tch_buf *text, size_t len)
{
    for (size_t i = 1; i < len; i++)
        tch_buf_addc(text, 'x');
    tch_buf_addc(text, '\n');
}

static void lines_may_end_anywhere_near_the_end_of_a_piece(void **state)
{
    struct tch_buf text;
    struct tch_buf bad;

    (void)state;
    tch_buf_init(&text, 1 << 26);
    tch_buf_init(&bad, 1 << 20);
    for (size_t first = TCH_BLOCK - 2; first <= TCH_BLOCK + 2; first++)
        for (size_t second = 1; second <= 3; second++)
            for (size_t rest = 0; rest <= 1; rest++) {
                tch_buf_clear(&text);
                add_line(&text, first);
                add_line(&text, second);
                add_line(&text, TCH_BLOCK - second);
                add_line(&text, 2 * TCH_BLOCK);
                tch_buf_adds(&text, rest ? EVENT : "");
                assert_int_equal(scan(&text, 2, &bad).lines, 4 + rest);
                assert_string_equal(bad.data, second == 1 ? "1:invalid JSON\n3:invalid JSON\n"
                                                            "4:invalid JSON\n"
                                                          : "1:invalid JSON\n2:invalid JSON\n"
                                                            "3:invalid JSON\n4:invalid JSON\n");
            }
    tch_buf_release(&text);
    tch_buf_release(&bad);
}

static void a_file_is_read_from_its_current_offset(void **state)
{
    struct tch_buf text;
    struct tch_buf bad;
    struct tch_scan_counts counts;
    int fd;

    (void)state;
    tch_buf_init(&text, 1 << 26);
    tch_buf_init(&bad, 1 << 20);
    tch_buf_adds(&text, "nope\n");
    make_text(&text);
    fd = file_of(&text);
    assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
    counts = scan_fd(fd, 2, &bad);
    assert_int_equal(counts.bytes, text.len - 5);
    assert_int_equal(strncmp(bad.data, "2:", 2), 0); /* after the first event */
    assert_int_equal(scan_fd(fd, 2, &bad).lines, 0);
    close(fd);
    tch_buf_release(&text);
    tch_buf_release(&bad);
}

/* Truncates the file that is being read after its first event. */
static int cut_file(void *worker, const tacho_event_view *event, tacho_error *err)
{
    (void)event;
    (void)err;
    assert_int_equal(ftruncate(*(int *)worker, 5000), 0);
    return 0;
}

static void a_file_that_is_made_shorter_ends_there(void **state)
{
    struct tch_scan_counts counts;
    struct tch_buf text;
    int fd;
    void *workers[] = {&fd};
    const struct tch_scan how = {.threads = 1, .workers = workers, .event = cut_file};

    (void)state;
    tch_buf_init(&text, 1 << 26);
    make_text(&text);
    fd = file_of(&text);
    assert_int_equal(tch_scan_fd(fd, "events", &how, &counts, NULL), 0);
    assert_true(counts.bytes >= TCH_BLOCK && counts.bytes < TCH_BLOCK + 8192);
    assert_true(counts.events > 0);
    close(fd);
    tch_buf_release(&text);
}

static int fail_at_100(void *worker, const tacho_event_view *event, tacho_error *err)
{
    if (++*(uint64_t *)worker == 100)
        return tch_fail(err, TACHO_ENOMEM, event->line, "enough");
    return 0;
}

static void a_failure_stops_the_scan_and_is_returned(void **state)
{
    uint64_t events[2] = {0};
    void *workers[] = {&events[0], &events[1]};
    const struct tch_scan how = {.threads = 2, .workers = workers, .event = fail_at_100};
    struct tch_scan_counts counts;
    struct tch_buf text;
    tacho_error err;
    int fd;

    (void)state;
    tch_buf_init(&text, 1 << 26);
    make_text(&text);
    fd = file_of(&text);
    assert_int_equal(tch_scan_fd(fd, "events", &how, &counts, &err), TACHO_ENOMEM);
    assert_string_equal(err.message, "enough");
    close(fd);
    fd = open("/", O_RDONLY | O_CLOEXEC); /* a folder cannot be read */
    assert_int_equal(tch_scan_fd(fd, "/", &how, &counts, &err), TACHO_EIO);
    close(fd);
    tch_buf_release(&text);
}

static int scan_once(void *text)
{
    struct tch_buf ignored;
    const struct tch_scan how = {.threads = 1, .bad = note_bad, .ctx = &ignored};
    struct tch_scan_counts counts;
    int fd = file_of(text);
    int status;

    tch_buf_init(&ignored, 1000);
    status = tch_scan_fd(fd, "events", &how, &counts, NULL);
    close(fd);
    tch_buf_release(&ignored);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    struct tch_buf text;

    (void)state;
    tch_buf_init(&text, 1 << 26);
    make_text(&text);
    test_every_allocation_fails(scan_once, &text);
    tch_buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_report_the_same_in_the_same_order),
        cmocka_unit_test(lines_longer_than_a_piece_are_read_whole),
        cmocka_unit_test(a_line_above_the_limit_is_reported_with_its_number),
        cmocka_unit_test(an_empty_file_has_no_lines),
        cmocka_unit_test(lines_may_end_anywhere_near_the_end_of_a_piece),
        cmocka_unit_test(a_file_is_read_from_its_current_offset),
        cmocka_unit_test(a_file_that_is_made_shorter_ends_there),
        cmocka_unit_test(a_failure_stops_the_scan_and_is_returned),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
