/*
 * A program that records, for the tests of whole processes: child ACTION [ARGS...]. It links the
 * shared library, as a user's program does.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/chrome.h>
#include <tacho/trace.h>

static void die(const char *what)
{
    perror(what);
    _exit(99);
}

static unsigned long number(const char *text)
{
    unsigned long value = 0;

    while (*text >= '0' && *text <= '9')
        value = value * 10 + (unsigned long)(*text++ - '0');
    return value;
}

static void work(void)
{
    TACHO_SPAN("work", "test");
}

/* kill COUNTS: four threads record until they are killed. COUNTS is a file of 64-bit numbers,
   one per thread: how many calls have returned. */

struct recorder {
    pthread_t thread;
    int number;
    _Atomic uint64_t *returned;
};

static void one_round(struct recorder *r, uint64_t i)
{
    switch (r->number) {
    case 0: {
        TACHO_SPAN("thread 0", "kill");
        break;
    }
    case 1: {
        TACHO_SPAN_ARGS("thread 1", "kill", tacho_u64("i", i));
        break;
    }
    case 2: {
        TACHO_SPAN_ARGS("thread 2", "kill", tacho_u64("i", i), tacho_text("text", "some words"));
        break;
    }
    default:
        tacho_span_begin("thread 3", "kill");
        tacho_span_end();
    }
}

static void *record_for_ever(void *arg)
{
    struct recorder *r = arg;

    for (uint64_t i = 0;; i++) {
        one_round(r, i);
        atomic_store_explicit(r->returned, i + 1, memory_order_relaxed);
    }
    return NULL;
}

static int do_kill(char **args)
{
    static struct recorder r[4];
    int fd = open(args[0], O_RDWR);
    _Atomic uint64_t *counts;

    if (fd < 0)
        die(args[0]);
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        die("mmap");
    for (int i = 0; i < 4; i++) {
        r[i].number = i;
        r[i].returned = &counts[i];
        if (pthread_create(&r[i].thread, NULL, record_for_ever, &r[i]) != 0)
            die("pthread_create");
    }
    pause();
    return 0;
}

/* spans THREADS COUNT: THREADS threads record COUNT spans each. */

static void *record_some(void *arg)
{
    unsigned long count = *(unsigned long *)arg;

    for (unsigned long i = 0; i < count; i++)
        work();
    return NULL;
}

static int do_spans(char **args)
{
    unsigned long threads = number(args[0]), count = number(args[1]);
    pthread_t thread[16];

    for (unsigned long i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, record_some, &count) != 0)
            die("pthread_create");
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* threads COUNT: starts COUNT threads one after the other; each records a span. */
static int do_threads(char **args)
{
    unsigned long one = 1;

    for (unsigned long i = number(args[0]); i > 0; i--) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, record_some, &one) != 0)
            die("pthread_create");
        pthread_join(thread, NULL);
    }
    return 0;
}

/* fork: records spans before a fork, in the child, and after it. */
static int do_fork(char **args)
{
    pid_t pid;

    (void)args;
    work();
    pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        TACHO_SPAN("in child", "test");
        work();
        tacho_instant("new name", "child", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
    } else {
        int status;

        waitpid(pid, &status, 0);
        work();
        printf("%d\n", (int)pid);
        return status != 0;
    }
    return 0;
}

/* forkidle: forks a child that records nothing, and therefore makes no file. */
static int do_forkidle(char **args)
{
    pid_t pid;
    int status;

    (void)args;
    work();
    pid = fork();
    if (pid == 0)
        return 0;
    waitpid(pid, &status, 0);
    return status;
}

/* exec PROGRAM: runs itself again, in a child. */
static int do_exec(char **args)
{
    pid_t pid;
    int status;

    work();
    pid = fork();
    if (pid == 0) {
        execl(args[0], args[0], "spans", "1", "3", (char *)NULL);
        die(args[0]);
    }
    waitpid(pid, &status, 0);
    printf("%d\n", (int)pid);
    return status;
}

