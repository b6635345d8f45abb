/* Measures tacho stats on a file of numbers: reading it and computing statistics in bounded
   memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/float_text.h"
#include "bench.h"
#include "kit/stats/number_column.h"
#include "kit/stats/stream_stats.h"

enum { BYTES = 200 * 1024 * 1024, QUICK_BYTES = 1024 * 1024, MEMORY = 16 * 1024 * 1024 };

/* A file without a name. */
struct file {
    int fd;
    size_t size;
    size_t lines;
};

static int file_make(struct file *f, size_t size)
{
    char block[1 << 16];
    uint64_t random = 1;

    f->fd = memfd_create("numbers", MFD_CLOEXEC);
    if (f->fd < 0)
        return -1;
    for (f->size = f->lines = 0; f->size < size;) {
        size_t len = 0;

        for (; len + TCH_U64_TEXT + 1 < sizeof block; f->lines++) {
            uint64_t r = bench_random(&random);

            /* nanoseconds, from microseconds to seconds */
            len += tch_u64_text(block + len, 1000 + (r >> 8) % ((uint64_t)1 << (12 + r % 19)));
            block[len++] = '\n';
        }
        if (write(f->fd, block, len) != (ssize_t)len)
            return -1;
        f->size += len;
    }
    return 0;
}

static int count_lines(void *work, void *state)
{
    const struct file *f = work;
    static char block[1 << 18];
    size_t lines = 0;
    ssize_t len;

    (void)state;
    lseek(f->fd, 0, SEEK_SET);
    while ((len = read(f->fd, block, sizeof block)) > 0)
        for (const char *p = block; (p = memchr(p, '\n', (size_t)(block + len - p))); p++)
            lines++;
    return lines == f->lines ? 0 : -1;
}

static void take(void *ctx, const double *values, size_t n)
{
    tch_stream_add_all(ctx, values, n);
}

static int by_tacho(void *work, void *state)
{
    const struct file *f = work;
    struct tch_numbers found;
    struct tch_lines lines;
    struct tch_stream s;
    double p99 = 0;
    int status = -1;

    (void)state;
    lseek(f->fd, 0, SEEK_SET);
    if (tch_stream_init(&s, MEMORY, NULL) < 0)
        return -1;
    tch_lines_init_fd(&lines, f->fd, "numbers", 0);
    if (tch_numbers_read(&lines, NULL, false, take, &s, &found, NULL) == 0 && s.n == f->lines &&
        tch_stream_at(&s, (uint64_t[]){s.n * 99 / 100}, 1, &p99, NULL) == 0)
        status = p99 > 0 ? 0 : -1;
    tch_lines_release(&lines);
    tch_stream_release(&s);
    return status;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The simple way: getline, strtod, an array of all values, qsort. */
static int by_stdio(void *work, void *state)
{
    const struct file *f = work;
    double *values = malloc(f->lines * sizeof *values);
    FILE *in;
    char *line = NULL;
    size_t size = 0;
    size_t n = 0;

    (void)state;
    lseek(f->fd, 0, SEEK_SET);
    in = fdopen(dup(f->fd), "re");
    while (values && in && n < f->lines && getline(&line, &size, in) > 0)
        values[n++] = strtod(line, NULL);
    if (values)
        qsort(values, n, sizeof *values, by_number);
    if (in)
        fclose(in);
    free(line);
    free(values);
    return n == f->lines ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct bench_contender contenders[] = {
        {.name = "memchr for LF (floor)", .role = BENCH_FLOOR, .run = count_lines},
        {.name = "tacho", .role = BENCH_OURS, .run = by_tacho, .most_floors = 3},
        {.name = "getline, strtod, qsort", .role = BENCH_PEER, .run = by_stdio},
    };
    struct bench_options o;
    struct file f;
    int status;

    if (bench_parse(&argc, argv, &o) < 0 || file_make(&f, o.quick ? QUICK_BYTES : BYTES) < 0)
        return EXIT_FAILURE;
    status = bench_compare(&(struct bench_case){.name = "percentiles of a file of numbers",
                                                .work = &f,
                                                .bytes = f.size,
                                                .operations = f.lines,
                                                .operation = "number",
                                                .contenders = contenders,
                                                .contender_count = 3},
                           &o);
    close(f.fd);
    return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
