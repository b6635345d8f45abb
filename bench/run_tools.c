/* Runs a plain posix_spawn() harness, tacho run, hyperfine -N and perf stat, and reads their
   results. */
#include "run_tools.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "kit/result/result.h"
#include "kit/run/spawner/spawner.h"
#include "kit/stats/order_stats.h"
#include "process/spawn.h"

const char *const tool_names[TOOLS] = {"posix_spawn harness", "tacho run", "hyperfine -N",
                                       "perf stat -r"};

static char folder[] = "/tmp/bench-run-XXXXXX";

int tools_open(void)
{
    return mkdtemp(folder) ? 0 : -1;
}

void tools_close(void)
{
    const char *clean[] = {"rm", "-rf", folder, NULL};
    double ignored;

    (void)tool_run(clean, &ignored, &ignored);
}

const char *tools_path(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static double cpu_seconds(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

int tool_run(const char *const *argv, double *wall, double *cpu)
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
    *cpu = cpu_seconds(&end.usage);
    return 0;
}

static int run_plainly(const char *const *command, double *seconds, double *bytes, double *cpu)
{
    struct tch_spawn spec = {
        .argv = command,
        .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}}};
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
    *seconds = (double)(tch_now_ns() - begin) / 1e9;
    tch_spawn_release(&ready);
    if (status == 0) {
        *bytes = (double)end.usage.ru_maxrss * 1024;
        *cpu += cpu_seconds(&end.usage);
    }
    return status;
}

static int use_floor(const char *const *command, unsigned n, struct tool_use *ret)
{
    double times[TOOL_RUNS_MOST];
    double peaks[TOOL_RUNS_MOST];
    uint64_t first = tch_now_ns();
    uint64_t own = tch_clock_read(CLOCK_PROCESS_CPUTIME_ID);

    ret->cpu = 0;
    for (unsigned i = 0; i < n; i++)
        if (run_plainly(command, &times[i], &peaks[i], &ret->cpu) < 0)
            return -1;
    ret->wall = (double)(tch_now_ns() - first) / 1e9;
    own = tch_clock_read(CLOCK_PROCESS_CPUTIME_ID) - own;
    ret->cpu += (double)own / 1e9;
    ret->own = (double)own / 1e9 / n;
    ret->median = tch_median(times, n);
    ret->memory = tch_median(peaks, n);
    return 0;
}

static int run_by_spawner(struct tch_spawner *s, unsigned run, double *seconds)
{
    struct tch_run_sample sample;

    if (tch_spawner_begin(s, &(struct tch_job){.run = run}, 1, NULL) < 0 ||
        tch_spawner_wait(s, UINT64_MAX, &sample, NULL) < 0)
        return -1;
    *seconds = sample.field[TCH_WALL] / 1e9;
    return 0;
}

int tool_agreement(const char *const *command, unsigned pairs, struct tch_ratio *ret)
{
    struct tch_run_command one = {.name = "bench", .argv = command, .line = command[0]};
    struct tch_target target = {.command = &one, .out_fd = -1, .err_fd = -1, .log_fd = -1};
    struct tch_run_plan plan;
    struct tch_spawner *s = NULL;
    double plain[TOOL_RUNS_MOST];
    double ours[TOOL_RUNS_MOST];
    char path[4096];
    int status;

    tch_run_plan_init(&plan);
    plan.commands = &one;
    plan.command_count = 1;
    target.folder = folder;
    if (tch_find_program(command[0], path, sizeof path, NULL) < 0 ||
        tch_mkdirs(tools_path("iter"), NULL) < 0)
        return -1;
    one.path = path;
    status = tch_spawner_open(&plan, &target, &s, NULL);
    for (unsigned i = 0; i < pairs && status == 0; i++) {
        double ignored;

        if (i % 2 == 1)
            status = run_by_spawner(s, i + 1, &ours[i]);
        if (status == 0)
            status = run_plainly(command, &plain[i], &ignored, &ignored);
        if (i % 2 == 0 && status == 0)
            status = run_by_spawner(s, i + 1, &ours[i]);
    }
    tch_spawner_close(s);
    return status < 0 ? status : tch_ratio_paired(plain, ours, pairs, 0.05, 1, ret, NULL);
}

