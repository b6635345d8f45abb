/* One line per sample, for spreadsheets: the table of fields, then the metrics of all runs. */
#include <math.h>

#include "base/csv_field.h"
#include "report.h"
#include "run_counts.h"

/* Returns the value of a metric in a run. A metric that takes every match has one cell, with the
   last match. */
static double metric_of(const struct tch_result *r, size_t run, const char *name)
{
    int i = tch_result_asked(r, name);
    const struct tch_column *c = i >= 0 ? &r->columns[i] : NULL;

    if (c && !c->all)
        return c->value[run];
    return c && c->all[run].n > 0 ? c->all[run].v[c->all[run].n - 1] : NAN;
}

/* Returns the next metric of all runs, each name once, or NULL after the last. *run and *column are
   0 at first. */
static const char *next_metric(const struct tch_report_run *runs, size_t count, size_t *run,
                               size_t *column)
{
    for (; *run < count; *column = 0, ++*run)
        while (*column < runs[*run].result.column_count) {
            const struct tch_metric *m = &runs[*run].result.columns[(*column)++].metric;
            bool before = false;

            for (size_t i = 0; i < *run; i++)
                before |= tch_result_asked(&runs[i].result, m->name) >= 0;
            if (m->asked && !before)
                return m->name;
        }
    return NULL;
}

/* Returns whether a run has that count, which is then the same in each of its lines. */
static bool has_count(const struct tch_report_run *runs, size_t count, int kind)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i].result.counts.of[kind].asked)
            return true;
    return false;
}

/* Adds the origin of a run's energy. The status is "unavailable" for a run without energy, such as
   one too short for the counter. */
static void add_origin(struct tch_buf *b, const struct tch_power_origin *o, bool missing)
{
    const char *texts[] = {missing && o->status[0] ? "unavailable" : o->status, o->source,
                           o->domain};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tch_buf_addc(b, ',');
        tch_csv_add_name(b, texts[i], strlen(texts[i]), false);
    }
}

static void write_rows(struct tch_buf *b, const struct tch_report_run *runs, size_t count, bool raw)
{
    const char *name;

    tch_buf_adds(b, "name,run,pair,start_ns,exit_status");
    for (int i = 0; i < TCH_FIELDS; i++)
        tch_buf_addf(b, ",%s", tch_field_metric((enum tch_field)i)->key);
    tch_buf_adds(b, ",energy_status,energy_source,energy_domain");
    for (size_t run = 0, metric = 0; (name = next_metric(runs, count, &run, &metric));) {
        tch_buf_addc(b, ',');
        tch_csv_add_name(b, name, strlen(name), raw);
    }
    for (int i = 0; i < TCH_COUNTS; i++)
        if (has_count(runs, count, i))
            tch_buf_addf(b, ",counted_%s", tch_count_metric((enum tch_count_kind)i)->name);
    tch_buf_addc(b, '\n');
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].result.run_count; j++) {
            const struct tch_result *r = &runs[i].result;
            const struct tch_result_run *s = &r->runs[j];

            tch_csv_add_name(b, r->name, strlen(r->name), raw);
            tch_buf_addf(b, ",%llu,%llu,%llu,%d", (unsigned long long)s->run,
                         (unsigned long long)s->pair, (unsigned long long)s->start_ns,
                         tch_result_run_exit(s));
            for (int k = 0; k < TCH_FIELDS; k++)
                tch_csv_add_number(b, tch_result_value(r, (enum tch_field)k, j));
            add_origin(b, &r->power, isnan(tch_result_value(r, TCH_ENERGY, j)));
            for (size_t run = 0, metric = 0; (name = next_metric(runs, count, &run, &metric));)
                tch_csv_add_number(b, metric_of(r, j, name));
            for (int k = 0; k < TCH_COUNTS; k++)
                if (has_count(runs, count, k))
                    tch_csv_add_number(b, tch_count_median(&r->counts.of[k]));
            tch_buf_addc(b, '\n');
        }
}

static int write_csv(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                     tacho_error *err)
{
    (void)err;
    write_rows(b, runs, count, false);
    return 0;
}

static int write_raw_csv(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                         tacho_error *err)
{
    (void)err;
    write_rows(b, runs, count, true);
    return 0;
}

const struct tch_report_format tch_report_csv = {"csv", NULL, write_csv};
const struct tch_report_format tch_report_raw_csv = {"csv", NULL, write_raw_csv};
