/*
 * Measures the time from the exit of a command to its flamegraph, for tacho and for perf record,
 * perf script and fold, with perf's defaults and tuned, and the cost of sampling: elapsed time and
 * CPU time of the command, and CPU time of the profiler itself. All contenders run in every round;
 * figures are medians.
 *
 * Both ways run the same wrapper around the command, this program with --run, which writes down
 * when the command ended and what time it took. The floor of that cost is the kernel's timer at the
 * same rate with nobody who wants its samples: this program with --timer.
 *
 * The preloaded sampler works inside the command, perf record in a process of its own. So the two
 * are compared by the elapsed time of the command and by the CPU time of command and profiler.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "bench.h"
#include "process/spawn.h"

enum { ROUNDS_MAX = 101, WORDS = 24, SOURCES = 4, FUNCTIONS = 40, RATE = 997 };
enum { PERF_ROUNDS = 2 }; /* rounds of perf on a make; with its defaults one takes minutes */

/* How a command is profiled. */
struct way {
    const char *name;
    const char *record[WORDS]; /* "DATA" is replaced by a file name; the command follows */
    const char *script;        /* run by the shell in the folder; NULL: record does everything */
    const char *missing;       /* NULL: it can be run */
    double after[ROUNDS_MAX];  /* seconds */
    double elapsed[ROUNDS_MAX];
    double cpu[ROUNDS_MAX]; /* CPU time of the command, in seconds */
    double own[ROUNDS_MAX]; /* CPU time of the profiler, without the script, in seconds */
    double all[ROUNDS_MAX]; /* CPU time of both */
    size_t count;
};

/* The times that the wrapper wrote. */
struct stamp {
    uint64_t end_ns;
    double elapsed;
    double cpu;
};

static char folder[PATH_MAX];
static char self[PATH_MAX];

static double cpu_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* bench_capture --run FILE COMMAND... */
static int run_wrapped(char **argv)
{
    struct tch_spawn spawn = {.argv = (const char *const *)(argv + 1)};
    struct tch_spawn_end end;
    struct stamp stamp;
    uint64_t start = tch_now_ns();
    tacho_error err;
    pid_t pid;

    if (tch_spawn(&spawn, &pid, &err) < 0 || tch_spawn_wait(pid, &end, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    stamp.end_ns = tch_now_ns();
    stamp.elapsed = (double)(stamp.end_ns - start) / 1e9;
    stamp.cpu = cpu_of(&end.usage);
    return tch_file_replace(argv[0], &stamp, sizeof stamp, false, NULL) < 0 || end.status != 0;
}

/* Leaves the descriptor open beyond the exec. */
static int open_timer(struct perf_event_attr *attr, int cpu)
{
    long fd = syscall(SYS_perf_event_open, attr, 0, cpu, -1, 0);

    /* At kernel.perf_event_paranoid 2 a user may time only the program itself, not the kernel. */
    if (fd < 0 && errno == EACCES && !attr->exclude_kernel) {
        attr->exclude_kernel = 1;
        fd = syscall(SYS_perf_event_open, attr, 0, cpu, -1, 0);
    }
    return (int)fd;
}

/* bench_capture --timer COMMAND... */
static int run_timed(char **argv)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .freq = 1,
                                   .sample_freq = RATE,
                                   .disabled = 1,
                                   .inherit = 1,
                                   .enable_on_exec = 1};

    for (int cpu = 0; cpu < (int)sysconf(_SC_NPROCESSORS_ONLN); cpu++)
        if (open_timer(&attr, cpu) < 0)
            return 1;
    execvp(argv[0], argv);
    return 1;
}

/* Runs a command. Sets *cpu, which may be NULL, to its CPU time and that of its children. */
static int run(const char *const *argv, double *cpu)
{
    struct tch_spawn spawn = {.argv = argv,
                              .cwd = folder,
                              .io = {[1] = {.kind = TCH_IO_NULL}, [2] = {.kind = TCH_IO_NULL}}};
    struct tch_spawn_end end;
    tacho_error err;
    pid_t pid;

    if (tch_spawn(&spawn, &pid, &err) < 0 || tch_spawn_wait(pid, &end, &err) < 0) {
        fprintf(stderr, "bench_capture: %s\n", err.message);
        return -1;
    }
    if (cpu)
        *cpu = cpu_of(&end.usage);
    return end.status == 0 ? 0 : -1;
}

