/*
 * Measures summing up a Chrome trace that is in order of time, as whole programs with the file in
 * the page cache. tacho and the floors read a gigabyte. Python's json module with a sum by name,
 * and Perfetto's trace processor with the same sum in SQL, read a part of it, because a gigabyte
 * takes them half a minute and gigabytes of memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_read.h"
#include "bench.h"
#include "program.h"

enum { EVENTS = 8800000, PART_EVENTS = 1600000, QUICK_EVENTS = 100000 };

struct file {
    char path[64];
    uint64_t bytes;
    uint64_t spans;
};

/* Makes steps with kernels inside, on two threads, like the trace of a model. */
static int make(struct file *f, uint64_t events)
{
    static const char *const names[] = {"rms_norm", "attention", "ffn_up", "ffn_down",
                                        "softmax",  "rope",      "copy",   "sample"};
    uint64_t seed = 1, at[2] = {0, 0}; /* nanoseconds */
    FILE *out;
    int fd;

    snprintf(f->path, sizeof f->path, "/tmp/tacho-bench-XXXXXX");
    fd = mkstemp(f->path);
    out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out)
        return -1;
    fputc('[', out);
    while (f->spans < events) {
        unsigned thread = at[0] <= at[1] ? 0 : 1;
        uint64_t start = at[thread], time = start + 500, kernels = 3 + bench_random(&seed) % 7;
        uint64_t length = kernels * 13000 + 1000;

        for (uint64_t i = 0; i <= kernels; i++, f->spans++) {
            uint64_t dur = i == 0 ? length : 500 + bench_random(&seed) % 12000;
            uint64_t ts = i == 0 ? start : time;

            fprintf(out,
                    "%s{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%llu.%03u,\"dur\":%llu."
                    "%03u,\"pid\":4711,\"tid\":%u,\"args\":{\"layer\":%u}}",
                    f->spans > 0 ? ",\n" : "", i == 0 ? "step" : names[bench_random(&seed) % 8],
                    i == 0 ? "model" : "kernel", (unsigned long long)ts / 1000,
                    (unsigned)(ts % 1000), (unsigned long long)dur / 1000, (unsigned)(dur % 1000),
                    4711 + thread, (unsigned)(f->spans % 32));
            if (i > 0)
                time += dur + 300;
        }
        at[thread] = start + length + bench_random(&seed) % 3000;
    }
    fputs("]\n", out);
    f->bytes = (uint64_t)ftell(out);
    return fclose(out) == 0 ? 0 : -1;
}

static int read_file(void *work, void *state)
{
    static char buf[1 << 20];
    const struct file *f = work;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    uint64_t bytes = 0;
    ssize_t got;

    (void)state;
    while ((got = read(fd, buf, sizeof buf)) > 0)
        bytes += (uint64_t)got;
    close(fd);
    return bytes == f->bytes ? 0 : -1;
}

static ssize_t from_fd(void *ctx, char *buf, size_t size)
{
    return read(*(int *)ctx, buf, size);
}

/* Checks all of the JSON and uses nothing of it. */
static int check_json(void *work, void *state)
{
    const struct file *f = work;
    struct tch_json_reader *j = malloc(sizeof *j);
    int fd = open(f->path, O_RDONLY | O_CLOEXEC), status = -1;

    (void)state;
    if (j && tch_json_open_stream(j, from_fd, &fd, 1 << 20, NULL) == 0) {
        status = tch_json_skip(j) < 0 || tch_json_finish(j) < 0 ? -1 : 0;
        tch_json_close(j);
    }
    free(j);
    close(fd);
    return status;
}

static const char python_sum[] = "import collections, json, sys\n"
                                 "total = collections.Counter()\n"
                                 "for event in json.load(open(sys.argv[1])):\n"
                                 "    if event['ph'] == 'X': total[event['name']] += event['dur']\n"
                                 "print(total.most_common())\n";

static const char sql_sum[] = "select name, count(*), sum(dur) from slice group by name";

static void print_peak(const char *name, const struct bench_program *p)
{
    if (p->peak_kb > 0)
        printf("  peak memory of %s: %.1f MB\n", name, (double)p->peak_kb / 1000);
}

static int compare(struct file *f, const struct bench_options *options, bool peers)
{
    const char *shared = getenv("TACHO_REFERENCE_DATA");
    char tpq_path[4096];

    snprintf(tpq_path, sizeof tpq_path, "%s/tools/tpq", shared ? shared : "");
    struct bench_program ours = {.argv = {TACHO_COMMAND, "trace", "summary", f->path}};
    struct bench_program python = {.argv = {"python3", "-c", python_sum, f->path}};
    struct bench_program tpq = {.argv = {tpq_path, f->path, sql_sum}};
    const struct bench_contender contenders[] = {
        {.name = "reading the file", .role = BENCH_FLOOR, .run = read_file},
        {.name = "checking the JSON", .role = BENCH_FLOOR, .run = check_json},
        {.name = "tacho trace summary", .role = BENCH_OURS, .arg = &ours, .run = bench_run_program},
        bench_program_peer("python3 json", "not installed (package python3)", &python),
        {.name = "trace processor",
         .role = BENCH_PEER,
         .missing = options->quick ? "left out with --quick: it may fetch a package"
                                   : "there is no $TACHO_REFERENCE_DATA/tools/tpq",
         .arg = &tpq,
         .run =
             !options->quick && shared && access(tpq_path, X_OK) == 0 ? bench_run_program : NULL},
    };
    static const struct bench_target targets[] = {{"tacho trace summary", "python3 json", 10},
                                                  {"tacho trace summary", "trace processor", 10}};
    const size_t of_peers = peers ? 0 : 2;
    const struct bench_case c = {.name = peers ? "summary of a Chrome trace, with others"
                                               : "summary of a Chrome trace in order of time",
                                 .work = f,
                                 .bytes = f->bytes,
                                 .operations = f->spans,
                                 .operation = "span",
                                 .contenders = contenders,
                                 .contender_count =
                                     sizeof contenders / sizeof contenders[0] - of_peers,
                                 .targets = targets,
                                 .target_count = sizeof targets / sizeof targets[0] - of_peers};
    int status = bench_compare(&c, options);

    if (status == 0 && !options->json) {
        print_peak("tacho trace summary", &ours);
        print_peak("python3 json", &python);
        print_peak("trace processor", &tpq);
    }
    return status;
}

static int run(const struct bench_options *options, uint64_t events, bool peers)
{
    struct file f = {.bytes = 0};
    int status = -1;

    if (make(&f, options->quick ? QUICK_EVENTS : events) == 0)
        status = compare(&f, options, peers);
    unlink(f.path);
    return status;
}

int main(int argc, char **argv)
{
    struct bench_options options;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    return run(&options, EVENTS, false) < 0 || run(&options, PART_EVENTS, true) < 0 ? 1 : 0;
}