/* reexec PROGRAM: runs another program in the same process. */
static int do_reexec(char **args)
{
    work();
    printf("%d\n", (int)getpid());
    fflush(stdout);
    execl(args[0], args[0], "spans", "1", "3", (char *)NULL);
    return 1;
}

/* open: leaves spans open and exits from a thread that is not the first, while another thread
   records. */

static void *leave(void *arg)
{
    (void)arg;
    tacho_span_begin("left open", "test");
    exit(0);
}

static int do_open(char **args)
{
    unsigned long many = 1000000000;
    pthread_t busy, last;

    (void)args;
    tacho_span_begin("main never ends", "test");
    if (pthread_create(&busy, NULL, record_some, &many) != 0 ||
        pthread_create(&last, NULL, leave, NULL) != 0)
        die("pthread_create");
    pause();
    return 0;
}

/* abort: records, then aborts. */
static int do_abort(char **args)
{
    (void)args;
    work();
    tacho_span_begin("aborts", "test");
    abort();
}

/* late MS: records a span, after MS milliseconds one that is not ended, then aborts. */
static int do_late(char **args)
{
    work();
    usleep((useconds_t)number(args[0]) * 1000);
    tacho_span_begin("late", "test");
    abort();
}

/* memory THREADS COUNT: THREADS threads record COUNT spans each at the same time. Prints by how
   many KiB the files in memory have grown. */

static pthread_barrier_t all_recorded, all_seen;

static void *record_and_wait(void *arg)
{
    record_some(arg);
    pthread_barrier_wait(&all_recorded);
    pthread_barrier_wait(&all_seen);
    return NULL;
}

/* A recording in memory (tmpfs) counts as shared memory, not as a file. */
static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long files = 0, shared = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssFile: %ld", &files) == 0)
            sscanf(line, "RssShmem: %ld", &shared);
    if (file)
        fclose(file);
    return files + shared;
}

static int do_memory(char **args)
{
    unsigned threads = (unsigned)number(args[0]);
    unsigned long count = number(args[1]);
    pthread_t thread[16];
    long before;

    pthread_barrier_init(&all_recorded, NULL, threads + 1);
    pthread_barrier_init(&all_seen, NULL, threads + 1);
    work();
    before = resident_kib();
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, record_and_wait, &count) != 0)
            die("pthread_create");
    pthread_barrier_wait(&all_recorded);
    printf("%ld\n", resident_kib() - before);
    pthread_barrier_wait(&all_seen);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* plugin LIBRARY: loads it, calls it and unloads it, twice. */
static int do_plugin(char **args)
{
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(args[0], RTLD_NOW);
        void (*call)(void);

        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        *(void **)&call = dlsym(library, "plugin_work");
        call();
        call();
        dlclose(library);
    }
    return 0;
}

/* handler COUNT: records spans in a signal handler that runs all the time, and in the code that
   it interrupts. */

static volatile sig_atomic_t handled;

static void on_signal(int signal_number)
{
    (void)signal_number;
    for (int i = 0; i < 300; i++) {
        TACHO_SPAN("handler", "test");
        TACHO_SPAN_ARGS("handler inside", "test", tacho_i64("i", i));
    }
    handled++;
}