static int run_shell(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};

    return run(argv, NULL);
}

static int read_stamp(struct stamp *ret)
{
    struct tch_buf b;
    char path[PATH_MAX + 16];
    int status = -1;

    snprintf(path, sizeof path, "%s/stamp", folder);
    tch_buf_init(&b, sizeof *ret + 1);
    if (tch_file_read(path, sizeof *ret, &b, NULL) == 0 && b.len == sizeof *ret) {
        memcpy(ret, b.data, sizeof *ret);
        status = 0;
    }
    tch_buf_release(&b);
    return status;
}

/* Measures one round of one way. */
static int measure(struct way *way, const char *const *command, const char *before)
{
    const char *argv[2 * WORDS];
    size_t n = 0;
    struct stamp stamp;
    double all;
    uint64_t now;

    for (size_t i = 0; way->record[i]; i++)
        argv[n++] = way->record[i];
    argv[n++] = self;
    argv[n++] = "--run";
    argv[n++] = "stamp";
    for (size_t i = 0; command[i]; i++)
        argv[n++] = command[i];
    argv[n] = NULL;
    if ((before && run_shell(before) < 0) || run(argv, &all) < 0 ||
        (way->script && run_shell(way->script) < 0) || read_stamp(&stamp) < 0) {
        fprintf(stderr, "bench_capture: '%s' failed\n", way->name);
        return -1;
    }
    now = tch_now_ns();
    way->after[way->count] = (double)(now - stamp.end_ns) / 1e9;
    way->elapsed[way->count] = stamp.elapsed;
    way->cpu[way->count] = stamp.cpu;
    way->own[way->count] = all - stamp.cpu;
    way->all[way->count++] = all;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *values, size_t count)
{
    double sorted[ROUNDS_MAX];

    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, by_value);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Returns the median of the ratios within each round. */
static double ratio(const double *a, const double *b, size_t count)
{
    double ratios[ROUNDS_MAX];

    for (size_t i = 0; i < count; i++)
        ratios[i] = a[i] / b[i];
    return median(ratios, count);
}

enum { PLAIN, TIMER, OURS, OURS_PLAIN, PERF, PERF_TUNED, PRELOAD, PTRACE, WAYS };

/* Compares with as many rounds of the command alone. */
static void report_cost(const struct way *way, const struct way *alone)
{
    printf("    %-42s elapsed %.3f s %+5.1f %%, CPU %.3f s %+5.1f %%; the profiler %.3f s\n",
           way->name, median(way->elapsed, way->count),
           100 * (ratio(way->elapsed, alone->elapsed, way->count) - 1),
           median(way->cpu, way->count), 100 * (ratio(way->cpu, alone->cpu, way->count) - 1),
           median(way->own, way->count));
}

/* Compares a sampler without perf events with perf record, which copies stacks of the same size and
   leaves the unwinding to perf script. */
static void report_sampler(const struct way *ways, size_t which, size_t rounds)
{
    const struct way *way = &ways[which];
    const struct way *perf = &ways[PERF_TUNED];
    double elapsed = ratio(way->elapsed, perf->elapsed, rounds);
    double all = ratio(way->all, perf->all, rounds);

    printf("  %s against perf record: elapsed %.3f times, target 1: %s; CPU time of command and "
           "profiler %.3f times, target 1: %s; of the command alone %.3f, of the profiler %.2f\n",
           way->name, elapsed, bench_met(elapsed <= 1), all, bench_met(all <= 1),
           ratio(way->cpu, perf->cpu, rounds), ratio(way->own, perf->own, rounds));
}

