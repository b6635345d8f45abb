/* Reads the rows and the witness logs of the runs of a grid. */
#include "results.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/latency.h>
#include <tacho/witness.h>

#include "coherence.h"

enum { LINE_SIZE = 512 };

#define BASELINE_HEAD "sample_id,seq_len,wall_time_us,peak_mem_bytes,energy_j"
#define GATED_HEAD    BASELINE_HEAD ",coherence_delta,edges_kept,edges_total,cut_cost"

int results_complain(const char *path, const char *why)
{
    fprintf(stderr, "attention_results: %s: %s\n", path, why);
    return -1;
}

static int complain_line(const char *path, size_t line, const char *why)
{
    fprintf(stderr, "attention_results: %s: line %zu: %s\n", path, line, why);
    return -1;
}

/* Parses the values of a row; an empty one is NaN. Returns their number, or -1. */
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
    /* The room doubles at every power of two. */
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
            return results_complain(path, "out of memory");
    }
    if (ferror(file) || s->samples == 0)
        return results_complain(path, ferror(file) ? strerror(errno) : "there are no samples");
    return 0;
}

static int read_samples(const char *path, bool gated, struct setting *s)
{
    FILE *file = fopen(path, "re");
    uint64_t *times = NULL;
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;
    int status;

    if (!file)
        return results_complain(path, strerror(errno));
    status = read_rows(file, path, gated, s, &times);
    fclose(file);
    if (status == 0 && tacho_latency_stats_of(times, s->samples, &stats, NULL) < 0)
        status = results_complain(path, "out of memory");
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

/* Writes the name of a setting's cell in the sweep: "lambda=0.3_tau=0" for "mincut_l0.3_t0". */
static void name_cell(char *cell, size_t size, const char *setting)
{
    const char *lambda = strncmp(setting, "mincut_l", 8) == 0 ? setting + 8 : "";
    const char *tau = strstr(lambda, "_t");

    if (tau)
        snprintf(cell, size, "lambda=%.*s_tau=%s", (int)(tau - lambda), lambda, tau + 2);
    else
        snprintf(cell, size, "%s", setting);
}

/* Adds the wall time of a row of latency.csv. */
static int add_time(char *line, uint64_t **times, size_t *count)
{
    struct setting all = {.samples = *count};
    double value[9] = {0};
    double row[9] = {0};

    if (split_row(line, value, 9) != 4 || !(value[1] >= 0 && value[1] < 1e15))
        return -1;
    row[2] = value[1];
    if (add_row(&all, row, false, times) < 0)
        return -1;
    *count = all.samples;
    return 0;
}

/* Computes p95 over the samples of all repetitions, which tacho has collected in the run folder of
   the cell. The files of csv/ have those of the last one. Without a sweep it stays that of the
   last. */
static int read_all_times(const char *dir, struct setting *s)
{
    char cell[NAME_SIZE + 32];
    char path[PATH_MAX];
    char line[LINE_SIZE];
    uint64_t *times = NULL;
    size_t count = 0;
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;
    int status = 0;
    FILE *file;

    name_cell(cell, sizeof cell, s->name);
    snprintf(path, sizeof path, "%s/sweep/cells/%s/latest/latency.csv", dir, cell);
    file = fopen(path, "re");
    if (!file)
        return 0;
    for (size_t number = 1; status == 0 && fgets(line, sizeof line, file); number++)
        if (number > 1 && add_time(line, &times, &count) < 0)
            status = complain_line(path, number, "not a row of latencies");
    if (status == 0 && count > 0 && tacho_latency_stats_of(times, count, &stats, NULL) < 0)
        status = results_complain(path, "out of memory");
    if (status == 0 && count > 0)
        s->p95_us = stats.p95;
    free(times);
    fclose(file);
    return status;
}

/* Returns 1 - columns with any kept entry / length. */
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

/* Computes the KV cache from the masks in the witness log, not from figures that the program
   printed. */
static int read_witness(const char *path, struct setting *s)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry entry;
    tacho_error err;
    bool whole;
    int more;

    if (tacho_witness_reader_open(path, &r, &err) < 0)
        return results_complain(path, err.message);
    while ((more = tacho_witness_next(r, &entry, &err)) > 0)
        s->kv_cache += columns_gated(&entry);
    whole = tacho_witness_reader_is_closed(r) && tacho_witness_reader_entry_count(r) == s->samples;
    tacho_witness_reader_close(r);
    if (more < 0)
        return complain_line(path, (size_t)err.line, err.message);
    if (!whole)
        return results_complain(path, "it does not have one entry per sample");
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
    if (read_samples(path, masks != NULL, s) < 0 || read_all_times(dir, s) < 0)
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
        return results_complain(path, strerror(errno));
    for (int i = 0; i < count; i++) {
        names[i]->d_name[strlen(names[i]->d_name) - 4] = '\0';
        if (n > 0 && n < SETTINGS_MAX)
            n = read_setting(dir, folder, masks, names[i]->d_name, &settings[n]) < 0 ? -1 : n + 1;
        free(names[i]);
    }
    free(names);
    return n == first ? results_complain(path, "there are no settings") : n;
}

/* Finds the control of "mincut_l0.3_t2": "eps_t2". */
static int find_control(struct setting *s, const struct setting *controls, int count)
{
    const char *tau = strrchr(s->name, '_');

    for (int i = 0; i < count; i++)
        if (tau && strcmp(strrchr(controls[i].name, '_'), tau) == 0)
            s->eps = &controls[i];
    if (!s->eps || s->eps->samples != s->samples)
        return results_complain(s->name,
                                "there is no control of the same tau and samples in control/");
    return 0;
}

/* Reads the baseline, then the controls, then the settings, each by name. */
static int read_all(struct results *r, const char *dir)
{
    struct setting *s = r->of;

    if (read_setting(dir, "csv", NULL, "baseline", &s[0]) < 0)
        return -1;
    r->first = read_folder(dir, "control", "control", is_control, s, 1);
    if (r->first < 0)
        return -1;
    r->count = read_folder(dir, "csv", "witness", is_setting, s, r->first);
    for (int i = r->first; i < r->count; i++)
        if (find_control(&s[i], s + 1, r->first - 1) < 0)
            return -1;
    return r->count < 0 ? -1 : 0;
}

static int read_reproduced(struct results *r, const char *path)
{
    FILE *file = fopen(path, "re");
    char name[NAME_SIZE];
    char word[8];

    if (!file)
        return results_complain(path, strerror(errno));
    while (fscanf(file, "%127s %7s", name, word) == 2)
        for (int i = 0; i < r->count; i++)
            if (strcmp(r->of[i].name, name) == 0)
                r->of[i].reproduced = strcmp(word, "yes") == 0;
    fclose(file);
    return 0;
}

int results_read(struct results *r, const char *dir, const char *reproduced)
{
    if (strlen(dir) + NAME_SIZE + 80 > PATH_MAX)
        return results_complain(dir, "the path is too long");
    if (read_all(r, dir) < 0)
        return -1;
    return reproduced ? read_reproduced(r, reproduced) : 0;
}
