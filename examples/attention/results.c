/*
 * attention_results: csv/results.csv and what is to be said of it, from the files that the runs of
 * a grid left: csv/baseline.csv, csv/mincut_*.csv, witness/mincut_*.jsonl. Runs nothing itself.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/latency.h>
#include <tacho/witness.h>

#include "coherence.h"

enum { NAME_SIZE = 128, LINE_SIZE = 512, SETTINGS_MAX = 1000 };

#define BASELINE_HEAD "sample_id,seq_len,wall_time_us,peak_mem_bytes,energy_j"
#define GATED_HEAD    BASELINE_HEAD ",coherence_delta,edges_kept,edges_total,cut_cost"

/* One file of samples, summed up. */
struct setting {
    char name[NAME_SIZE];
    size_t samples;
    uint64_t p95_us;
    double peak_bytes; /* mean over samples */
    double joules;     /* sum; NaN: not measured */
    double delta;      /* mean coherence delta */
    double accuracy;   /* share that passes */
    double kv_cache;   /* reduction */
    int reproduced;    /* 1, 0, or -1: nobody tried */
};

static int complain(const char *path, const char *why)
{
    fprintf(stderr, "attention_results: %s: %s\n", path, why);
    return -1;
}

static int complain_line(const char *path, size_t line, const char *why)
{
    fprintf(stderr, "attention_results: %s: line %zu: %s\n", path, line, why);
    return -1;
}

/* The values of a row; an empty one is NaN. How many there are, or -1. */
static int split_row(char *row, double *values, int most)
{
    char *at = row;
    int n = 0;

    row[strcspn(row, "\n")] = '\0';
    for (;;) {
        char *end = at + strcspn(at, ",");
        bool last = *end == '\0';
        char *rest;

        if (n == most)
            return -1;
        *end = '\0';
        values[n++] = *at ? strtod(at, &rest) : (double)NAN;
        if (*at && *rest)
            return -1;
        if (last)
            return n;
        at = end + 1;
    }
}

static int add_row(struct setting *s, const double *value, bool gated, uint64_t **times)
{
    /* One more than a power of two: the room is full. */
    if ((s->samples & (s->samples - 1)) == 0) {
        size_t room = s->samples > 0 ? 2 * s->samples : 1;
        uint64_t *more = realloc(*times, room * sizeof *more);

        if (!more)
            return -1;
        *times = more;
    }
    (*times)[s->samples++] = (uint64_t)value[2];
    s->peak_bytes += value[3];
    s->joules += value[4];
    if (gated) {
        s->delta += value[5];
        s->accuracy += value[5] + 1 >= COHERENCE_THRESHOLD;
    }
    return 0;
}

static int read_rows(FILE *file, const char *path, bool gated, struct setting *s, uint64_t **times)
{
    const char *head = gated ? GATED_HEAD : BASELINE_HEAD;
    char line[LINE_SIZE];

    if (!fgets(line, sizeof line, file) || strcspn(line, "\n") != strlen(head) ||
        strncmp(line, head, strlen(head)) != 0)
        return complain_line(path, 1, "the header is not " BASELINE_HEAD "[...]");
    while (fgets(line, sizeof line, file)) {
        double value[9];

        if (split_row(line, value, 9) != (gated ? 9 : 5) || !(value[2] >= 0 && value[2] < 1e15))
            return complain_line(path, s->samples + 2, "not a row of samples");
        if (add_row(s, value, gated, times) < 0)
            return complain(path, "out of memory");
    }
    if (ferror(file) || s->samples == 0)
        return complain(path, ferror(file) ? strerror(errno) : "there are no samples");
    return 0;
}

static int read_samples(const char *path, bool gated, struct setting *s)
{
    FILE *file = fopen(path, "re");
    uint64_t *times = NULL;
    tacho_latency_stats stats = {0};
    int status;

    if (!file)
        return complain(path, strerror(errno));
    status = read_rows(file, path, gated, s, &times);
    fclose(file);
    if (status == 0 && tacho_latency_stats_of(times, s->samples, &stats, NULL) < 0)
        status = complain(path, "out of memory");
    free(times);
    if (status < 0)
        return status;
    s->p95_us = stats.p95;
    s->peak_bytes /= (double)s->samples;
    s->delta /= (double)s->samples;
    s->accuracy = gated ? s->accuracy / (double)s->samples : 1;
    return 0;
}