static void report(const char *name, struct way *ways, size_t rounds, double times)
{
    double cost;
    double over;

    printf("%s: from the command's end to the flamegraph\n", name);
    for (size_t i = OURS; i < WAYS; i++) {
        if (ways[i].missing)
            printf("  %-44s %s\n", ways[i].name, ways[i].missing);
        else
            printf("  %-44s %9.4f s, %zu rounds\n", ways[i].name,
                   median(ways[i].after, ways[i].count), ways[i].count);
    }
    if (!ways[PERF].missing) {
        double all = ratio(ways[PERF].after, ways[OURS].after, ways[PERF].count);
        double tuned = ratio(ways[PERF_TUNED].after, ways[OURS_PLAIN].after, rounds);

        printf("  with inlined frames: %.0f times as fast as perf; target %.0f: %s\n", all, times,
               bench_met(all >= times));
        printf("  without: %.0f times as fast as perf tuned; target 15: %s\n", tuned,
               bench_met(tuned >= 15));
    }
    printf("  the command alone: elapsed %.3f s, CPU %.3f s, %zu rounds\n",
           median(ways[PLAIN].elapsed, rounds), median(ways[PLAIN].cpu, rounds), rounds);
    for (size_t i = TIMER; i < WAYS; i++)
        if (!ways[i].missing)
            report_cost(&ways[i], &ways[PLAIN]);
    cost = ratio(ways[OURS].cpu, ways[PLAIN].cpu, rounds);
    over = ratio(ways[OURS].cpu, ways[TIMER].cpu, rounds);
    printf("  sampled by us: %+.1f %%; target +3 %%: %s; over the timer alone %+.1f %%\n",
           100 * (cost - 1), bench_met(cost <= 1.03), 100 * (over - 1));
    for (size_t i = PRELOAD; i <= PTRACE && !ways[PERF_TUNED].missing; i++)
        report_sampler(ways, i, rounds);
    printf("\n");
}

/* perf_rounds is the number of rounds that include perf with its defaults. */
static int compare(const char *name, const char *const *command, const char *before, double times,
                   size_t rounds, size_t perf_rounds)
{
    struct way ways[WAYS] = {
        [PLAIN] = {.name = "no profiler", .record = {NULL}},
        [TIMER] = {.name = "the kernel's timer alone", .record = {self, "--timer"}},
        [OURS] = {.name = "tacho flame",
                  .record = {TACHO_COMMAND, "flame", "-F", "997", "--force", "--"}},
        [OURS_PLAIN] = {.name = "tacho flame --no-inline",
                        .record = {TACHO_COMMAND, "flame", "-F", "997", "--force", "--no-inline",
                                   "--"}},
        [PERF] = {.name = "perf record -g dwarf, perf script, fold",
                  .record = {"perf", "record", "-F", "997", "--call-graph", "dwarf,16384", "-o",
                             "perf.data", "--"},
                  .script = "perf script -i perf.data | " TACHO_COMMAND " flame fold >folded"},
        [PERF_TUNED] = {.name = "the same, --no-bpf-event and --no-inline",
                        .record = {"perf", "record", "--no-bpf-event", "-F", "997", "--call-graph",
                                   "dwarf,16384", "-o", "perf.data", "--"},
                        .script = "perf script --no-inline -i perf.data | " TACHO_COMMAND
                                  " flame fold >folded"},
        [PRELOAD] = {.name = "tacho flame --profiler preload",
                     .record = {TACHO_COMMAND, "flame", "-F", "997", "--force", "--profiler",
                                "preload", "--"}},
        [PTRACE] = {.name = "tacho flame --profiler ptrace (250 Hz)",
                    .record = {TACHO_COMMAND, "flame", "--force", "--profiler", "ptrace", "--"}},
    };

    /* Ubuntu's perf is a script that fails when there is no perf for the running kernel. */
    if (run_shell("perf version") < 0)
        ways[PERF].missing = ways[PERF_TUNED].missing = "not installed, or not for this kernel";
    if (perf_rounds == 0)
        ways[PERF].missing = ways[PERF_TUNED].missing = "left out with --quick: it takes minutes";
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < WAYS; i++) {
            struct way *way = &ways[(i + round) % WAYS];

            if (way->missing || (way == &ways[PERF] && round >= perf_rounds))
                continue;
            if (measure(way, command, before) < 0)
                return -1;
        }
    report(name, ways, rounds, times);
    return 0;
}

