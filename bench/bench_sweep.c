/*
 * Measures a sweep of 1,000 cells: the cost of a run compared with tacho run, and the time to
 * regenerate its results, figures and report compared with reading the same files.
 */
#include <math.h>
#include <sys/stat.h>

#include "bench.h"
#include "kit/stats/order_stats.h"
#include "run_tools.h"

enum { ROUNDS_MOST = 100 };

int main(int argc, char **argv)
{
    const char *sweep[] = {
        BENCH_TACHO,      "sweep", "-q",   "--range", "a=1:40", "--range", "b=1:25",
        "--power-source", "none",  "-n",   "6",       "-b",     "true",    "--name",
        "thousand",       "--",    "true", "{a}",     "{b}",    NULL};
    const char *read[] = {"sh", "-c", "cat tacho-out/thousand/cells/*/latest/run.json", NULL};
    double wall[2][ROUNDS_MOST];
    double cpu[2][ROUNDS_MOST];
    struct bench_options o;
    struct stat st;
    size_t runs = 6 * (1000 + 125);
    double first;
    double ignored;

    if (bench_parse(&argc, argv, &o) < 0 || tools_open() < 0)
        return 1;
    if (o.quick) {
        sweep[4] = "a=1:4";
        sweep[6] = "b=1:5";
        runs = 6 * (20 + 3);
    }
    if (o.rounds > ROUNDS_MOST)
        o.rounds = ROUNDS_MOST;
    if (tool_run(sweep, &first, &ignored) < 0)
        return 1;
    for (size_t i = 0; i < o.rounds; i++)
        if (tool_run(read, &wall[0][i], &cpu[0][i]) < 0 ||
            tool_run(sweep, &wall[1][i], &cpu[1][i]) < 0)
            return 1;
    if (stat(tools_path("tacho-out/thousand/report.html"), &st) < 0)
        return 1;
    printf(
        "\nsweep of %s x %s cells, 6 runs each of 'true', and a baseline: %.2f s, %.2f ms a run\n",
        sweep[4], sweep[6], first, first * 1e3 / (double)runs);
    printf("report made again, %zu rounds\n", o.rounds);
    printf("  %-32s %8.3f s, CPU %.3f s\n", "cat of every run.json (floor)",
           tch_median(wall[0], o.rounds), tch_median(cpu[0], o.rounds));
    printf("  %-32s %8.3f s, CPU %.3f s; report.html has %.0f KB\n",
           "results, figures, report.html", tch_median(wall[1], o.rounds),
           tch_median(cpu[1], o.rounds), (double)st.st_size / 1000);
    tools_close();
    return 0;
}
