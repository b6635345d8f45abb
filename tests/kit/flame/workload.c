/*
 * A program whose profile is known: `hot` does 70 parts of the work, `warm` 20, `cool` 10, every
 * part the same number of the same steps.
 *
 *     workload MODE [ROUNDS [LIBRARY]]
 *
 * MODE: shares, phases, recursion, threads, crowd, bursts, requests, fork, dlopen, inlined,
 * signal, jit, vdso, sleep, crash, fail
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "spin.h"

enum { STEPS = 20000, HOT = 70, WARM = 20, COOL = 10, DEPTH = 20, THREADS = 3 };
enum { PHASE = 5, CROWD = 4, CROWD_MAX = 256, BURST = 22, REQUEST = 20 };

__attribute__((noinline)) static void hot(void)
{
    spin(HOT * STEPS);
}

__attribute__((noinline)) static void warm(void)
{
    spin(WARM * STEPS);
}

__attribute__((noinline)) static void cool(void)
{
    spin(COOL * STEPS);
}

static void shares(uint64_t rounds)
{
    while (rounds-- > 0) {
        hot();
        warm();
        cool();
    }
}

/* Does the same work in longer phases of about 8, 2 and 1 ms, so that a few thousand samples have
   exact shares. */
static void phases(uint64_t rounds)
{
    static void (*const parts[])(void) = {hot, warm, cool};

    while (rounds-- > 0)
        for (int part = 0; part < 3; part++)
            for (int i = 0; i < PHASE; i++)
                parts[part]();
}

/* Not a tail call, so that every level has its frame. */
__attribute__((noinline)) static void recurse(int depth, uint64_t rounds)
{
    if (depth == 0)
        shares(rounds);
    else
        recurse(depth - 1, rounds);
    __asm__ volatile("");
}

static void *thread_main(void *arg)
{
    shares(*(const uint64_t *)arg);
    return NULL;
}

static void *crowd_main(void *arg)
{
    phases(*(const uint64_t *)arg);
    return NULL;
}

