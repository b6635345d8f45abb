/* Tests reading lines from memory and from descriptors: bounded, counted, none lost. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lines.h"

/* Returns a descriptor of a file without a name that contains the text, at its start. */
static int file_of(const char *data, size_t len)
{
    int fd = memfd_create("lines", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_next(struct tch_lines *lines, const char *text, uint64_t number, uint64_t offset,
                        bool ended)
{
    struct tch_line line;

    assert_int_equal(tch_lines_next(lines, &line, NULL), 1);
    assert_int_equal(line.len, strlen(text));
    assert_memory_equal(line.text, text, line.len);
    assert_int_equal(line.number, number);
    assert_int_equal(line.offset, offset);
    assert_int_equal(line.ended, ended);
    assert_false(line.too_long);
}

static void assert_too_long(struct tch_lines *lines, size_t len, uint64_t number, uint64_t offset,
                            bool ended)
{
    struct tch_line line;

    assert_int_equal(tch_lines_next(lines, &line, NULL), 1);
    assert_true(line.too_long);
    assert_null(line.text);
    assert_int_equal(line.len, len);
    assert_int_equal(line.number, number);
    assert_int_equal(line.offset, offset);
    assert_int_equal(line.ended, ended);
}

static void assert_end(struct tch_lines *lines)
{
    struct tch_line line = {.number = 77};

    assert_int_equal(tch_lines_next(lines, &line, NULL), 0);
    assert_int_equal(tch_lines_next(lines, &line, NULL), 0);
    assert_int_equal(line.number, 77);
}

static void gives_lines_with_number_and_offset(void **state)
{
    static const char text[] = "one\n\nthree\r\nlast";

    (void)state;
    for (int memory = 0; memory < 2; memory++) {
        struct tch_lines lines;
        int fd = file_of(text, strlen(text));

        if (memory)
            tch_lines_init_mem(&lines, text, strlen(text), 0);
        else
            tch_lines_init_fd(&lines, fd, "text", 0);
        assert_next(&lines, "one", 1, 0, true);
        assert_next(&lines, "", 2, 4, true);
        assert_next(&lines, "three\r", 3, 5, true);
        assert_next(&lines, "last", 4, 12, false);
        assert_end(&lines);
        tch_lines_release(&lines);
        close(fd);
    }
}

static void an_lf_at_the_end_begins_no_line(void **state)
{
    struct tch_lines lines;

    (void)state;
    tch_lines_init_mem(&lines, "a\n", 2, 0);
    assert_next(&lines, "a", 1, 0, true);
    assert_end(&lines);
    tch_lines_init_mem(&lines, NULL, 0, 0);
    assert_end(&lines);
    tch_lines_release(&lines);
}

static void lines_may_contain_any_byte(void **state)
{
    struct tch_lines lines;
    struct tch_line line;

    (void)state;
    tch_lines_init_mem(&lines, "\0\xff\0\n\0", 5, 0);
    assert_int_equal(tch_lines_next(&lines, &line, NULL), 1);
    assert_int_equal(line.len, 3);
    assert_int_equal(tch_lines_next(&lines, &line, NULL), 1);
    assert_int_equal(line.len, 1);
    assert_false(line.ended);
    assert_end(&lines);
}

static void a_too_long_line_is_reported_once_and_skipped(void **state)
{
    static const char text[] = "12345\n123456\nab\n1234567";

    (void)state;
    for (int memory = 0; memory < 2; memory++) {
        struct tch_lines lines;
        int fd = file_of(text, strlen(text));

        if (memory)
            tch_lines_init_mem(&lines, text, strlen(text), 5);
        else
            tch_lines_init_fd(&lines, fd, "text", 5);
        assert_next(&lines, "12345", 1, 0, true);
        assert_too_long(&lines, 6, 2, 6, true);
        assert_next(&lines, "ab", 3, 13, true);
        assert_too_long(&lines, 7, 4, 16, false);
        assert_end(&lines);
        tch_lines_release(&lines);
        close(fd);
    }
}

/* Writes `count` bytes 'x' and a line feed. */
static void add_line(FILE *file, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputc('x', file);
    fputc('\n', file);
}

static void the_buffer_stays_as_small_as_the_longest_line(void **state)
{
    enum { LONGEST = TCH_LINES_BUFFER * 3 };
    static const size_t sizes[] = {
        10, TCH_LINES_BUFFER - 1, TCH_LINES_BUFFER, LONGEST - 1, LONGEST, LONGEST + 1,
        3,  LONGEST * 5,          LONGEST + 2,      LONGEST,     0};
    FILE *file = tmpfile();
    struct tch_lines lines;
    struct tch_line line;
    uint64_t offset = 0;

    (void)state;
    assert_non_null(file);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        add_line(file, sizes[i]);
    fflush(file);
    rewind(file);
    tch_lines_init_fd(&lines, fileno(file), "file", LONGEST);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(tch_lines_next(&lines, &line, NULL), 1);
        assert_int_equal(line.len, sizes[i]);
        assert_int_equal(line.number, i + 1);
        assert_int_equal(line.offset, offset);
        assert_int_equal(line.too_long, sizes[i] > LONGEST);
        assert_true(line.too_long || !memchr(line.text, '\n', line.len));
        assert_true(lines.size <= LONGEST + 1);
        offset += sizes[i] + 1;
    }
    assert_end(&lines);
    tch_lines_release(&lines);
    fclose(file);
}

/* Returns a descriptor from which each read returns one of these texts. */
static int packets_of(const char *const *texts)
{
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
    for (; *texts; texts++)
        assert_int_equal(send(fds[1], *texts, strlen(*texts), 0), strlen(*texts));
    close(fds[1]);
    return fds[0];
}

static void a_line_may_arrive_in_any_pieces(void **state)
{
    static const char *const pieces[] = {"abc", "de", "f\nx\n", "y",  "\n", "12345",  "6", "\n",
                                         "12",  "34", "5",      "\n", "z",  "123456", NULL};
    int fd = packets_of(pieces);
    struct tch_lines lines;

    (void)state;
    tch_lines_init_fd(&lines, fd, "socket", 6);
    assert_next(&lines, "abcdef", 1, 0, true);
    assert_next(&lines, "x", 2, 7, true);
    assert_next(&lines, "y", 3, 9, true);
    assert_next(&lines, "123456", 4, 11, true);
    assert_next(&lines, "12345", 5, 18, true);
    assert_too_long(&lines, 7, 6, 24, false);
    assert_end(&lines);
    tch_lines_release(&lines);
    close(fd);
}

static void a_too_long_line_may_arrive_in_any_pieces(void **state)
{
    static const char *const pieces[] = {"1234", "5", "67", "8\na\n", "12345", "6\n", "b", NULL};
    int fd = packets_of(pieces);
    struct tch_lines lines;

    (void)state;
    tch_lines_init_fd(&lines, fd, "socket", 4);
    assert_too_long(&lines, 8, 1, 0, true);
    assert_next(&lines, "a", 2, 9, true);
    assert_too_long(&lines, 6, 3, 11, true);
    assert_next(&lines, "b", 4, 18, false);
    assert_end(&lines);
    tch_lines_release(&lines);
    close(fd);
}

/* Writes pieces of random size from a child, with occasional pauses. */
static void write_in_pieces(int fd, const char *text, size_t len)
{
    uint32_t random = 3;

    usleep(10000);
    while (len > 0) {
        size_t piece;

        random = random * 1664525u + 1013904223u;
        piece = (random >> 8) % 700 + 1;
        if (piece > len)
            piece = len;
        if (write(fd, text, piece) != (ssize_t)piece)
            _exit(1);
        text += piece;
        len -= piece;
        if ((random >> 16) % 64 == 0)
            usleep(200);
    }
    _exit(0);
}

static void on_alarm(int signal)
{
    (void)signal;
}

static void read_a_slow_pipe(bool blocking)
{
    enum { COUNT = 5000, EACH = 40 };
    static char text[COUNT * EACH + 1];
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
    struct itimerval never = {.it_value = {.tv_usec = 0}};
    struct tch_lines lines;
    struct tch_line line;
    int fds[2];
    int status;
    pid_t pid;

    for (int i = 0; i < COUNT; i++)
        snprintf(text + i * EACH, EACH + 1, "%039d\n", i);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0)
        write_in_pieces(fds[1], text, sizeof text - 1);
    close(fds[1]);
    if (!blocking)
        fcntl(fds[0], F_SETFL, O_NONBLOCK);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    tch_lines_init_fd(&lines, fds[0], "pipe", 0);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(tch_lines_next(&lines, &line, NULL), 1);
        assert_int_equal(line.len, EACH - 1);
        assert_memory_equal(line.text, text + i * EACH, EACH);
    }
    assert_end(&lines);
    setitimer(ITIMER_REAL, &never, NULL);
    tch_lines_release(&lines);
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_slow_pipe_and_signals_lose_nothing(void **state)
{
    (void)state;
    read_a_slow_pipe(true);
    read_a_slow_pipe(false);
}