static double median_in(const struct tch_result *r, const char *name)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (strcmp(r->rows[i].metric.key, name) == 0)
            return r->rows[i].summary.median;
    return NAN;
}

static int load_ours(struct tch_result *r)
{
    return tch_result_load(r, tools_path("tacho-out/bench/latest"), NULL);
}

double tool_said(const char *name)
{
    struct tch_result r;
    double median = load_ours(&r) == 0 ? median_in(&r, name) : NAN;

    tch_result_release(&r);
    return median;
}

static int use_tacho(const char *const *command, unsigned n, struct tool_use *ret)
{
    char runs[16];
    const char *argv[16] = {BENCH_TACHO, "run", "-q", "--name", "bench", "--runs", runs, "--"};
    struct tch_result r;
    int status;

    snprintf(runs, sizeof runs, "%u", n);
    for (int i = 0; command[i] && i < 7; i++)
        argv[8 + i] = command[i];
    if (tool_run(argv, &ret->wall, &ret->cpu) < 0)
        return -1;
    status = load_ours(&r);
    if (status == 0) {
        ret->median = median_in(&r, "wall_ns") / 1e9;
        ret->memory = median_in(&r, "max_rss_bytes");
        ret->own = r.costs.tacho_cpu_ns / 1e9 / n;
    }
    tch_result_release(&r);
    return status;
}

/* Returns the number after the first "key": in text. */
static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static int use_hyperfine(const char *const *command, unsigned n, struct tool_use *ret)
{
    char runs[16];
    char line[256] = "";
    const char *argv[] = {"hyperfine",     "-N",         "--style", "none", "--runs", runs,
                          "--export-json", "hyper.json", line,      NULL};
    struct tch_buf b;
    int status = -1;

    snprintf(runs, sizeof runs, "%u", n);
    for (size_t len = 0; *command; command++)
        len += (size_t)snprintf(line + len, sizeof line - len, "%s ", *command);
    if (tool_run(argv, &ret->wall, &ret->cpu) < 0)
        return -1;
    tch_buf_init(&b, 64 << 20);
    if (tch_file_read(tools_path("hyper.json"), 64 << 20, &b, NULL) == 0) {
        ret->median = number_after(b.data, "\"median\": ");
        ret->own = ret->cpu / n - number_after(b.data, "\"user\": ") -
                   number_after(b.data, "\"system\": ");
        status = 0;
    }
    tch_buf_release(&b);
    return status;
}

/* perf stat reports only the mean. */
static int use_perf(const char *const *command, unsigned n, struct tool_use *ret)
{
    char runs[16];
    const char *argv[16] = {"perf", "stat", "-r", runs, "-o", "perf.txt", "--"};
    struct tch_buf b;

    snprintf(runs, sizeof runs, "%u", n);
    for (int i = 0; command[i] && i < 7; i++)
        argv[7 + i] = command[i];
    if (tool_run(argv, &ret->wall, &ret->cpu) < 0)
        return -1;
    tch_buf_init(&b, 1 << 20);
    if (tch_file_read(tools_path("perf.txt"), 1 << 20, &b, NULL) == 0) {
        const char *at = strstr(b.data, "seconds time elapsed");

        while (at && at > b.data && at[-1] != '\n')
            at--;
        if (at)
            ret->median = strtod(at + strspn(at, " "), NULL);
    }
    tch_buf_release(&b);
    return 0;
}

bool tool_is_there(int tool)
{
    /* perf may be installed and refused by the kernel. */
    static const char *const tries[TOOLS][8] = {
        [TOOL_HYPERFINE] = {"hyperfine", "--version"},
        [TOOL_PERF] = {"perf", "stat", "-o", "/dev/null", "--", "true"}};
    static bool tried[TOOLS];
    static bool there[TOOLS];
    double ignored;

    if (!tried[tool])
        there[tool] = !tries[tool][0] || tool_run(tries[tool], &ignored, &ignored) == 0;
    tried[tool] = true;
    return there[tool];
}

int tool_use(int tool, const char *const *command, unsigned n, struct tool_use *ret)
{
    static int (*const uses[TOOLS])(const char *const *command, unsigned n,
                                    struct tool_use *ret) = {use_floor, use_tacho, use_hyperfine,
                                                             use_perf};

    *ret = (struct tool_use){NAN, NAN, NAN, NAN, NAN};
    return uses[tool](command, n, ret);
}
