/*
 * attention_results: writes csv/results.csv and csv/savings.csv and prints what they show, from the
 * files that the runs of a grid left: csv/baseline.csv, csv/mincut_*.csv, witness/mincut_*.jsonl,
 * and control/eps_t*.csv and .jsonl, the same runs with lambda 0. Runs nothing itself.
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

#include <tacho/csv.h>
#include <tacho/latency.h>
#include <tacho/witness.h>

#include "coherence.h"

enum { NAME_SIZE = 128, LINE_SIZE = 512, SETTINGS_MAX = 1000 };

#define BASELINE_HEAD "sample_id,seq_len,wall_time_us,peak_mem_bytes,energy_j"
#define GATED_HEAD    BASELINE_HEAD ",coherence_delta,edges_kept,edges_total,cut_cost"

/* One file of samples, summed up: the baseline, a control (eps alone) or a setting. */
struct setting {
    char name[NAME_SIZE];
    size_t samples;
    uint64_t p95_us;
    double peak_bytes; /* mean over samples */
    double joules;     /* sum; NaN: not measured */
    double delta;      /* mean coherence delta */
    double accuracy;   /* share that passes */
    double kv_cache;   /* reduction */
    double cut;        /* share of samples in which something was cut */
    int reproduced;    /* 1, 0, or -1: nobody tried */

    const struct setting *eps; /* of a setting: its control, with the same tau */
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
        s->cut += value[8] > 0;
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
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;
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
    s->cut /= (double)s->samples;
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
    tacho_error err;
    bool whole;
    int more;

    if (tacho_witness_reader_open(path, &r, &err) < 0)
        return complain(path, err.message);
    while ((more = tacho_witness_next(r, &entry, &err)) > 0)
        s->kv_cache += columns_gated(&entry);
    whole = tacho_witness_reader_is_closed(r) && tacho_witness_reader_entries(r) == s->samples;
    tacho_witness_reader_close(r);
    if (more < 0)
        return complain_line(path, (size_t)err.line, err.message);
    if (!whole)
        return complain(path, "it does not have an entry a sample");
    s->kv_cache /= (double)s->samples;
    return 0;
}

/* Reads the rows in DIR/folder, and the masks in DIR/masks; NULL: there are none. */
static int read_setting(const char *dir, const char *folder, const char *masks, const char *name,
                        struct setting *s)
{
    char path[PATH_MAX];

    *s = (struct setting){.reproduced = -1};
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s/%s.csv", dir, folder, name);
    if (read_samples(path, masks != NULL, s) < 0)
        return -1;
    if (!masks)
        return 0;
    snprintf(path, sizeof path, "%s/%s/%s.jsonl", dir, masks, name);
    return read_witness(path, s);
}

static bool is_csv_of(const struct dirent *entry, const char *start)
{
    size_t len = strlen(entry->d_name);

    return strncmp(entry->d_name, start, strlen(start)) == 0 && len > strlen(start) + 4 &&
           len < NAME_SIZE && strcmp(entry->d_name + len - 4, ".csv") == 0;
}

static int is_setting(const struct dirent *entry)
{
    return is_csv_of(entry, "mincut_");
}

static int is_control(const struct dirent *entry)
{
    return is_csv_of(entry, "eps_");
}

/* Reads the files of a folder by name into settings[n] and the following ones. Returns the number
   of the next one, or -1. */
static int read_folder(const char *dir, const char *folder, const char *masks,
                       int (*wanted)(const struct dirent *), struct setting *settings, int n)
{
    char path[PATH_MAX];
    struct dirent **names;
    int first = n;
    int count;

    snprintf(path, sizeof path, "%s/%s", dir, folder);
    count = scandir(path, &names, wanted, alphasort);
    if (count < 0)
        return complain(path, strerror(errno));
    for (int i = 0; i < count; i++) {
        names[i]->d_name[strlen(names[i]->d_name) - 4] = '\0';
        if (n > 0 && n < SETTINGS_MAX)
            n = read_setting(dir, folder, masks, names[i]->d_name, &settings[n]) < 0 ? -1 : n + 1;
        free(names[i]);
    }
    free(names);
    return n == first ? complain(path, "there are no settings") : n;
}