/* 1 - columns with any kept entry / length. */
static double columns_gated(const tacho_witness_entry *e)
{
    size_t len = (size_t)(sqrt((double)e->keep_count) + 0.5);
    size_t gated = 0;

    for (size_t j = 0; j < len; j++) {
        bool any = false;

        for (size_t i = 0; i < len && !any; i++)
            any = e->keep_mask[i * len + j];
        gated += !any;
    }
    return len > 0 ? (double)gated / (double)len : 0;
}

/* What is left of the KV cache stands in the masks, so it is taken from the evidence itself. */
static int read_witness(const char *path, struct setting *s)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry entry;
    tacho_witness_info info;
    tacho_error err;
    int more;

    if (tacho_witness_reader_open(path, &r, &err) < 0)
        return complain(path, err.message);
    while ((more = tacho_witness_next(r, &entry, &err)) > 0)
        s->kv_cache += columns_gated(&entry);
    tacho_witness_info_get(r, &info);
    tacho_witness_reader_close(r);
    if (more < 0)
        return complain_line(path, (size_t)err.line, err.message);
    if (!info.closed || info.entries != s->samples)
        return complain(path, "it does not have an entry a sample");
    s->kv_cache /= (double)s->samples;
    return 0;
}

static int read_setting(const char *dir, const char *name, struct setting *s)
{
    bool gated = strcmp(name, "baseline") != 0;
    char path[PATH_MAX];

    *s = (struct setting){.reproduced = -1};
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(path, sizeof path, "%s/csv/%s.csv", dir, name);
    if (read_samples(path, gated, s) < 0)
        return -1;
    if (!gated)
        return 0;
    snprintf(path, sizeof path, "%s/witness/%s.jsonl", dir, name);
    return read_witness(path, s);
}

static int is_setting(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return strncmp(entry->d_name, "mincut_", 7) == 0 && len > 11 && len < NAME_SIZE &&
           strcmp(entry->d_name + len - 4, ".csv") == 0;
}

/* The baseline first, then the settings by name. How many, or -1. */
static int read_all(const char *dir, struct setting *settings)
{
    char path[PATH_MAX];
    struct dirent **names;
    int count;
    int n = 1;

    snprintf(path, sizeof path, "%s/csv", dir);
    if (read_setting(dir, "baseline", &settings[0]) < 0)
        return -1;
    count = scandir(path, &names, is_setting, alphasort);
    if (count < 0)
        return complain(path, strerror(errno));
    for (int i = 0; i < count; i++) {
        names[i]->d_name[strlen(names[i]->d_name) - 4] = '\0';
        if (n > 0 && n < SETTINGS_MAX)
            n = read_setting(dir, names[i]->d_name, &settings[n]) < 0 ? -1 : n + 1;
        free(names[i]);
    }
    free(names);
    return n == 1 ? complain(path, "there is no mincut_*.csv") : n;
}

/* Lines "NAME yes" and "NAME no": did a second run decide the same? */
static int read_reproduced(const char *path, struct setting *settings, int count)
{
    FILE *file = fopen(path, "re");
    char name[NAME_SIZE];
    char word[8];

    if (!file)
        return complain(path, strerror(errno));
    while (fscanf(file, "%127s %7s", name, word) == 2)
        for (int i = 0; i < count; i++)
            if (strcmp(settings[i].name, name) == 0)
                settings[i].reproduced = strcmp(word, "yes") == 0;
    fclose(file);
    return 0;
}

static double reduction(double now, double before)
{
    return before > 0 ? 1 - now / before : (double)NAN;
}

