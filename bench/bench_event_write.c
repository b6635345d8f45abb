/* Compares writing an event of 388 bytes with a plain write(2) of the same bytes, with and without
   asking first whether the descriptor is still that file, from one thread and from four, on the
   file system of the working directory, and measures a push while events are off. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/event.h>

#include "bench.h"

enum { EVENTS = 100 * 1000, QUICK_EVENTS = 4000, DISABLED = 50 * 1000 * 1000, SIZE = 388 };
enum { MOST_THREADS = 4 };

struct work {
    char path[64];
    char line[SIZE + 64];
    size_t len;
    size_t events;
    size_t threads;
    tacho_event_writer *writer;
    int fd;
};

/* Three keys of shape and three stages, as in a real event. */
static int push(struct work *w, uint64_t i)
{
    const tacho_field shape[] = {tacho_u64("batch", 32), tacho_u64("layers", 48),
                                 tacho_u64("tokens", 1000000 + i % 9)};
    const tacho_field stages[] = {tacho_u64("attention", 1234567), tacho_u64("gemm", 765432),
                                  tacho_u64("norm", 12345)};

    return tacho_event_push(w->writer, "bucket_prof", (tacho_fields){shape, 3},
                            (tacho_fields){stages, 3}, true, NULL);
}

static void *push_some(void *arg)
{
    struct work *w = arg;

    for (size_t i = 0; i < w->events / w->threads; i++)
        if (push(w, i) < 0)
            return arg;
    return NULL;
}

static void *write_some(void *arg)
{
    struct work *w = arg;

    for (size_t i = 0; i < w->events / w->threads; i++)
        if (write(w->fd, w->line, w->len) != (ssize_t)w->len)
            return arg;
    return NULL;
}

/* Writes as safely as a writer must whose descriptor the program may have given to another file. */
static void *check_and_write_some(void *arg)
{
    struct work *w = arg;
    struct statx sx;

    for (size_t i = 0; i < w->events / w->threads; i++)
        if (statx(w->fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &sx) < 0 ||
            write(w->fd, w->line, w->len) != (ssize_t)w->len)
            return arg;
    return NULL;
}

/* Runs body on the threads of the work. Returns 0 when all bytes are in the file. */
static int run_threads(struct work *w, void *(*body)(void *))
{
    pthread_t threads[MOST_THREADS];
    bool failed = ftruncate(w->fd, 0) < 0;
    void *result;

    if (w->threads == 1) {
        failed |= body(w) != NULL;
    } else {
        for (size_t i = 0; i < w->threads; i++)
            if (pthread_create(&threads[i], NULL, body, w) != 0)
                return -1;
        for (size_t i = 0; i < w->threads; i++) {
            pthread_join(threads[i], &result);
            failed |= result != NULL;
        }
    }
    return failed || lseek(w->fd, 0, SEEK_END) != (off_t)(w->len * w->events) ? -1 : 0;
}

static int push_all(void *work, void *state)
{
    (void)state;
    return run_threads(work, push_some);
}

static int write_all(void *work, void *state)
{
    (void)state;
    return run_threads(work, write_some);
}

static int check_and_write_all(void *work, void *state)
{
    (void)state;
    return run_threads(work, check_and_write_some);
}

/* Counts evaluated fields; stays 0 while events are off. */
static uint64_t evaluated;

static tacho_field counted(const char *key, uint64_t value)
{
    evaluated++;
    return tacho_u64(key, value);
}

static int push_disabled(void *work, void *state)
{
    (void)work;
    (void)state;
    for (uint64_t i = 0; i < DISABLED; i++)
        if (TACHO_EVENT("bucket_prof", TACHO_FIELDS(counted("batch", i)),
                        TACHO_FIELDS(counted("gemm", i), counted("norm", i)), true) < 0)
            return -1;
    return evaluated == 0 ? 0 : -1;
}

