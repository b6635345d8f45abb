/*
 * tacho run against a plain posix_spawn() harness, hyperfine -N and perf stat, in turns: what they
 * say a command takes, what 1,000 runs of `true` take with them, and what drawing a report takes.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/spawn.h"
#include "bench.h"
#include "run/receipt.h"
#include "stats/order.h"

enum { ROUNDS_MOST = 100 };
enum { FLOOR, OURS, HYPERFINE, PERF, TOOLS };

static const char *const tool_names[TOOLS] = {"posix_spawn harness", "tacho run", "hyperfine -N",
                                              "perf stat -r"};

/* One use of a tool: n runs of a command. Seconds. */
struct use {
    double median; /* of the runs, as the tool says */
    double wall;   /* of all of it */
    double own;    /* CPU time of the tool a run; NAN: not known */
};

static char folder[] = "/tmp/bench-run-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Runs a tool to its end; its CPU time, children included, and wall time in seconds. */
static int run_tool(const char *const *argv, double *wall, double *cpu)
{
    struct tch_spawn spec = {
        .argv = argv,
        .cwd = folder,
        .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}}};
    struct tch_spawn_end end;
    uint64_t begin = tch_now_ns();
    pid_t pid;

    if (tch_spawn(&spec, &pid, NULL) < 0 || tch_spawn_wait(pid, &end, NULL) < 0 || end.status != 0)
        return -1;
    *wall = (double)(tch_now_ns() - begin) / 1e9;
    *cpu = (double)(end.usage.ru_utime.tv_sec + end.usage.ru_stime.tv_sec) +
           (double)(end.usage.ru_utime.tv_usec + end.usage.ru_stime.tv_usec) / 1e6;
    return 0;
}

static int use_floor(const char *const *command, unsigned n, struct use *ret)
{
    struct tch_spawn spec = {
        .argv = command,
        .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}}};
    double times[1000];
    uint64_t first = tch_now_ns();
    uint64_t cpu = tch_clock_read(CLOCK_PROCESS_CPUTIME_ID);

    for (unsigned i = 0; i < n; i++) {
        struct tch_spawn_ready ready;
        struct tch_spawn_end end;
        uint64_t begin;
        pid_t pid;
        int status = tch_spawn_prepare(&ready, &spec, NULL);

        begin = tch_now_ns();
        if (status == 0)
            status = tch_spawn_start(&ready, &pid, NULL);
        if (status == 0)
            status = tch_spawn_wait(pid, &end, NULL);
        times[i] = (double)(tch_now_ns() - begin) / 1e9;
        tch_spawn_release(&ready);
        if (status < 0)
            return -1;
    }
    ret->wall = (double)(tch_now_ns() - first) / 1e9;
    ret->own = (double)(tch_clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9 / n;
    ret->median = tch_median(times, n);
    return 0;
}

static int use_tacho(const char *const *command, unsigned n, struct use *ret)
{
    char runs[16];
    const char *argv[16] = {
        getenv("BENCH_TACHO"), "run", "-q", "--name", "bench", "--runs", runs, "--"};
    struct tch_receipt r;
    bool recovered;
    double cpu;
    size_t len;
    const char *costs;
    int status;

    snprintf(runs, sizeof runs, "%u", n);
    for (int i = 0; command[i] && i < 7; i++)
        argv[8 + i] = command[i];
    if (run_tool(argv, &ret->wall, &cpu) < 0)
        return -1;
    status = tch_receipt_load(&r, in_folder("tacho-out/bench/latest"), &recovered, NULL);
    if (status == 0) {
        ret->median = r.rows.row[0].summary.median / 1e9;
        costs = tch_receipt_raw(&r, "costs", &len);
        ret->own = costs && sscanf(costs, "{\"tacho_cpu_ns\":%lf", &ret->own) == 1
                       ? ret->own / 1e9 / n
                       : NAN;
    }
    tch_receipt_release(&r);
    return status;
}

/* The number behind "key": in text, the first. */
static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static int use_hyperfine(const char *const *command, unsigned n, struct use *ret)
{
    char runs[16];
    char line[256] = "";
    const char *argv[] = {"hyperfine",     "-N",         "--style", "none", "--runs", runs,
                          "--export-json", "hyper.json", line,      NULL};
    struct tch_buf b;
    double cpu;
    double commands;
    int status = -1;

    snprintf(runs, sizeof runs, "%u", n);
    for (size_t len = 0; *command; command++)
        len += (size_t)snprintf(line + len, sizeof line - len, "%s ", *command);
    if (run_tool(argv, &ret->wall, &cpu) < 0)
        return -1;
    tch_buf_init(&b, 64 << 20);
    if (tch_file_read(in_folder("hyper.json"), 64 << 20, &b, NULL) == 0) {
        ret->median = number_after(b.data, "\"median\": ");
        commands = number_after(b.data, "\"user\": ") + number_after(b.data, "\"system\": ");
        ret->own = cpu / n - commands;
        status = 0;
    }
    tch_buf_release(&b);
    return status;
}

