/*
 * Measures the cost of recording a span, compared with two readings of the clock and one store, and
 * with other tracers; then the cost of converting ten million spans to a trace.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/trace.h>

#include "bench.h"
#include "trace_peers.h"

enum {
    SPANS = 4000000,
    FLOOR_ROUNDS = 5, /* the floor gets this many times as many rounds, because it is hardly faster
                         than tacho */
    QUICK_SPANS = 100000,
    CONVERTED = 10000000,
    THREADS_MAX = 2,
};

static char folder[] = "/tmp/tacho-bench-XXXXXX";

static const char *at(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* One thread's share of a run. */
typedef void spans(uint64_t count);

static void floor_spans(uint64_t count)
{
    static __thread uint64_t ring[4096];

    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = bench_ticks();

        __atomic_store_n(&ring[i % 4096], bench_ticks() - begin, __ATOMIC_RELAXED);
    }
}

/* Does what floor_spans() does, and writes the bytes of a recording: 16 bytes per span, one chunk
   at a time. */
static int plain_fd = -1;
static _Atomic uint64_t plain_size;

static void written_spans(uint64_t count)
{
    static __thread uint64_t chunk[32768];
    const uint64_t words = sizeof chunk / sizeof *chunk;

    for (uint64_t i = 0; i < count; i++) {
        chunk[2 * i % words] = bench_ticks();
        chunk[(2 * i + 1) % words] = bench_ticks();
        if ((2 * i + 2) % words == 0 &&
            pwrite(plain_fd, chunk, sizeof chunk,
                   (off_t)atomic_fetch_add(&plain_size, sizeof chunk)) < 0)
            plain_fd = -1;
    }
}

static void static_spans(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        TACHO_SPAN("rms_norm", "norm");
    }
}

static void spans_with_an_integer(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        TACHO_SPAN_ARGS("rms_norm", "norm", tacho_u64("i", i));
    }
}

/* Runs. */

struct work {
    uint64_t count; /* spans per thread */
    int threads;
};

struct share {
    spans *run;
    uint64_t count;
};

static void *run_share(void *arg)
{
    const struct share *share = arg;

    share->run(share->count);
    return NULL;
}