static int do_handler(char **args)
{
    struct sigaction action = {.sa_handler = on_signal};
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec often = {{0, 50000}, {0, 50000}};
    unsigned long below = 0;

    sigaction(SIGRTMIN, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
        die("timer_create");
    timer_settime(timer, 0, &often, NULL);
    while ((unsigned long)handled < number(args[0])) {
        TACHO_SPAN("below", "test");
        TACHO_SPAN_ARGS("below inside", "test", tacho_i64("i", (int64_t)below));
        below++;
    }
    timer_delete(timer);
    signal(SIGRTMIN, SIG_IGN);
    printf("%lu %lu\n", below, (unsigned long)handled * 300);
    return 0;
}

/* signal: flushes when SIGUSR1 arrives, then is killed. */
static int do_signal(char **args)
{
    (void)args;
    if (tacho_trace_flush_on_signal(SIGUSR1, NULL) < 0)
        return 1;
    work();
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
}

/* forksignal START: forks a child that requests the signal again; its file is START.PID.json. */
static int do_forksignal(char **args)
{
    char out[4096];
    struct stat st;
    int status = 1;
    pid_t pid;

    if (tacho_trace_flush_on_signal(SIGUSR1, NULL) < 0)
        return 1;
    work();
    pid = fork();
    if (pid != 0)
        return waitpid(pid, &status, 0) == pid ? status : 1;
    if (tacho_trace_flush_on_signal(SIGUSR1, NULL) < 0)
        _exit(1);
    work();
    raise(SIGUSR1);
    snprintf(out, sizeof out, "%s.%d.json", args[0], (int)getpid());
    for (int i = 0; i < 300000 && status != 0; i++) {
        usleep(2000);
        status = stat(out, &st) < 0;
    }
    _exit(status);
}

/* keys: uses all names before it records an event with an argument. */
static int do_keys(char **args)
{
    tacho_field arg = tacho_i64("late", 1);
    char name[16];

    (void)args;
    tacho_instant("moment", "test", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
    for (int i = 0; i < 131072; i++) {
        snprintf(name, sizeof name, "%d", i);
        (void)tacho_track(name);
    }
    for (int i = 0; i < 10; i++)
        tacho_instant("moment", "test", TACHO_SCOPE_THREAD, (tacho_fields){&arg, 1});
    return 0;
}

/* flush OUT: flushes twice; events that were written before stay. */
static int do_flush(char **args)
{
    struct stat st;

    work();
    if (tacho_trace_flush(NULL) < 0 || stat(args[0], &st) < 0)
        return 1;
    work();
    if (tacho_trace_flush(NULL) < 0)
        return 1;
    work();
    return 0;
}

/* why: prints why nothing is recorded. */
static int do_why(char **args)
{
    (void)args;
    work();
    printf("%s\n", tacho_trace_why_off() ? tacho_trace_why_off() : "on");
    return 0;
}

/* chrome: opens a writer for the file that the environment names, with or without a span of the
   recorder before. Leaves it open. */
static int do_chrome(char **args)
{
    tacho_chrome *writer = NULL;
    tacho_error err = {.message = "written"};

    if (strcmp(args[0], "after") == 0)
        work();
    if (tacho_chrome_open_env(NULL, &writer, &err) == 0)
        tacho_chrome_push(writer, "pushed", "x", 1.0, 0, TACHO_NO_FIELDS, NULL);
    work();
    printf("%s\n", err.message);
    return 0;
}

/* setenv: sets FERRUM_TRACE_OUT in main(), then pushes; or opens a Chrome writer of that file
   first. */
static int do_setenv(char **args)
{
    tacho_chrome *writer = NULL;
    tacho_error err;

    setenv("FERRUM_TRACE_OUT", args[1], 1);
    work(); /* spans are decided at load */
    if (strcmp(args[0], "chrome") == 0) {
        if (tacho_chrome_open_env(NULL, &writer, &err) < 0)
            die(err.message);
        tacho_chrome_push(writer, "written", "x", 1.0, 0, TACHO_NO_FIELDS, NULL);
    }
    tacho_trace_push("pushed", "old", 1.0, 7);
    tacho_trace_push_args("pushed", "old", 1.0, 7, TACHO_FIELDS(tacho_i64("i", 1)));
    if (strcmp(args[0], "stopped") == 0) {
        if (tacho_trace_stop(&err) < 0)
            die(err.message);
        setenv("FERRUM_TRACE_OUT", "/dev/null/never", 1);
        tacho_trace_push("pushed", "old", 1.0, 7);
    }
    printf("%s\n", tacho_trace_why_off() ? tacho_trace_why_off() : "on");
    return 0;
}

/* names: records names that break careless writers. */
static int do_names(char **args)
{
    static const char *const names[] = {"quote\"back\\slash", "line\nbreak\ttab",
                                        "\xF0\x9F\x98\x80",   "bad \xFF\xC0\x80 bytes",
                                        "\x01\x1F control",   ""};

    (void)args;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tacho_field list[] = {tacho_text(names[i], names[i]), tacho_f64("nan", 0.0 / 0.0),
                              tacho_bool("yes", 1), tacho_u64("most", UINT64_MAX)};

        tacho_span_begin_args(names[i], names[i], (tacho_fields){list, 4});
        tacho_span_end();
        tacho_instant(names[i], names[i], TACHO_SCOPE_PROCESS, (tacho_fields){list, 4});
        tacho_counter_i64(names[i], (int64_t)i);
    }
    tacho_thread_name(names[3]);
    tacho_process_name(names[0]);
    return 0;
}

/* all: records some events of each kind, on two threads. */

static void *some_of_each(void *arg)
{
    uint64_t now = tacho_trace_now_ns();
    uint32_t track = tacho_track("stream");

    (void)arg;
    tacho_thread_name("worker");
    for (uint64_t i = 0; i < 100; i++) {
        TACHO_SPAN("outer", "span");
        {
            TACHO_SPAN_ARGS("inner", "span", tacho_u64("i", i), tacho_text("t", "x"));
            tacho_flow("arrow", "flow", TACHO_PHASE_BEGIN, i);
        }
        {
            TACHO_SPAN("target", "span");
            tacho_flow("arrow", "flow", TACHO_PHASE_END, i);
        }
        tacho_instant("moment", "i", TACHO_SCOPE_THREAD, TACHO_NO_FIELDS);
        tacho_counter_i64("whole", (int64_t)i);
        tacho_counter_f64("broken", (double)i / 4);
        tacho_async("request", "async", TACHO_PHASE_BEGIN, i, TACHO_NO_FIELDS);
        tacho_async("request", "async", TACHO_PHASE_END, i, TACHO_NO_FIELDS);
        tacho_track_span(track, "kernel", "gpu", now + i * 1000, now + i * 1000 + 1500,
                         TACHO_NO_FIELDS);
        tacho_trace_push("pushed", "old", 0.001, 7);
    }
    return NULL;
}

static int do_all(char **args)
{
    pthread_t thread;

    (void)args;
    if (pthread_create(&thread, NULL, some_of_each, NULL) != 0)
        die("pthread_create");
    pthread_join(thread, NULL);
    tacho_process_name("all of it");
    tacho_span_begin("never ends", "span");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(char **args);
        int args;
    } all[] = {
        {"kill", do_kill, 1},         {"spans", do_spans, 2},
        {"threads", do_threads, 1},   {"fork", do_fork, 0},
        {"exec", do_exec, 1},         {"reexec", do_reexec, 1},
        {"forkidle", do_forkidle, 0}, {"open", do_open, 0},
        {"abort", do_abort, 0},       {"plugin", do_plugin, 1},
        {"handler", do_handler, 1},   {"signal", do_signal, 0},
        {"flush", do_flush, 1},       {"why", do_why, 0},
        {"all", do_all, 0},           {"names", do_names, 0},
        {"late", do_late, 1},         {"memory", do_memory, 2},
        {"setenv", do_setenv, 2},     {"chrome", do_chrome, 1},
        {"keys", do_keys, 0},         {"forksignal", do_forksignal, 1},
    };

    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof all[0]; i++)
        if (strcmp(argv[1], all[i].name) == 0 && argc - 2 == all[i].args)
            return all[i].run(argv + 2);
    fprintf(stderr, "child: what?\n");
    return 64;
}
