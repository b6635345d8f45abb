/*
 * Compares tacho run with a plain posix_spawn() harness, hyperfine -N and perf stat, interleaved:
 * the time that they report for a command, the time and memory of 1,000 runs of `true`, and the
 * time to draw a report. Arguments choose cases by name.
 */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "bench.h"
#include "kit/stats/order_stats.h"
#include "run_tools.h"

enum { ROUNDS_MOST = 100, LINE_MAX_BYTES = 1 << 20 };

#define DRAW_BY_PYTHON                                                         \
    2.0 /* target: reading the files with Python takes this many times as long \
         */

/* The results of the rounds, one list per tool. */
struct rounds {
    double says[TOOLS][ROUNDS_MOST];
    double by_floor[TOOLS][ROUNDS_MOST];
    double wall[TOOLS][ROUNDS_MOST];
    double cpu[TOOLS][ROUNDS_MOST];
    double own[TOOLS][ROUNDS_MOST];
};

struct command_case {
    const char *id;
    const char *name;
    const char *const *command;
    unsigned runs;
    unsigned quick_runs;
    unsigned pairs;
    double most; /* largest ratio of tacho's time to that of the plain harness */
};

/*
 * As JSON: a line of the schema that bench_report_json() writes.
 */

static void json_numbers(struct tch_buf *b, const char *key, const double *values, size_t count)
{
    if (isnan(values[0]))
        return;
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++)
        tch_json_f64(b, values[i]);
    tch_json_end_array(b);
}

static void json_begin(struct tch_buf *b, const char *name, uint64_t operations,
                       const char *operation)
{
    tch_buf_init(b, LINE_MAX_BYTES);
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.bench.v1");
    tch_json_put_text(b, "name", name);
    tch_json_put_u64(b, "bytes", 0);
    tch_json_put_u64(b, "operations", operations);
    tch_json_put_text(b, "operation", operation);
    tch_json_key(b, "contenders");
    tch_json_begin_array(b);
}

static void json_contender(struct tch_buf *b, const char *name, const char *role)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "name", name);
    tch_json_put_text(b, "role", role);
}

static void json_ratios(struct tch_buf *b)
{
    tch_json_end_array(b);
    tch_json_key(b, "ratios");
    tch_json_begin_array(b);
}

static int json_end(struct tch_buf *b)
{
    int status;

    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
    status = !b->failed && fwrite(b->data, 1, b->len, stdout) == b->len && fflush(stdout) == 0;
    tch_buf_release(b);
    return status ? 0 : -1;
}

static void json_ratio(struct tch_buf *b, const struct command_case *c, const struct tch_ratio *r)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "ours", tool_names[TOOL_OURS]);
    tch_json_put_text(b, "peer", tool_names[TOOL_FLOOR]);
    tch_json_put_f64(b, "says_by_peer", r->estimate);
    tch_json_put_f64(b, "low", r->low);
    tch_json_put_f64(b, "high", r->high);
    tch_json_put_f64(b, "most", c->most);
    tch_json_put_bool(b, "met", r->estimate <= c->most);
    tch_json_end_object(b);
}

static int print_json(const struct command_case *c, unsigned n, const struct rounds *r,
                      size_t rounds, const struct tch_ratio *agreement)
{
    static const char *const roles[TOOLS] = {"floor", "ours", "peer", "peer"};
    struct tch_buf b;

    json_begin(&b, c->name, n, "run");
    for (int tool = 0; tool < TOOLS; tool++) {
        json_contender(&b, tool_names[tool], roles[tool]);
        if (tool_is_there(tool)) {
            json_numbers(&b, "cpu_s", r->cpu[tool], rounds);
            json_numbers(&b, "wall_s", r->wall[tool], rounds);
            json_numbers(&b, "says_s", r->says[tool], rounds);
            json_numbers(&b, "own_cpu_s", r->own[tool], rounds);
        } else {
            tch_json_put_text(&b, "missing", "not installed, or not allowed");
        }
        tch_json_end_object(&b);
    }
    json_ratios(&b);
    json_ratio(&b, c, agreement);
    return json_end(&b);
}

/*
 * Time.
 */

static int one_round(const struct command_case *c, unsigned n, unsigned round, struct rounds *r)
{
    struct tool_use use[TOOLS];

    for (int i = 0; i < TOOLS; i++) {
        int tool = (int)((unsigned)i + round) % TOOLS;

        use[tool] = (struct tool_use){NAN, NAN, NAN, NAN, NAN};
        if (tool_is_there(tool) && tool_use(tool, c->command, n, &use[tool]) < 0) {
            fprintf(stderr, "bench_run: %s failed\n", tool_names[tool]);
            return -1;
        }
    }
    for (int tool = 0; tool < TOOLS; tool++) {
        r->says[tool][round] = use[tool].median;
        r->by_floor[tool][round] = use[tool].median / use[TOOL_FLOOR].median;
        r->wall[tool][round] = use[tool].wall;
        r->cpu[tool][round] = use[tool].cpu;
        r->own[tool][round] = use[tool].own;
    }
    return 0;
}