static int run_threads(const struct work *work, spans *run)
{
    struct share share = {run, work->count};
    pthread_t threads[THREADS_MAX];

    for (int i = 1; i < work->threads; i++)
        if (pthread_create(&threads[i], NULL, run_share, &share) != 0)
            return -1;
    run_share(&share);
    for (int i = 1; i < work->threads; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int run_floor(void *work, void *state)
{
    (void)state;
    return run_threads(work, floor_spans);
}

/*
 * Makes free pages available. Spans are written to new pages of the kernel. In a virtual machine
 * such a page may first have to come from the host, which happens at random and takes several times
 * as long as a span. So before each run, outside the measurement, this removes the file before,
 * then writes and removes a file that is larger than the next one. The files exist for seconds at
 * most and are not written back to the disk in that time.
 */
static void ready_pages(size_t bytes)
{
    static const char block[1 << 20];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    for (size_t have = 0; fd >= 0 && have < bytes + bytes / 4; have += sizeof block)
        if (write(fd, block, sizeof block) < 0)
            break;
    close(fd);
}

enum { SPAN_BYTES = 24, UFTRACE_BYTES = 32 }; /* bytes per span, with its integer */

static void ready_for(const struct work *work, size_t span_bytes)
{
    ready_pages(work->count * (size_t)work->threads * span_bytes);
}

static int start(void *work, void *state)
{
    tacho_error err;

    (void)state;
    unlink(at("t.tacho"));
    ready_for(work, SPAN_BYTES);
    if (tacho_trace_start(at("t.tacho"), &err) == 0)
        return 0;
    fprintf(stderr, "bench_trace: %s\n", err.message);
    return -1;
}

/* Starts a recording of bounded size, in which new records replace the oldest. */
static int start_ring(void *work, void *state)
{
    int status;

    setenv("TACHO_TRACE_LIMIT", "32MiB,ring", 1);
    status = start(work, state);
    unsetenv("TACHO_TRACE_LIMIT");
    return status;
}

static int stop(void *work, void *state)
{
    (void)work;
    (void)state;
    return tacho_trace_stop(NULL);
}

static int open_plain(void *work, void *state)
{
    (void)state;
    unlink(at("plain"));
    ready_for(work, SPAN_BYTES);
    plain_fd = open(at("plain"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    plain_size = 0;
    return plain_fd < 0 ? -1 : 0;
}

static int run_written(void *work, void *state)
{
    (void)state;
    return run_threads(work, written_spans) < 0 || plain_fd < 0 ? -1 : 0;
}

static int close_plain(void *work, void *state)
{
    (void)work;
    (void)state;
    return close(plain_fd);
}

static int run_static(void *work, void *state)
{
    (void)state;
    return run_threads(work, static_spans);
}

static int run_integer(void *work, void *state)
{
    (void)state;
    return run_threads(work, spans_with_an_integer);
}

static int run_lttng(void *work, void *state)
{
    (void)state;
    return run_threads(work, bench_lttng_spans);
}

static int remove_uftrace(void *work, void *state)
{
    (void)state;
    bench_uftrace_clean(folder);
    ready_for(work, UFTRACE_BYTES);
    return 0;
}

static int run_uftrace(void *work, void *state)
{
    const struct work *w = work;

    (void)state;
    return bench_uftrace_run(folder, w->count, w->threads);
}

static int compare(const struct bench_options *o, const char *name, int threads,
                   const struct bench_contender *contenders, size_t contender_count, bool peers)
{
    static const struct bench_target targets[] = {
        {"tacho, static name", "LTTng-UST", 5},
        {"tacho, static name", "uftrace", 3.5},
    };
    struct work work = {.count = (o->quick ? QUICK_SPANS : SPANS) / (uint64_t)threads,
                        .threads = threads};
    char title[64];
    struct bench_case c = {
        .name = title,
        .work = &work,
        .operations = work.count * (uint64_t)threads,
        .operation = "span",
        .contenders = contenders,
        .contender_count = contender_count,
        .targets = targets,
        .target_count = peers ? sizeof targets / sizeof targets[0] : 0,
    };

    snprintf(title, sizeof title, "%s, %d thread%s", name, threads, threads > 1 ? "s" : "");
    return bench_compare(&c, o);
}

static int compare_with_floor(const struct bench_options *o, int threads)
{
    const struct bench_contender off[] = {
        {.name = "two clock readings, one store (floor)", .role = BENCH_FLOOR, .run = run_floor},
        {.name = "tacho, off", .role = BENCH_OURS, .run = run_static, .most_floors = 0.05},
    };
    const struct bench_contender on[] = {
        {.name = "two clock readings, one store (floor)", .role = BENCH_FLOOR, .run = run_floor},
        {.name = "the same, and write(2) of 16 bytes",
         .role = BENCH_PEER,
         .before = open_plain,
         .run = run_written,
         .after = close_plain},
        {.name = "tacho, static name",
         .role = BENCH_OURS,
         .before = start,
         .run = run_static,
         .after = stop,
         .most_floors = threads == 1 ? 1.3 : 1.5},
        {.name = "tacho, one integer",
         .role = BENCH_OURS,
         .before = start,
         .run = run_integer,
         .after = stop,
         .most_floors = 2},
        {.name = "tacho, static name, in a ring",
         .role = BENCH_OURS,
         .before = start_ring,
         .run = run_static,
         .after = stop},
    };
    struct bench_options many = *o;

    if (!o->quick)
        many.rounds *= FLOOR_ROUNDS;
    if (compare(&many, "a span that is not recorded", threads, off, 2, false) < 0)
        return -1;
    return compare(&many, "a span against the floor", threads, on, 5, false);
}

/* Peers are much slower and start slowly, so they get fewer rounds. */
static int compare_with_peers(const struct bench_options *o, int threads)
{
    const struct bench_contender contenders[] = {
        {.name = "two clock readings, one store (floor)", .role = BENCH_FLOOR, .run = run_floor},
        {.name = "tacho, static name",
         .role = BENCH_OURS,
         .before = start,
         .run = run_static,
         .after = stop},
        {.name = "LTTng-UST",
         .role = BENCH_PEER,
         .missing = bench_lttng_missing(),
         .run = bench_lttng_missing() ? NULL : run_lttng},
        {.name = "uftrace",
         .role = BENCH_PEER,
         .missing = bench_uftrace_missing(),
         .before = remove_uftrace,
         .run = bench_uftrace_missing() ? NULL : run_uftrace},
    };

    return compare(o, "a span against others", threads, contenders, 4, true);
}

static int compare_spans(const struct bench_options *o, int threads)
{
    return compare_with_floor(o, threads) < 0 || compare_with_peers(o, threads) < 0 ? -1 : 0;
}

/* Converting. */

struct conversion {
    const char *extension;
    off_t bytes; /* size of the trace file */
};

/* Removes the previous trace, for the same reason. */
static int remove_trace(void *work, void *state)
{
    const struct conversion *c = work;
    char out[128];

    (void)state;
    snprintf(out, sizeof out, "%s/t%s", folder, c->extension);
    unlink(out);
    ready_pages((size_t)c->bytes);
    return 0;
}

static int remove_plain(void *work, void *state)
{
    const struct conversion *c = work;

    (void)state;
    unlink(at("plain"));
    ready_pages((size_t)c->bytes);
    return 0;
}

static int run_convert(void *work, void *state)
{
    const struct conversion *c = work;
    char in[128], out[128];

    (void)state;
    snprintf(in, sizeof in, "%s/t.tacho", folder);
    snprintf(out, sizeof out, "%s/t%s", folder, c->extension);
    return tacho_trace_convert(in, out, NULL);
}

static int run_write(void *work, void *state)
{
    static char block[1 << 20];
    const struct conversion *c = work;
    int fd;

    (void)state;
    fd = open(at("plain"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (off_t left = c->bytes; fd >= 0 && left > 0; left -= (off_t)sizeof block)
        if (write(fd, block, left < (off_t)sizeof block ? (size_t)left : sizeof block) < 0)
            return -1;
    return fd < 0 || close(fd) < 0 ? -1 : 0;
}

static int compare_conversion(const struct bench_options *o, const char *extension, uint64_t count)
{
    const struct bench_contender contenders[] = {
        {.name = "writing as many bytes (floor)",
         .role = BENCH_FLOOR,
         .before = remove_plain,
         .run = run_write},
        {.name = "tacho", .role = BENCH_OURS, .before = remove_trace, .run = run_convert},
    };
    struct conversion conversion = {.extension = extension};
    char name[64], out[128];
    struct stat st;
    struct bench_case c = {
        .name = name,
        .work = &conversion,
        .operations = count,
        .operation = "span",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
    };

    snprintf(out, sizeof out, "%s/t%s", folder, extension);
    if (run_convert(&conversion, NULL) < 0 || stat(out, &st) < 0)
        return -1;
    conversion.bytes = st.st_size;
    c.bytes = (uint64_t)st.st_size;
    snprintf(name, sizeof name, "%llu spans to %s", (unsigned long long)count, extension);
    return bench_compare(&c, o);
}

/* Prints the length of the recording, and its size on disk. */
static void tell_size(const struct bench_options *o, uint64_t count)
{
    struct stat st;

    if (!o->json && stat(at("t.tacho"), &st) == 0)
        printf("the recording of %llu spans: %.2f bytes a span long, %.2f on disk\n\n",
               (unsigned long long)count, (double)st.st_size / (double)count,
               (double)st.st_blocks * 512 / (double)count);
}

static int compare_conversions(const struct bench_options *o)
{
    struct work work = {.count = (o->quick ? QUICK_SPANS : CONVERTED) / 2, .threads = 2};

    if (start(&work, NULL) < 0 || run_static(&work, NULL) < 0 || stop(NULL, NULL) < 0)
        return -1;
    tell_size(o, work.count * 2);
    if (compare_conversion(o, ".pftrace", work.count * 2) < 0)
        return -1;
    return compare_conversion(o, ".json", work.count * 2);
}

static void clean_up(void)
{
    static const char *const names[] = {"t.tacho", "t.json", "t.pftrace", "plain"};

    bench_uftrace_clean(folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(at(names[i]));
    rmdir(folder);
}

int main(int argc, char **argv)
{
    struct bench_options options;
    int status;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 1) {
        fprintf(stderr, "usage: bench_trace [--rounds N] [--quick] [--json]\n");
        return 64;
    }
    if (!mkdtemp(folder)) {
        perror("bench_trace: cannot make a folder");
        return 1;
    }
    bench_lttng_start(folder);
    status = compare_spans(&options, 1);
    if (status == 0)
        status = compare_spans(&options, 2);
    bench_lttng_stop();
    if (status == 0)
        status = compare_conversions(&options);
    clean_up();
    return status == 0 ? 0 : 1;
}