/* Writes a small program in many files, for make. */
static int write_sources(size_t sources)
{
    char path[PATH_MAX + 64];
    struct tch_buf b;
    int status = 0;

    tch_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < sources && status == 0; i++) {
        tch_buf_clear(&b);
        tch_buf_adds(&b, "#include <stdio.h>\n#include <stdlib.h>\n");
        for (size_t k = 0; k < FUNCTIONS; k++)
            tch_buf_addf(&b,
                         "int f%zu_%zu(int *a, int n)\n{\n    int s = %zu;\n"
                         "    for (int i = 0; i < n; i++)\n        s += a[i] * %zu ^ s >> 3;\n"
                         "    printf(\"%%d\\n\", s);\n    return s;\n}\n",
                         i, k, k, k + 3);
        snprintf(path, sizeof path, "%s/f%zu.c", folder, i);
        status = tch_file_replace(path, b.data, b.len, false, NULL);
    }
    tch_buf_clear(&b);
    tch_buf_adds(&b, "all: $(patsubst %.c,%.o,$(wildcard *.c))\n"
                     "%.o: %.c\n\tgcc -O2 -g -c $< -o $@\n");
    snprintf(path, sizeof path, "%s/Makefile", folder);
    if (status == 0)
        status = tch_file_replace(path, b.data, b.len, false, NULL);
    tch_buf_release(&b);
    return status;
}

/* Returns whether this machine allows perf events. tacho flame works without them as well, but
   there is nothing to compare it with. */
static bool can_sample(void)
{
    const char *const argv[] = {self, "--timer", "true", NULL};

    return run(argv, NULL) == 0;
}

/* `only`: "program", "threads", "make", or NULL for all. */
static int bench_all(const struct bench_options *o, const char *only)
{
    const char *const program[] = {BENCH_WORKLOAD, "recursion", o->quick ? "30" : "700", NULL};
    const char *const threads[] = {BENCH_WORKLOAD, "crowd", o->quick ? "30" : "300", NULL};
    const char *const make[] = {"make", "-s", "-j2", NULL};
    int status = 0;

    if (!only || strcmp(only, "program") == 0)
        status = compare("a C program of 2 s", program, NULL, 15, o->rounds, o->rounds);
    if (status == 0 && (!only || strcmp(only, "threads") == 0))
        status = compare("four threads for each CPU", threads, NULL, 15, o->rounds, o->rounds);
    if (only && strcmp(only, "make") != 0)
        return status;
    /* perf calls addr2line for every address of the compiler, which takes minutes for a build of
       seconds. */
    if (status < 0 || write_sources(o->quick ? 1 : SOURCES) < 0)
        return -1;
    return compare("a parallel make with gcc", make, "rm -f *.o", 300, o->rounds,
                   o->quick ? 0 : PERF_ROUNDS);
}

int main(int argc, char **argv)
{
    struct bench_options options;
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char clean[PATH_MAX + 16];
    int status;

    if (argc > 3 && strcmp(argv[1], "--run") == 0)
        return run_wrapped(argv + 2);
    if (argc > 2 && strcmp(argv[1], "--timer") == 0)
        return run_timed(argv + 2);
    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 2 || options.rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_capture [--rounds N] [--quick] [program|threads|make]\n");
        return 64;
    }
    snprintf(folder, sizeof folder, "/tmp/bench-capture-XXXXXX");
    if (len <= 0 || !mkdtemp(folder)) {
        perror("bench_capture: cannot make a folder");
        return 1;
    }
    status = can_sample() ? bench_all(&options, argc > 1 ? argv[1] : NULL) : 77;
    if (status == 77)
        printf("skipped: perf events are not allowed here\n");
    snprintf(clean, sizeof clean, "rm -rf '%s'", folder);
    if (chdir("/") < 0 || run_shell(clean) < 0)
        status = -1;
    return status < 0 ? 1 : status;
}
