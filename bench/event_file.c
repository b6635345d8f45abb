/* Each reading is a process of its own, so that its peak memory is its own as well. */
#include "event_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "event/scan.h"
#include "event/stages.h"
#include "report.h"

enum { PEAK_MB = 64 };

/* Not getrusage(): its peak is carried over from the process that started this one. */
static uint64_t peak_kb(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kb = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %" SCNu64, &kb) == 1)
            break;
    if (file)
        fclose(file);
    return kb;
}

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
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", tch_now_ns() - start, peak_kb(),
           counts.bad == 0 ? counts.events : 0);
    return 0;
}

struct reading {
    const char *what;
    const char *threads;
    double seconds[1000];
    uint64_t peak_kb;
};

static int read_once(const char *program, int fd, struct reading *r, size_t round, size_t lines)
{
    char command[4300];
    uint64_t ns;
    uint64_t kb;
    uint64_t events;
    FILE *out;
    int got;

    snprintf(command, sizeof command, "'%s' --scan %s %s </proc/self/fd/%d", program, r->what,
             r->threads, fd);
    out = popen(command, "r");
    got = out ? fscanf(out, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ns, &kb, &events) : 0;
    if (!out || pclose(out) != 0 || got != 3 || events != lines) {
        fprintf(stderr, "bench_event: reading with '%s' went wrong\n", command);
        return -1;
    }
    r->seconds[round] = (double)ns * 1e-9;
    if (kb > r->peak_kb)
        r->peak_kb = kb;
    return 0;
}

static int report(const struct reading *r, size_t count, const struct json_input *in, size_t rounds)
{
    double ratios[1000];
    double scratch[1000];

    printf("events: %.0f MB from a file, every check, wall time, %zu rounds\n",
           (double)in->len / 1e6, rounds);
    for (size_t i = 0; i < count; i++) {
        struct bench_spread s = bench_spread(r[i].seconds, rounds, scratch);

        printf("  %-8s  %s thread%s  %7.0f MB/s  peak RSS %.1f MiB (target below %d: %s)",
               r[i].what, r[i].threads, r[i].threads[0] == '1' ? " " : "s",
               (double)in->len / 1e6 / s.median, (double)r[i].peak_kb / 1024, PEAK_MB,
               r[i].peak_kb < PEAK_MB * 1024 ? "met" : "NOT MET");
        for (size_t k = 0; k < rounds; k++)
            ratios[k] = r[0].seconds[k] / r[i].seconds[k];
        printf("  %.2f times the first\n", bench_spread(ratios, rounds, scratch).median);
    }
    return 0;
}

int event_file_compare(const char *program, const struct json_input *in,
                       const struct bench_options *options)
{
    static struct reading readings[] = {
        {.what = "validate", .threads = "1"},
        {.what = "validate", .threads = "2"},
        {.what = "summary", .threads = "1"},
        {.what = "summary", .threads = "2"},
    };
    size_t count = sizeof readings / sizeof readings[0];
    int fd = memfd_create("events", 0);
    tacho_error err;
    int status = fd < 0 ? -1 : tch_write_all(fd, "events", in->text, in->len, &err);

    for (size_t round = 0; round < options->rounds && status == 0; round++)
        for (size_t i = 0; i < count && status == 0; i++)
            status = read_once(program, fd, &readings[i], round, in->lines);
    if (status == 0 && !options->json)
        status = report(readings, count, in, options->rounds);
    if (fd >= 0)
        close(fd);
    return status;
}
