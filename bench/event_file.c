/* Measures readings of a file. Each reading is a process of its own, to measure its peak memory. */
#include "event_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/number.h"
#include "kit/event/event_scan.h"
#include "kit/event/event_stages.h"
#include "kit/event/event_stages_sum.h"
#include "report.h"

enum { PEAK_MB = 64 };

int event_file_scan(const char *what, const char *threads)
{
    static struct tch_stages stages[TCH_SCAN_THREADS];
    void *workers[TCH_SCAN_THREADS];
    struct tch_scan scan = {.workers = workers};
    struct tch_scan_counts counts;
    uint64_t start = tch_now_ns();
    uint64_t count;
    tacho_error err;
    int status;

    if (tch_parse_u64(threads, TCH_SCAN_THREADS, &count) < 0 || count == 0)
        return -1;
    scan.threads = (unsigned)count;
    for (unsigned i = 0; i < scan.threads; i++)
        workers[i] = &stages[i];
    if (strcmp(what, "summary") == 0)
        scan.event = tch_stages_add;
    status = tch_scan_fd(STDIN_FILENO, "standard input", &scan, &counts, &err);
    for (unsigned i = 1; i < scan.threads && status == 0; i++)
        status = tch_stages_merge(&stages[0], &stages[i], &err);
    tch_stages_sort(&stages[0]);
    if (status < 0) {
        fprintf(stderr, "bench_event: %s\n", err.message);
        return -1;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", tch_now_ns() - start, bench_peak_kb(),
           counts.bad == 0 ? counts.events : 0);
    return 0;
}

/* One way to read the file: the number of processes, which read a part each, and of threads per
   process. */
struct reading {
    const char *name;
    const char *what;
    const char *threads;
    size_t processes;
    double seconds[1000];
    uint64_t peak_kb;
};

/* Two processes share nothing but the machine, so they show what two threads can reach. */
static struct reading readings[] = {
    {"validate, 1 thread", "validate", "1", 1, {0}, 0},
    {"validate, 2 threads", "validate", "2", 1, {0}, 0},
    {"validate, 2 processes", "validate", "1", 2, {0}, 0},
    {"summary, 1 thread", "summary", "1", 1, {0}, 0},
    {"summary, 2 threads", "summary", "2", 1, {0}, 0},
};

enum { READINGS = sizeof readings / sizeof readings[0], MOST_PROCESSES = 2 };

/* The file, and its halves. */
struct files {
    int whole;
    int parts[MOST_PROCESSES];
};

static int file_of(const char *text, size_t len)
{
    int fd = memfd_create("events", 0);
    tacho_error err;

    if (fd >= 0 && tch_write_all(fd, "events", text, len, &err) == 0)
        return fd;
    fputs("bench_event: no memory for the file\n", stderr);
    if (fd >= 0)
        close(fd);
    return -1;
}

static FILE *start(const char *program, const struct reading *r, int fd)
{
    char command[4300];

    snprintf(command, sizeof command, "'%s' --scan %s %s </proc/self/fd/%d", program, r->what,
             r->threads, fd);
    return popen(command, "r");
}

/* The time is that of the slowest process, the memory the sum of all. */
static int read_once(const char *program, const struct files *files, struct reading *r,
                     size_t round, size_t lines)
{
    FILE *out[MOST_PROCESSES];
    uint64_t sum_kb = 0;
    uint64_t slowest = 0;
    uint64_t sum = 0;

    for (size_t i = 0; i < r->processes; i++)
        out[i] = start(program, r, r->processes == 1 ? files->whole : files->parts[i]);
    for (size_t i = 0; i < r->processes; i++) {
        uint64_t ns = 0;
        uint64_t kb = 0;
        uint64_t events = 0;
        int got =
            out[i] ? fscanf(out[i], "%" SCNu64 " %" SCNu64 " %" SCNu64, &ns, &kb, &events) : 0;

        if (out[i] && pclose(out[i]) == 0 && got == 3)
            sum += events;
        slowest = ns > slowest ? ns : slowest;
        sum_kb += kb;
    }
    if (sum != lines) {
        fprintf(stderr, "bench_event: reading (%s) went wrong\n", r->name);
        return -1;
    }
    r->seconds[round] = (double)slowest * 1e-9;
    if (sum_kb > r->peak_kb)
        r->peak_kb = sum_kb;
    return 0;
}