static void start_threads(long count, void *(*run)(void *), uint64_t rounds)
{
    pthread_t ids[CROWD_MAX];

    for (long i = 0; i < count; i++)
        pthread_create(&ids[i], NULL, run, &rounds);
    for (long i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
}

/* Runs four busy threads per CPU, which share the rounds. */
static void crowd(uint64_t rounds)
{
    long count = CROWD * sysconf(_SC_NPROCESSORS_ONLN);

    if (count > CROWD_MAX)
        count = CROWD_MAX;
    start_threads(count, crowd_main, rounds / (uint64_t)count);
}

/* The empty assembler statements keep the frames of these functions, and the functions apart: the
   compiler would otherwise jump to spin() and merge functions with the same code. */
__attribute__((noinline)) static void early(void)
{
    spin(BURST * STEPS);
    __asm__ volatile("# early");
}

__attribute__((noinline)) static void late(void)
{
    spin(BURST * STEPS);
    __asm__ volatile("# late");
}

/* Works for about 1 ms and sleeps for 0.5 to 1.5 ms, again and again. A fixed time would stay in
   phase with a profiler that samples at a fixed rate. */
static void bursts(uint64_t rounds)
{
    uint32_t random = 1;

    while (rounds-- > 0) {
        early();
        late();
        random = random * 1664525u + 1013904223u;
        usleep(500 + (random >> 16) % 1000);
    }
}

/* Works for about 20 ms and sleeps for 50 to 350 ms, like a server between two requests. */
static void requests(uint64_t rounds)
{
    uint32_t random = 1;

    while (rounds-- > 0) {
        for (int i = 0; i < REQUEST; i++)
            early();
        for (int i = 0; i < REQUEST; i++)
            late();
        random = random * 1664525u + 1013904223u;
        usleep(50000 + (random >> 8) % 300000);
    }
}

static void forks(uint64_t rounds)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            shares(rounds);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

#ifdef WORKLOAD_STATIC
static int load(const char *library, uint64_t rounds)
{
    (void)library;
    (void)rounds;
    return 64;
}
#else
static int load(const char *library, uint64_t rounds)
{
    void *handle = dlopen(library, RTLD_NOW);
    void (*work)(uint64_t) = NULL;

    if (handle)
        *(void **)&work = dlsym(handle, "library_work");
    if (!work) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    work(rounds);
    return 0;
}
#endif

static inline __attribute__((always_inline)) void inlined_hot(void)
{
    spin(HOT * STEPS);
}

static inline __attribute__((always_inline)) void inlined_middle(void)
{
    inlined_hot();
}

__attribute__((noinline)) static void outer(uint64_t rounds)
{
    while (rounds-- > 0) {
        inlined_middle();
        warm();
        cool();
    }
}

static uint64_t signal_rounds;

static void on_signal(int number)
{
    (void)number;
    shares(signal_rounds);
}

__attribute__((noinline)) static void raiser(void)
{
    raise(SIGUSR1);
    __asm__ volatile("");
}

static void in_signal(uint64_t rounds)
{
    signal_rounds = rounds;
    signal(SIGUSR1, on_signal);
    raiser();
}

/* Runs generated code, a loop of ROUNDS * 2^20, and writes the map that names it. */
static int jit(uint64_t rounds)
{
    static const uint8_t code[] = {
        0x55, 0x48, 0x89, 0xe5, /* push rbp; mov rbp, rsp */
        0x48, 0xff, 0xcf,       /* loop: dec rdi */
        0x75, 0xfb,             /* jnz loop */
        0x5d, 0xc3,             /* pop rbp; ret */
    };
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*call)(uint64_t);
    char path[64];
    FILE *map;

    if (at == MAP_FAILED)
        return 1;
    memcpy(at, code, sizeof code);
    mprotect(at, 4096, PROT_READ | PROT_EXEC);
    *(void **)&call = at;
    call(rounds << 20);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    map = fopen(path, "w");
    if (!map || fprintf(map, "%lx %zx compiled code\n", (unsigned long)at, sizeof code) < 0)
        return 1;
    return fclose(map) == 0 ? 0 : 1;
}

/* Reads the time through the vdso, the kernel's page in every process. */
__attribute__((noinline)) static void teller(uint64_t rounds)
{
    struct timespec now;

    for (uint64_t i = 0; i < rounds * STEPS; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink += (uint64_t)now.tv_nsec;
    }
}

__attribute__((noinline)) static void sleeper(uint64_t rounds)
{
    while (rounds-- > 0)
        usleep(1000);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "shares";
    uint64_t rounds = 300;

    if (argc > 2 && sscanf(argv[2], "%9lu", &rounds) != 1)
        return 64;
    if (strcmp(mode, "shares") == 0)
        shares(rounds);
    else if (strcmp(mode, "phases") == 0)
        phases(rounds);
    else if (strcmp(mode, "crowd") == 0)
        crowd(rounds);
    else if (strcmp(mode, "bursts") == 0)
        bursts(rounds);
    else if (strcmp(mode, "requests") == 0)
        requests(rounds);
    else if (strcmp(mode, "recursion") == 0)
        recurse(DEPTH, rounds);
    else if (strcmp(mode, "threads") == 0)
        start_threads(THREADS, thread_main, rounds);
    else if (strcmp(mode, "fork") == 0)
        forks(rounds);
    else if (strcmp(mode, "dlopen") == 0 && argc > 3)
        return load(argv[3], rounds);
    else if (strcmp(mode, "inlined") == 0)
        outer(rounds);
    else if (strcmp(mode, "signal") == 0)
        in_signal(rounds);
    else if (strcmp(mode, "jit") == 0)
        return jit(rounds);
    else if (strcmp(mode, "vdso") == 0)
        teller(rounds);
    else if (strcmp(mode, "sleep") == 0)
        sleeper(rounds);
    else if (strcmp(mode, "crash") == 0)
        shares(rounds), raise(SIGSEGV);
    else if (strcmp(mode, "fail") == 0)
        shares(rounds), _exit(7);
    else
        return 64;
    return 0;
}