static void print_text(const struct command_case *c, unsigned n, struct rounds *r, unsigned rounds)
{
    printf("%s, %u runs a round, %u rounds\n", c->name, n, rounds);
    printf("  %-20s %12s %14s %12s %16s\n", "", "says", "by the floor's", "all of it",
           "own CPU a run");
    for (int tool = 0; tool < TOOLS; tool++)
        if (tool_is_there(tool))
            printf("  %-20s %9.3f ms %14.4f %10.3f s %13.0f us\n", tool_names[tool],
                   tch_median(r->says[tool], rounds) * 1e3, tch_median(r->by_floor[tool], rounds),
                   tch_median(r->wall[tool], rounds), tch_median(r->own[tool], rounds) * 1e6);
        else
            printf("  %-20s not installed, or not allowed\n", tool_names[tool]);
    putchar('\n');
}

/* Runs all tools on one command, interleaved. The result is the median of the ratios within each
   round. */
static int compare(const struct command_case *c, const struct bench_options *o, unsigned rounds)
{
    static struct rounds r;
    struct tch_ratio agreement;
    unsigned n = o->quick ? c->quick_runs : c->runs;

    for (unsigned round = 0; round < rounds; round++)
        if (one_round(c, n, round, &r) < 0)
            return -1;
    if (tool_agreement(c->command, o->quick ? 6 : c->pairs, &agreement) < 0)
        return -1;
    if (o->json)
        return print_json(c, n, &r, rounds, &agreement);
    print_text(c, n, &r, rounds);
    printf("  interleaved run by run, tacho reports %.4f of the harness (95 %%: %.4f to %.4f, %u "
           "pairs); "
           "target at most %.2f: %s\n\n",
           agreement.estimate, agreement.low, agreement.high, o->quick ? 6 : c->pairs, c->most,
           bench_met(agreement.estimate <= c->most));
    return 0;
}

/*
 * Memory: a program that reports its own peak, measured by the plain harness and by tacho.
 */

static int hold(const char *bytes, const char *ms, const struct bench_options *o, unsigned rounds)
{
    const char *const command[] = {BENCH_HOLD, bytes, ms, NULL};
    const char *argv[] = {BENCH_TACHO,
                          "run",
                          "-q",
                          "--name",
                          "bench",
                          "--runs",
                          o->quick ? "3" : "40",
                          "--metric",
                          "kb=VmHWM:[[:space:]]*([0-9]+)",
                          "--",
                          BENCH_HOLD,
                          bytes,
                          ms,
                          NULL};
    double plain[ROUNDS_MOST];
    double ours[ROUNDS_MOST];
    double own[ROUNDS_MOST];
    double ignored;
    struct tch_buf b;
    char name[96];

    for (unsigned i = 0; i < rounds; i++) {
        struct tool_use use;

        if (tool_use(TOOL_FLOOR, command, o->quick ? 3 : 40, &use) < 0 ||
            tool_run(argv, &ignored, &ignored) < 0)
            return -1;
        plain[i] = use.memory;
        ours[i] = tool_said("max_rss_bytes");
        own[i] = tool_said("kb") * 1024;
    }
    snprintf(name, sizeof name, "peak memory of a program that takes %s bytes for %s ms", bytes,
             ms);
    if (!o->json) {
        double truth = tch_median(own, rounds);

        printf("%s\n  as it says itself %.0f KiB; posix_spawn harness %.4f of that, tacho run "
               "%.4f\n\n",
               name, truth / 1024, tch_median(plain, rounds) / truth,
               tch_median(ours, rounds) / truth);
        return 0;
    }
    json_begin(&b, name, o->quick ? 3 : 40, "run");
    json_contender(&b, "the program itself", "floor");
    json_numbers(&b, "says_bytes", own, rounds);
    tch_json_end_object(&b);
    json_contender(&b, tool_names[TOOL_FLOOR], "peer");
    json_numbers(&b, "says_bytes", plain, rounds);
    tch_json_end_object(&b);
    json_contender(&b, tool_names[TOOL_OURS], "ours");
    json_numbers(&b, "says_bytes", ours, rounds);
    tch_json_end_object(&b);
    json_ratios(&b);
    return json_end(&b);
}

/*
 * Drawing.
 */

static int put_memory(void)
{
    FILE *csv = fopen(tools_path("tacho-out/bench/latest/memory.csv"), "we");

    if (!csv)
        return -1;
    fputs("timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n", csv);
    for (int i = 0; i < 100000; i++)
        fprintf(csv, "%d,%d,%d,%d,0\n", 10000 * i, 50000000 + i * 7919 % 30000000, i * 100,
                i % 1000 * 9000);
    return fclose(csv) == 0 ? 0 : -1;
}