/* Returns how many times as fast as the first reading it is. */
static struct bench_spread times_first(const struct reading *r, size_t rounds)
{
    double ratios[1000];
    double scratch[1000];

    for (size_t i = 0; i < rounds; i++)
        ratios[i] = readings[0].seconds[i] / r->seconds[i];
    return bench_spread(ratios, rounds, scratch);
}

static int report_text(const struct json_input *in, size_t rounds)
{
    double scratch[1000];

    printf("events: %.0f MB from a file, every check, wall time, %zu rounds\n",
           (double)in->len / 1e6, rounds);
    for (size_t i = 0; i < READINGS; i++) {
        const struct reading *r = &readings[i];
        struct bench_spread times = times_first(r, rounds);

        printf("  %-21s  %7.0f MB/s  peak RSS %5.1f MiB (target below %d: %s)"
               "  %.2f times the first (%.2f to %.2f)\n",
               r->name, (double)in->len / 1e6 / bench_spread(r->seconds, rounds, scratch).median,
               (double)r->peak_kb / 1024, PEAK_MB, bench_met(r->peak_kb < PEAK_MB * 1024),
               times.median, times.q1, times.q3);
    }
    return fflush(stdout) == 0 ? 0 : -1;
}

static void json_reading(struct tch_buf *b, const struct reading *r, size_t rounds)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "name", r->name);
    tch_json_key(b, "wall_s");
    tch_json_begin_array(b);
    for (size_t i = 0; i < rounds; i++)
        tch_json_f64(b, r->seconds[i]);
    tch_json_end_array(b);
    tch_json_put_f64(b, "times_the_first", times_first(r, rounds).median);
    tch_json_put_u64(b, "peak_rss_bytes", r->peak_kb * 1024);
    tch_json_put_bool(b, "met", r->peak_kb < PEAK_MB * 1024);
    tch_json_end_object(b);
}

static int report_json(const struct json_input *in, size_t rounds)
{
    struct tch_buf b;
    int status = -1;

    tch_buf_init(&b, 1 << 20);
    tch_json_begin_object(&b);
    tch_json_put_text(&b, "schema", "tacho.bench.scan.v1");
    tch_json_put_u64(&b, "bytes", in->len);
    tch_json_put_u64(&b, "lines", in->lines);
    tch_json_put_u64(&b, "target_bytes", PEAK_MB * 1024 * 1024);
    tch_json_key(&b, "readings");
    tch_json_begin_array(&b);
    for (size_t i = 0; i < READINGS; i++)
        json_reading(&b, &readings[i], rounds);
    tch_json_end_array(&b);
    tch_json_end_object(&b);
    tch_json_line_end(&b);
    if (!b.failed && fwrite(b.data, 1, b.len, stdout) == b.len && fflush(stdout) == 0)
        status = 0;
    tch_buf_release(&b);
    return status;
}

int event_file_compare(const char *program, const struct json_input *in,
                       const struct bench_options *options)
{
    const char *lf = memchr(in->text + in->len / 2, '\n', in->len - in->len / 2);
    const char *half = lf + 1;
    size_t first = (size_t)(half - in->text);
    struct files files = {file_of(in->text, in->len),
                          {file_of(in->text, first), file_of(half, in->len - first)}};
    int status = files.whole < 0 || files.parts[0] < 0 || files.parts[1] < 0 ? -1 : 0;

    for (size_t round = 0; round < options->rounds && status == 0; round++)
        for (size_t i = 0; i < READINGS && status == 0; i++)
            status = read_once(program, &files, &readings[i], round, in->lines);
    if (status == 0)
        status =
            options->json ? report_json(in, options->rounds) : report_text(in, options->rounds);
    close(files.whole);
    close(files.parts[0]);
    close(files.parts[1]);
    return status;
}