static int write_results(const char *dir, const struct setting *s, int count)
{
    char path[PATH_MAX];
    char temp[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/csv/results.csv", dir);
    if (snprintf(temp, sizeof temp, "%s/csv/results.csv.tmp", dir) >= (int)sizeof temp)
        return complain(dir, "the path is too long");
    file = fopen(temp, "we");
    if (!file)
        return complain(temp, strerror(errno));
    fputs("setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,"
          "p95_latency_us,accuracy\n",
          file);
    for (int i = 0; i < count; i++) {
        double energy = reduction(s[i].joules, s[0].joules);

        fprintf(file, "%s,%.9f,%.9f,%.9f,", s[i].name, s[i].delta, s[i].kv_cache,
                reduction(s[i].peak_bytes, s[0].peak_bytes));
        if (!isnan(energy)) /* empty: not measurable */
            fprintf(file, "%.9f", energy);
        fprintf(file, ",%llu,%.9f\n", (unsigned long long)s[i].p95_us, s[i].accuracy);
    }
    if (ferror(file) | fclose(file) || rename(temp, path) < 0) {
        unlink(temp);
        return complain(path, strerror(errno));
    }
    return 0;
}

static void print_table(const struct setting *s, int count)
{
    printf("%-18s %16s %9s %9s %8s %9s %9s\n", "setting", "coherence delta", "KV cache", "peak mem",
           "energy", "p95", "accuracy");
    for (int i = 0; i < count; i++) {
        double energy = reduction(s[i].joules, s[0].joules);
        char text[16] = "-";

        if (!isnan(energy))
            snprintf(text, sizeof text, "%+.1f %%", 0 - 100 * energy);
        printf("%-18s %16.6f %+7.1f %% %+7.0f %% %8s %6llu us %7.1f %%\n", s[i].name, s[i].delta,
               0 - 100 * s[i].kv_cache, 0 - 100 * reduction(s[i].peak_bytes, s[0].peak_bytes), text,
               (unsigned long long)s[i].p95_us, 100 * s[i].accuracy);
    }
}

static const char *verdict(double value, double least)
{
    return isnan(value) ? "not measurable here" : value >= least ? "met" : "not met";
}

/* Each criterion as a value that is to be at least something. */
static void print_criteria(const struct setting *s, int count)
{
    printf("\n%-18s %-16s %-20s %-16s %-14s %s\n", "success criteria", "KV cache -15 %",
           "energy -10 %", "p95 within 10 %", "accuracy -1 %", "witness again");
    for (int i = 1; i < count; i++) {
        double energy = reduction(s[i].joules, s[0].joules);
        double p95 = reduction((double)s[i].p95_us, (double)s[0].p95_us);
        double again = s[i].reproduced < 0 ? (double)NAN : (double)s[i].reproduced;

        printf("%-18s %-16s %-20s %-16s %-14s %s\n", s[i].name, verdict(s[i].kv_cache, 0.15),
               verdict(energy, 0.10), verdict(p95, -0.10), verdict(s[i].accuracy, 0.99),
               verdict(again, 1));
    }
    if (isnan(s[0].joules))
        puts("\nenergy is not measurable here: there is no power source; see tacho doctor");
    puts("a coherence delta of +5 %, which was asked for too, cannot be: it is a cosine less 1");
}

int main(int argc, char **argv)
{
    static struct setting settings[SETTINGS_MAX];
    const char *dir = argc > 1 ? argv[1] : NULL;
    const char *reproduced = argc > 2 ? argv[2] : NULL;
    int count;

    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs("usage: attention_results DIR [REPRODUCED]\n", stderr);
        return 64;
    }
    if (strlen(dir) + NAME_SIZE + 32 > PATH_MAX)
        return complain(dir, "the path is too long"), 1;
    count = read_all(dir, settings);
    if (count < 0 || (reproduced && read_reproduced(reproduced, settings, count) < 0) ||
        write_results(dir, settings, count) < 0)
        return 1;
    print_table(settings, count);
    print_criteria(settings, count);
    if (fflush(stdout) != 0) {
        perror("attention_results: cannot write to standard output");
        return 1;
    }
    return 0;
}
