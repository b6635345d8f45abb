/* One line a run, for spreadsheets: the table of fields, then the metrics of the first run. */
#include <math.h>

#include "base/csv_field.h"
#include "base/float_text.h"
#include "report.h"

static void add_number(struct tch_buf *b, double value)
{
    char text[TCH_PLAIN_TEXT];

    tch_buf_addc(b, ',');
    if (!isnan(value))
        tch_buf_add(b, text, tch_f64_plain(text, value));
}

static void add_head(struct tch_buf *b, const struct tch_run_samples *samples)
{
    tch_buf_adds(b, "name,run,pair,start_ns,exit_status");
    for (int i = 0; i < TCH_FIELDS; i++)
        tch_buf_addf(b, ",%s", tch_fields[i].name);
    for (size_t i = 0; i < samples->metric_count; i++)
        tch_buf_addf(b, ",%s", samples->metrics[i].name);
    tch_buf_addc(b, '\n');
}

/* Of a metric that takes every match there is one cell: the last. */
static double metric_of(const struct tch_receipt *r, const struct tch_run_sample *sample,
                        const char *name)
{
    for (size_t i = 0; i < r->samples.metric_count; i++)
        if (strcmp(r->samples.metrics[i].name, name) == 0 && sample->metrics[i].n > 0)
            return sample->metrics[i].v[sample->metrics[i].n - 1];
    return NAN;
}

static int write_csv(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                     tacho_error *err)
{
    const struct tch_run_samples *first = &runs[0].receipt.samples;

    (void)err;
    add_head(b, first);
    for (size_t i = 0; i < count; i++) {
        const struct tch_receipt *r = &runs[i].receipt;

        for (size_t j = 0; j < r->samples.count; j++) {
            const struct tch_run_sample *s = &r->samples.items[j];

            tch_csv_add(b, r->name, strlen(r->name));
            tch_buf_addf(b, ",%llu,%llu,%llu,%d", (unsigned long long)s->run,
                         (unsigned long long)s->pair, (unsigned long long)s->start_ns,
                         tch_run_sample_exit(s));
            for (int k = 0; k < TCH_FIELDS; k++)
                add_number(b, s->field[k]);
            for (size_t k = 0; k < first->metric_count; k++)
                add_number(b, metric_of(r, s, first->metrics[k].name));
            tch_buf_addc(b, '\n');
        }
    }
    return 0;
}

const struct tch_report_format tch_report_csv = {"csv", NULL, write_csv};
