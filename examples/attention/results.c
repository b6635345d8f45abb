/*
 * attention_results: writes csv/results.csv, csv/savings.csv and figs/savings.svg and prints a
 * summary, from the files of the runs of a grid: csv/baseline.csv, csv/mincut_*.csv,
 * witness/mincut_*.jsonl, and control/eps_t*.csv and .jsonl, the same runs with lambda 0. Runs
 * nothing itself.
 */
#include "results.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tacho/csv.h>

/* Opens a file of csv/ under a temporary name; close_csv() renames it. */
static FILE *open_csv(const char *dir, const char *name, const char *head)
{
    char temp[PATH_MAX];
    FILE *file;

    snprintf(temp, sizeof temp, "%s/csv/%s.tmp", dir, name);
    file = fopen(temp, "we");
    if (!file)
        results_complain(temp, strerror(errno));
    else
        fprintf(file, "%s\n", head);
    return file;
}

static int close_csv(FILE *file, const char *dir, const char *name)
{
    char path[PATH_MAX];
    char temp[PATH_MAX];

    snprintf(path, sizeof path, "%s/csv/%s", dir, name);
    snprintf(temp, sizeof temp, "%s/csv/%s.tmp", dir, name);
    if (ferror(file) | fclose(file) || rename(temp, path) < 0) {
        unlink(temp);
        return results_complain(path, strerror(errno));
    }
    return 0;
}

/* Writes the baseline and the settings, in the columns of ruvector-profiler. */
static int write_results(const char *dir, const struct results *r)
{
    const struct setting *s = r->of;
    char path[PATH_MAX];
    tacho_error err;
    tacho_csv *csv;

    snprintf(path, sizeof path, "%s/csv/results.csv", dir);
    if (tacho_csv_open(path, TACHO_CSV_RESULTS, TACHO_CSV_WHOLE, &csv, &err) < 0)
        return results_complain(path, err.message);
    for (int i = 0; i < r->count; i = i == 0 ? r->first : i + 1) {
        tacho_csv_result row = {.setting = s[i].name,
                                .setting_len = strlen(s[i].name),
                                .coherence_delta = s[i].delta,
                                .kv_cache_reduction = s[i].kv_cache,
                                .peak_mem_reduction =
                                    results_reduction(s[i].peak_bytes, s[0].peak_bytes),
                                .energy_reduction = results_reduction(s[i].joules, s[0].joules),
                                .p95_latency_us = s[i].p95_us,
                                .accuracy = s[i].accuracy};

        (void)tacho_csv_add_result(csv, &row, NULL); /* tacho_csv_close() reports a failure again */
    }
    return tacho_csv_close(csv, &err) < 0 ? results_complain(path, err.message) : 0;
}

/* Writes how much of the saving and of its cost is due to eps, and how much to the cut. */
static int write_savings(const char *dir, const struct results *r)
{
    const struct setting *s = r->of;
    FILE *file = open_csv(dir, "savings.csv",
                          "setting,kv_cache_by_eps,kv_cache_by_cut,coherence_delta_by_eps,"
                          "coherence_delta_by_cut,accuracy_eps_alone,samples_cut");

    if (!file)
        return -1;
    for (int i = r->first; i < r->count; i++) {
        const double values[] = {s[i].eps->kv_cache, results_by_cut(&s[i]),
                                 s[i].eps->delta,    s[i].delta - s[i].eps->delta,
                                 s[i].eps->accuracy, s[i].cut};

        fputs(s[i].name, file);
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            char text[TACHO_CSV_FLOAT];

            fprintf(file, ",%s", tacho_csv_float(text, values[j]));
        }
        fputc('\n', file);
    }
    return close_csv(file, dir, "savings.csv");
}

static int write_figure(const char *dir, const struct results *r)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/figs/savings.svg", dir);
    return results_figure(r, path);
}

int main(int argc, char **argv)
{
    static struct results results;
    const char *dir = argc > 1 ? argv[1] : NULL;

    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs("usage: attention_results DIR [REPRODUCED]\n", stderr);
        return 64;
    }
    if (results_read(&results, dir, argc > 2 ? argv[2] : NULL) < 0 ||
        write_savings(dir, &results) < 0 || write_figure(dir, &results) < 0 ||
        write_results(dir, &results) < 0)
        return 1;
    results_print(&results);
    if (fflush(stdout) != 0) {
        perror("attention_results: cannot write to standard output");
        return 1;
    }
    return 0;
}