/* Prints how long drawing takes, as a ratio to Python, which only reads the files. */
static void print_drawn(const char *name, double *ours, double *python, unsigned rounds,
                        double bytes)
{
    double ratios[ROUNDS_MOST];
    double times;

    for (unsigned i = 0; i < rounds; i++)
        ratios[i] = python[i] / ours[i];
    times = tch_median(ratios, rounds);
    printf("%s: %.3f s of CPU time; python3 reads the files in %.3f s, %.2f times as long (target "
           "%g: %s); %.0f KB (target below 2000: %s)\n",
           name, tch_median(ours, rounds), tch_median(python, rounds), times, DRAW_BY_PYTHON,
           bench_met(times >= DRAW_BY_PYTHON), bytes / 1000, bench_met(bytes < 2e6));
}

static int print_drawn_json(const char *name, const double *ours, const double *python,
                            unsigned rounds, double bytes)
{
    struct tch_buf b;

    json_begin(&b, name, 1, "report");
    json_contender(&b, "tacho report", "ours");
    json_numbers(&b, "cpu_s", ours, rounds);
    json_numbers(&b, "says_bytes", &bytes, 1);
    tch_json_end_object(&b);
    json_contender(&b, "python3, reading the files", "peer");
    json_numbers(&b, "cpu_s", python, rounds);
    tch_json_end_object(&b);
    json_ratios(&b);
    return json_end(&b);
}

/* Draws a run of 1,000 samples with 100,000 rows of memory, interleaved with a Python program that
   reads the same files and does nothing with them. */
static int draw(const struct bench_options *o, unsigned rounds)
{
    static const char *const nothing[] = {"true", NULL};
    static const char name[] = "report.html of 1,000 runs and 100,000 rows of memory";
    static const char *const report[] = {BENCH_TACHO, "report", "tacho-out/bench/latest", NULL};
    static const char *const python[] = {"python3", "-c",
                                         "import csv, json\n"
                                         "run = 'tacho-out/bench/latest/'\n"
                                         "record = json.load(open(run + 'run.json'))\n"
                                         "rows = list(csv.reader(open(run + 'memory.csv')))\n",
                                         NULL};
    double ours[ROUNDS_MOST];
    double peer[ROUNDS_MOST];
    double wall;
    struct tool_use ignored;
    struct stat st;

    if (tool_use(TOOL_OURS, nothing, 1000, &ignored) < 0 || put_memory() < 0)
        return -1;
    for (unsigned i = 0; i < rounds; i++)
        if (tool_run(report, &wall, &ours[i]) < 0 || tool_run(python, &wall, &peer[i]) < 0)
            return -1;
    if (stat(tools_path("tacho-out/bench/latest/report.html"), &st) < 0)
        return -1;
    if (o->json)
        return print_drawn_json(name, ours, peer, rounds, (double)st.st_size);
    print_drawn(name, ours, peer, rounds, (double)st.st_size);
    return 0;
}

static bool chosen(int argc, char **argv, const char *id)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], id) == 0)
            return true;
    return argc == 1;
}

static int run_cases(int argc, char **argv, const struct bench_options *o, unsigned rounds)
{
    static const char *const nothing[] = {"true", NULL};
    static const char *const five[] = {BENCH_SPIN, "5", NULL};
    static const char *const fifty[] = {BENCH_SPIN, "50", NULL};
    static const struct command_case cases[] = {
        {"true", "true", nothing, 1000, 20, 1000, 1.05},
        {"5ms", "a spin of 5 ms", five, 60, 5, 600, 1.01},
        {"50ms", "a spin of 50 ms", fifty, 20, 2, 100, 1.01},
    };
    static const char *const held[][2] = {
        {"2000000", "0"}, {"2000000", "50"}, {"50000000", "0"}, {"1000000000", "0"}};
    int status = 0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == 0; i++)
        if (chosen(argc, argv, cases[i].id))
            status = compare(&cases[i], o, rounds);
    for (size_t i = 0; i < (o->quick ? 2 : 4) && status == 0 && chosen(argc, argv, "memory"); i++)
        status =
            hold(held[i][0], held[i][1], o, i == 3 ? 1 : rounds); /* the last takes half a minute */
    if (status == 0 && chosen(argc, argv, "report"))
        status = draw(o, rounds);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"true", "5ms", "50ms", "memory", "report"};
    struct bench_options o;
    int status;

    if (bench_parse(&argc, argv, &o) < 0)
        return 64;
    for (int i = 1; i < argc; i++) {
        size_t k = 0;

        while (k < 5 && strcmp(argv[i], known[k]) != 0)
            k++;
        if (k == 5) {
            fprintf(stderr, "usage: bench_run [--rounds N] [--quick] [--json] "
                            "[true] [5ms] [50ms] [memory] [report]\n");
            return 64;
        }
    }
    if (tools_open() < 0) {
        perror("bench_run: cannot make a folder");
        return 1;
    }
    status = run_cases(argc, argv, &o,
                       o.rounds < ROUNDS_MOST ? (unsigned)o.rounds : (unsigned)ROUNDS_MOST);
    tools_close();
    if (status < 0)
        fputs("bench_run: a case failed\n", stderr);
    return status == 0 ? 0 : 1;
}
