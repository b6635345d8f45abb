/* Traces of a few megabytes that would cost gigabytes or minutes to read. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/file/gzip.h"
#include "kit/file/packed.h"
#include "kit/trace/trace_summary.h"
#include "support/system.h"

enum { MEGABYTE = 1 << 20, BLANKS = 128 * MEGABYTE };

static int summarise(const char *path, size_t *tracks, tacho_error *err)
{
    struct tch_trace_read_options options = {0};
    struct tch_trace_summary s;
    int status = tch_trace_summary_make(&s, path, TCH_BY_NAME, &options, err);

    *tracks = s.track_count;
    tch_trace_summary_release(&s);
    return status;
}

/* Each thread used to cost 29 KB. */
static void many_threads_cost_little(void **state)
{
    enum { THREADS = 20000, KB_MAX = 300 * 1024 };
    FILE *out = fopen(test_at("threads.json"), "w");
    struct rusage used;
    int status;
    pid_t pid;

    (void)state;
    assert_non_null(out);
    fputc('[', out);
    for (int i = 0; i < THREADS; i++)
        fprintf(out, "{\"name\":\"a\",\"ph\":\"X\",\"ts\":%d,\"dur\":%d,\"pid\":1,\"tid\":%d},\n",
                i, i % 2 ? THREADS : 5, i);
    fprintf(out, "{\"name\":\"b\",\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"pid\":1,\"tid\":1}]\n",
            THREADS);
    assert_int_equal(fclose(out), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        size_t tracks;

        _exit(summarise(test_at("threads.json"), &tracks, NULL) == 0 && tracks == THREADS ? 0 : 1);
    }
    assert_int_equal(wait4(pid, &status, 0, &used), pid);
    assert_int_equal(status, 0);
    assert_true(used.ru_maxrss < KB_MAX);
}

static int write_to(void *ctx, const void *data, size_t len)
{
    return write(*(int *)ctx, data, len) == (ssize_t)len ? 0 : TACHO_EIO;
}

/* Writes `count` megabytes of blanks, compressed to a thousandth. */
static void write_gzip(const char *name, int count)
{
    static char blanks[MEGABYTE];
    struct tch_deflate *z;
    int fd = open(test_at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    memset(blanks, ' ', sizeof blanks);
    assert_int_equal(tch_deflate_open(&z, 6, write_to, &fd, NULL), 0);
    assert_int_equal(tch_deflate_write(z, "[", 1), 0);
    for (int i = 0; i < count; i++)
        assert_int_equal(tch_deflate_write(z, blanks, sizeof blanks), 0);
    assert_int_equal(tch_deflate_write(z, "]", 1), 0);
    assert_int_equal(tch_deflate_finish(z), 0);
    tch_deflate_close(z);
    close(fd);
}

/* The same in the format of Zstandard: blocks of one byte that is repeated 128 Ki times. */
static void write_zstd(const char *name)
{
    static const char head[] = "\x28\xb5\x2f\xfd\x00\x38", block[] = "\x02\x00\x10 ";
    int fd = open(test_at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, head, 6), 6);
    for (int i = 0; i < BLANKS / (128 * 1024); i++)
        assert_int_equal(write(fd, block, 4), 4);
    close(fd);
}

static void a_bomb_is_refused(void **state)
{
    tacho_error err;
    size_t tracks;

    (void)state;
    write_gzip("bomb.json.gz", BLANKS / MEGABYTE);
    assert_int_equal(summarise(test_at("bomb.json.gz"), &tracks, &err), TACHO_ELIMIT);
    assert_non_null(strstr(err.message, "is compressed to less than 1/256; if you trust it, "
                                        "decompress it first"));
    write_gzip("small.json.gz", 32);
    assert_int_equal(summarise(test_at("small.json.gz"), &tracks, &err), 0);
}

/* Reads a file to its end. */
static int read_packed(const char *name, tacho_error *err)
{
    static char piece[MEGABYTE];
    struct tch_packed *p;
    int fd = open(test_at(name), O_RDONLY | O_CLOEXEC);
    ssize_t got = tch_packed_open(&p, fd, name, err);

    if (got == 0) {
        while ((got = tch_packed_read(p, piece, sizeof piece, err)) > 0)
            continue;
        tch_packed_close(p);
    }
    close(fd);
    return (int)got;
}

static void a_bomb_of_stacks_is_refused(void **state)
{
    tacho_error err;
    int status;

    (void)state;
    write_gzip("bomb.folded.gz", BLANKS / MEGABYTE);
    assert_int_equal(read_packed("bomb.folded.gz", &err), TACHO_ELIMIT);
    write_zstd("bomb.folded.zst");
    status = read_packed("bomb.folded.zst", &err);
    if (status == TACHO_EINVAL)
        print_message("libzstd is missing: %s\n", err.message);
    else
        assert_int_equal(status, TACHO_ELIMIT);
}

/* Only a span has a duration. That of an instant made the trace 300 years long. */
static void an_instant_takes_no_time(void **state)
{
    struct tch_trace_read_options options = {0};
    struct tch_trace_summary s;
    FILE *out = fopen(test_at("instants.json"), "w");

    (void)state;
    assert_non_null(out);
    fputs("[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1},"
          "{\"name\":\"i\",\"ph\":\"i\",\"ts\":2,\"dur\":-5,\"pid\":1,\"tid\":1},"
          "{\"name\":\"i\",\"ph\":\"i\",\"ts\":2,\"dur\":9e18,\"pid\":1,\"tid\":1},"
          "{\"name\":\"c\",\"ph\":\"C\",\"ts\":3,\"dur\":9e18,\"pid\":1,\"args\":{\"v\":1}}]",
          out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(
        tch_trace_summary_make(&s, test_at("instants.json"), TCH_BY_NAME, &options, NULL), 0);
    assert_int_equal(s.first, 1000);
    assert_int_equal(s.last, 3000);
    tch_trace_summary_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(many_threads_cost_little),
        TEST_IN_HOME(an_instant_takes_no_time),
        TEST_IN_HOME(a_bomb_is_refused),
        TEST_IN_HOME(a_bomb_of_stacks_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