/* Finds the control of "mincut_l0.3_t2": "eps_t2". */
static int find_control(struct setting *s, const struct setting *controls, int count)
{
    const char *tau = strrchr(s->name, '_');

    for (int i = 0; i < count; i++)
        if (tau && strcmp(strrchr(controls[i].name, '_'), tau) == 0)
            s->eps = &controls[i];
    if (!s->eps || s->eps->samples != s->samples)
        return complain(s->name, "there is no control of the same tau and samples in control/");
    return 0;
}

/* Reads the baseline, then the controls, then the settings, each by name. Returns their number, or
   -1; *first is the first setting. */
static int read_all(const char *dir, struct setting *settings, int *first)
{
    int count;

    if (read_setting(dir, "csv", NULL, "baseline", &settings[0]) < 0)
        return -1;
    *first = read_folder(dir, "control", "control", is_control, settings, 1);
    if (*first < 0)
        return -1;
    count = read_folder(dir, "csv", "witness", is_setting, settings, *first);
    for (int i = *first; i < count; i++)
        if (find_control(&settings[i], settings + 1, *first - 1) < 0)
            return -1;
    return count;
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

/* A file of csv/ under its temporary name; close_csv() renames it. */
static FILE *open_csv(const char *dir, const char *name, const char *head)
{
    char temp[PATH_MAX];
    FILE *file;

    snprintf(temp, sizeof temp, "%s/csv/%s.tmp", dir, name);
    file = fopen(temp, "we");
    if (!file)
        complain(temp, strerror(errno));
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
        return complain(path, strerror(errno));
    }
    return 0;
}

/* The baseline and the settings, in the columns of the reference. */
static int write_results(const char *dir, const struct setting *s, int first, int count)
{
    char path[PATH_MAX];
    tacho_error err;
    tacho_csv *csv;

    snprintf(path, sizeof path, "%s/csv/results.csv", dir);
    if (tacho_csv_open(path, TACHO_CSV_RESULTS, TACHO_CSV_WHOLE, &csv, &err) < 0)
        return complain(path, err.message);
    for (int i = 0; i < count; i = i == 0 ? first : i + 1) {
        tacho_csv_result row = {.setting = s[i].name,
                                .setting_len = strlen(s[i].name),
                                .coherence_delta = s[i].delta,
                                .kv_cache_reduction = s[i].kv_cache,
                                .peak_mem_reduction = reduction(s[i].peak_bytes, s[0].peak_bytes),
                                .energy_reduction = reduction(s[i].joules, s[0].joules),
                                .p95_latency_us = s[i].p95_us,
                                .accuracy = s[i].accuracy};

        (void)tacho_csv_add_result(csv, &row, NULL); /* tacho_csv_close() reports a failure again */
    }
    return tacho_csv_close(csv, &err) < 0 ? complain(path, err.message) : 0;
}

static double saved_by_cut(const struct setting *s)
{
    return s->kv_cache - s->eps->kv_cache;
}

/* What of the saving, and of what it costs, comes from eps and what from the cut. */
static int write_savings(const char *dir, const struct setting *s, int first, int count)
{
    FILE *file = open_csv(dir, "savings.csv",
                          "setting,kv_cache_by_eps,kv_cache_by_cut,coherence_delta_by_eps,"
                          "coherence_delta_by_cut,accuracy_eps_alone,samples_cut");

    if (!file)
        return -1;
    for (int i = first; i < count; i++) {
        const double values[] = {s[i].eps->kv_cache,           saved_by_cut(&s[i]), s[i].eps->delta,
                                 s[i].delta - s[i].eps->delta, s[i].eps->accuracy,  s[i].cut};

        fputs(s[i].name, file);
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            char text[TACHO_CSV_FLOAT];

            fprintf(file, ",%s", tacho_csv_float(text, values[j]));
        }
        fputc('\n', file);
    }
    return close_csv(file, dir, "savings.csv");
}