static void names_the_file_that_cannot_be_read(void **state)
{
    struct tch_lines lines;
    struct tch_line line;
    tacho_error err;
    int fd = open("/", O_RDONLY | O_CLOEXEC);

    (void)state;
    tch_lines_init_fd(&lines, fd, "some.log", 0);
    assert_int_equal(tch_lines_next(&lines, &line, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, EISDIR);
    assert_string_equal(err.message, "cannot read 'some.log': Is a directory");
    tch_lines_release(&lines);
    close(fd);
}

static int count_lines(void *arg)
{
    struct tch_lines lines;
    struct tch_line line;
    tacho_error err;
    int fd = *(int *)arg;
    int count = 0;
    int more;

    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    tch_lines_init_fd(&lines, fd, "file", 0);
    while ((more = tch_lines_next(&lines, &line, &err)) > 0)
        count++;
    tch_lines_release(&lines);
    if (more < 0)
        assert_int_equal(err.code, TACHO_ENOMEM);
    else
        assert_int_equal(count, 3);
    return more;
}

static void survives_every_allocation_failing(void **state)
{
    FILE *file = tmpfile();
    int fd;

    (void)state;
    assert_non_null(file);
    add_line(file, 5);
    add_line(file, 4 * TCH_LINES_BUFFER);
    add_line(file, 5);
    fflush(file);
    fd = fileno(file);
    test_every_allocation_fails(count_lines, &fd);
    fclose(file);
}

static void a_line_can_be_peeked_at(void **state)
{
    static const char text[] = "one\ntwo\nthree";
    int fd = file_of(text, sizeof text - 1);
    struct tch_lines lines;
    struct tch_line line;
    size_t len;

    (void)state;
    tch_lines_init_fd(&lines, fd, "text", 4);
    assert_int_equal(tch_lines_peek(&lines, &line, NULL), 1);
    assert_memory_equal(line.text, "one", 3);
    assert_next(&lines, "one", 1, 0, true);
    assert_memory_equal(tch_lines_held(&lines, &len), "two\nthree", 9);
    assert_int_equal(len, 9);
    tch_lines_pass(&lines, 4, 1);
    assert_int_equal(tch_lines_peek(&lines, &line, NULL),
                     1); /* longer than allowed, so it is skipped here */
    assert_true(line.too_long && line.number == 3);
    assert_int_equal(tch_lines_peek(&lines, &line, NULL), 0);
    assert_end(&lines);
    tch_lines_release(&lines);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_lines_with_number_and_offset),
        cmocka_unit_test(an_lf_at_the_end_begins_no_line),
        cmocka_unit_test(lines_may_contain_any_byte),
        cmocka_unit_test(a_too_long_line_is_reported_once_and_skipped),
        cmocka_unit_test(the_buffer_stays_as_small_as_the_longest_line),
        cmocka_unit_test(a_line_may_arrive_in_any_pieces),
        cmocka_unit_test(a_too_long_line_may_arrive_in_any_pieces),
        cmocka_unit_test(a_slow_pipe_and_signals_lose_nothing),
        cmocka_unit_test(names_the_file_that_cannot_be_read),
        cmocka_unit_test(survives_every_allocation_failing),
        cmocka_unit_test(a_line_can_be_peeked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