static int loop_empty(void *work, void *state)
{
    (void)work;
    (void)state;
    for (uint64_t i = 0; i < DISABLED; i++)
        __asm__ volatile("" : : "r"(i) : "memory");
    return 0;
}

static int compare_writing(struct work *w, const struct bench_options *options)
{
    const struct bench_contender contenders[] = {
        {.name = "write(2), same bytes", .role = BENCH_PEER, .run = write_all},
        {.name = "statx(2) and write(2)", .role = BENCH_PEER, .run = check_and_write_all},
        {.name = "tacho_event_push", .role = BENCH_OURS, .run = push_all},
    };
    /* The target is at most 1.3 times the time of the two system calls that it needs. */
    const struct bench_target targets[] = {{"tacho_event_push", "statx(2) and write(2)", 1 / 1.3}};
    const struct bench_case c = {
        .name = w->threads == 1 ? "events: writing 388 bytes, one thread"
                                : "events: writing 388 bytes, four threads to one file",
        .work = w,
        .bytes = w->events * w->len,
        .operations = w->events,
        .operation = "event",
        .contenders = contenders,
        .contender_count = 3,
        .targets = targets,
        .target_count = 1,
    };

    return bench_compare(&c, options);
}

static int compare_disabled(const struct bench_options *options)
{
    const struct bench_contender contenders[] = {
        {.name = "empty loop", .role = BENCH_FLOOR, .run = loop_empty},
        {.name = "TACHO_EVENT, disabled", .role = BENCH_OURS, .run = push_disabled},
    };
    const struct bench_case c = {
        .name = "events: a push while nothing is written (below 2 ns asked for)",
        .operations = DISABLED,
        .operation = "event",
        .contenders = contenders,
        .contender_count = 2,
    };

    return bench_compare(&c, options);
}

/* Makes the model's name so long that an event has the wanted number of bytes. */
static int open_work(struct work *w)
{
    char model[SIZE] = "";
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    off_t size = 0;

    config.path = w->path;
    config.commit_sha = "0123456789abcdef0123456789abcdef01234567";
    config.env_hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    config.runtime_flags = "{\"schema_version\":1}";
    config.concurrency = 32;
    config.model = model;
    memset(model, 'm', 1);
    w->fd = open(w->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    while (w->fd >= 0 && size != SIZE) {
        if (tacho_event_open(&config, &w->writer, NULL) < 0 || ftruncate(w->fd, 0) < 0 ||
            push(w, 0) < 0)
            return -1;
        size = lseek(w->fd, 0, SEEK_END);
        if (size < SIZE) {
            memset(model, 'm', strlen(model) + (size_t)(SIZE - size));
            tacho_event_close(w->writer);
        } else if (size > SIZE) {
            return -1;
        }
    }
    w->len = SIZE;
    return w->fd >= 0 && pread(w->fd, w->line, SIZE, 0) == SIZE ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct bench_options options;
    struct work w = {.path = "bench_event_write.XXXXXX"};
    int status;

    if (bench_parse(&argc, argv, &options) < 0 || argc > 1)
        return 64;
    unsetenv("TACHO_PROFILE_JSONL");
    unsetenv("FERRUM_PROFILE_JSONL");
    unsetenv("TACHO_RUN_DIR");
    w.events = options.quick ? QUICK_EVENTS : EVENTS;
    w.fd = mkstemp(w.path);
    if (w.fd < 0 || close(w.fd) < 0 || open_work(&w) < 0) {
        fputs("bench_event_write: cannot write events in the working directory\n", stderr);
        return 1;
    }
    w.threads = 1;
    status = compare_writing(&w, &options);
    w.threads = MOST_THREADS;
    if (status == 0)
        status = compare_writing(&w, &options);
    if (status == 0)
        status = compare_disabled(&options);
    tacho_event_close(w.writer);
    close(w.fd);
    unlink(w.path);
    return status < 0 ? 1 : 0;
}