static void print_table(const struct setting *s, int count)
{
    printf("%-15s %9s %7s %7s %7s %9s %9s %7s %9s %9s\n", "setting", "KV cache", "by eps", "by cut",
           "cut in", "coherence", "peak mem", "energy", "p95", "accuracy");
    for (int i = 0; i < count; i++) {
        const struct setting *eps = s[i].eps ? s[i].eps : &s[i];
        double energy = reduction(s[i].joules, s[0].joules);
        char text[16] = "-";

        if (!isnan(energy))
            snprintf(text, sizeof text, "%+.1f %%", 0 - 100 * energy);
        printf(
            "%-15s %+7.1f %% %+5.1f %% %+5.1f %% %5.1f %% %9.6f %+7.0f %% %7s %6llu us %7.1f %%\n",
            s[i].name, 0 - 100 * s[i].kv_cache, 0 - 100 * eps->kv_cache,
            0 - 100 * (s[i].kv_cache - eps->kv_cache), 100 * s[i].cut, s[i].delta,
            0 - 100 * reduction(s[i].peak_bytes, s[0].peak_bytes), text,
            (unsigned long long)s[i].p95_us, 100 * s[i].accuracy);
    }
}

/* Each criterion as a value that is to be at least something; NaN: not measurable. */
struct criterion {
    const char *name;
    double least;
    double (*value)(const struct setting *s, const struct setting *baseline);
};

static double value_kv_cache(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return s->kv_cache;
}

static double value_by_cut(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return saved_by_cut(s);
}

static double value_energy(const struct setting *s, const struct setting *baseline)
{
    return reduction(s->joules, baseline->joules);
}

static double value_p95(const struct setting *s, const struct setting *baseline)
{
    return reduction((double)s->p95_us, (double)baseline->p95_us);
}

static double value_accuracy(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return s->accuracy;
}

static double value_again(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return s->reproduced < 0 ? (double)NAN : (double)s->reproduced;
}

static const struct criterion criteria[] = {
    {"KV cache at least 15 % smaller", 0.15, value_kv_cache},
    {"... by the cut alone, without what eps saves", 0.15, value_by_cut},
    {"energy at least 10 % less", 0.10, value_energy},
    {"p95 at most 10 % above the baseline's", -0.10, value_p95},
    {"accuracy at most 1 % below the baseline's", 0.99, value_accuracy},
    {"a second run decides the same (witness)", 1, value_again},
};

/* A line per criterion: how many settings meet it, and which do not when some do. */
static void print_criteria(const struct setting *s, int first, int count)
{
    puts("\nsuccess criteria");
    for (size_t c = 0; c < sizeof criteria / sizeof criteria[0]; c++) {
        int met = 0;
        int unknown = 0;

        for (int i = first; i < count; i++) {
            double value = criteria[c].value(&s[i], &s[0]);

            unknown += isnan(value);
            met += value >= criteria[c].least;
        }
        printf("  %-46s ", criteria[c].name);
        if (unknown == count - first)
            puts("not measurable here");
        else if (met == count - first)
            printf("met (%d of %d settings)\n", met, met);
        else
            printf("not met (met by %d of %d settings)\n", met, count - first);
        for (int i = first; i < count && met > 0 && met < count - first; i++)
            printf("    %-18s %s\n", s[i].name,
                   criteria[c].value(&s[i], &s[0]) >= criteria[c].least ? "met" : "not met");
    }
    printf("  %-46s cannot be met: it is a cosine less 1\n", "coherence delta of +5 %");
    if (isnan(s[0].joules))
        puts("\nenergy is not measurable here: there is no power source; see tacho doctor");
}

int main(int argc, char **argv)
{
    static struct setting settings[SETTINGS_MAX];
    const char *dir = argc > 1 ? argv[1] : NULL;
    const char *reproduced = argc > 2 ? argv[2] : NULL;
    int first;
    int count;

    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs("usage: attention_results DIR [REPRODUCED]\n", stderr);
        return 64;
    }
    if (strlen(dir) + NAME_SIZE + 32 > PATH_MAX)
        return complain(dir, "the path is too long"), 1;
    count = read_all(dir, settings, &first);
    if (count < 0 || (reproduced && read_reproduced(reproduced, settings, count) < 0) ||
        write_savings(dir, settings, first, count) < 0 ||
        write_results(dir, settings, first, count) < 0)
        return 1;
    print_table(settings, count);
    print_criteria(settings, first, count);
    if (fflush(stdout) != 0) {
        perror("attention_results: cannot write to standard output");
        return 1;
    }
    return 0;
}