static int use_perf(const char *const *command, unsigned n, struct use *ret)
{
    char runs[16];
    const char *argv[16] = {"perf", "stat", "-r", runs, "-o", "perf.txt", "--"};
    struct tch_buf b;
    double cpu;

    snprintf(runs, sizeof runs, "%u", n);
    for (int i = 0; command[i] && i < 7; i++)
        argv[7 + i] = command[i];
    if (run_tool(argv, &ret->wall, &cpu) < 0)
        return -1;
    tch_buf_init(&b, 1 << 20);
    ret->own = NAN;
    ret->median = NAN; /* it tells the mean alone */
    if (tch_file_read(in_folder("perf.txt"), 1 << 20, &b, NULL) == 0) {
        const char *at = strstr(b.data, "seconds time elapsed");

        while (at && at > b.data && at[-1] != '\n')
            at--;
        if (at)
            ret->median = strtod(at + strspn(at, " "), NULL);
    }
    tch_buf_release(&b);
    return 0;
}

static int (*const uses[TOOLS])(const char *const *command, unsigned n,
                                struct use *ret) = {use_floor, use_tacho, use_hyperfine, use_perf};

static bool is_there(int tool)
{
    static const char *const programs[TOOLS] = {NULL, NULL, "hyperfine", "perf"};
    char path[4096];

    return !programs[tool] || tch_find_program(programs[tool], path, sizeof path, NULL) == 0;
}

static double median_of(double *values, unsigned n)
{
    return n > 0 ? tch_median(values, n) : NAN;
}

/* All tools on one command, in turns; ratios are of one round, then their median. */
static int compare(const char *name, const char *const *command, unsigned n, unsigned rounds)
{
    static double ratio[TOOLS][ROUNDS_MOST];
    static double wall[TOOLS][ROUNDS_MOST];
    static double own[TOOLS][ROUNDS_MOST];

    printf("\n%s, %u runs a round, %u rounds\n", name, n, rounds);
    for (unsigned round = 0; round < rounds; round++) {
        struct use use[TOOLS];

        for (int i = 0; i < TOOLS; i++) {
            int tool = (int)((unsigned)i + round) % TOOLS;

            use[tool] = (struct use){NAN, NAN, NAN};
            if (is_there(tool) && uses[tool](command, n, &use[tool]) < 0) {
                fprintf(stderr, "bench_run: %s failed\n", tool_names[tool]);
                return -1;
            }
        }
        for (int tool = 0; tool < TOOLS; tool++) {
            ratio[tool][round] = use[tool].median / use[FLOOR].median;
            wall[tool][round] = use[tool].wall;
            own[tool][round] = use[tool].own * 1e6;
        }
    }
    printf("  %-20s %14s %14s %16s\n", "", "says, by floor", "all of it", "own CPU a run");
    for (int tool = 0; tool < TOOLS; tool++)
        if (is_there(tool))
            printf("  %-20s %14.3f %12.3f s %13.0f us\n", tool_names[tool],
                   median_of(ratio[tool], rounds), median_of(wall[tool], rounds),
                   median_of(own[tool], rounds));
        else
            printf("  %-20s not installed\n", tool_names[tool]);
    return 0;
}

/* A run of 1,000 samples with 100,000 rows of memory, drawn. */
static int draw(unsigned rounds)
{
    const char *make[] = {getenv("BENCH_TACHO"),
                          "run",
                          "-q",
                          "--name",
                          "drawn",
                          "--runs",
                          "1000",
                          "--",
                          "true",
                          NULL};
    const char *argv[] = {getenv("BENCH_TACHO"), "report", "tacho-out/drawn/latest", NULL};
    double wall[ROUNDS_MOST];
    double cpu;
    struct stat st;
    FILE *csv;

    if (run_tool(make, &wall[0], &cpu) < 0)
        return -1;
    csv = fopen(in_folder("tacho-out/drawn/latest/memory.csv"), "we");
    if (!csv)
        return -1;
    fputs("timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n", csv);
    for (int i = 0; i < 100000; i++)
        fprintf(csv, "%d,%d,%d,%d,0\n", 10000 * i, 50000000 + i * 7919 % 30000000, i * 100,
                i % 1000 * 9000);
    fclose(csv);
    for (unsigned i = 0; i < rounds; i++)
        if (run_tool(argv, &wall[i], &cpu) < 0)
            return -1;
    if (stat(in_folder("tacho-out/drawn/latest/report.html"), &st) < 0)
        return -1;
    printf("\nreport.html of 1,000 runs and 100,000 rows of memory: %.3f s, %.0f KB\n",
           median_of(wall, rounds), (double)st.st_size / 1000);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const nothing[] = {"true", NULL};
    const char *const five[] = {BENCH_SPIN, "5", NULL};
    const char *const fifty[] = {BENCH_SPIN, "50", NULL};
    const char *clean[] = {"rm", "-rf", folder, NULL};
    struct bench_options o;
    unsigned rounds;
    double ignored;
    int status;

    if (bench_parse(&argc, argv, &o) < 0 || !mkdtemp(folder))
        return 1;
    setenv("BENCH_TACHO", BENCH_TACHO, 0);
    rounds = o.rounds < ROUNDS_MOST ? (unsigned)o.rounds : ROUNDS_MOST;
    status = compare("true", nothing, o.quick ? 20 : 1000, rounds);
    if (status == 0)
        status = compare("a spin of 5 ms", five, o.quick ? 5 : 60, rounds);
    if (status == 0)
        status = compare("a spin of 50 ms", fifty, o.quick ? 2 : 20, rounds);
    if (status == 0)
        status = draw(rounds);
    chdir("/");
    (void)run_tool(clean, &ignored, &ignored);
    return status == 0 ? 0 : 1;
}
