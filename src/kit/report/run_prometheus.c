/* Runs in Prometheus's text format, for a node exporter's textfile folder or a push gateway. */
#include "report.h"
#include "report_text.h"

static const struct tch_run_row *find_row(const struct tch_receipt *r, const char *name)
{
    for (size_t i = 0; i < r->rows.count; i++)
        if (strcmp(r->rows.row[i].name, name) == 0)
            return &r->rows.row[i];
    return NULL;
}

static void add_samples(struct tch_buf *b, const char *family, const struct tch_receipt *r,
                        const struct tch_run_summary *s)
{
    const struct {
        const char *name;
        double value;
    } stats[] = {{"median", s->median},
                 {"low", s->low},
                 {"high", s->high},
                 {"min", s->min},
                 {"max", s->max}};

    for (size_t i = 0; i < sizeof stats / sizeof stats[0]; i++) {
        const char *labels[] = {"name", r->name, "id", r->id, "stat", stats[i].name, NULL};

        tch_prometheus_add(b, family, labels, stats[i].value);
    }
}

/* Adds one metric of all runs: the samples of a family must follow each other. */
static void add_family(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                       const struct tch_run_row *like)
{
    char family[160];
    char help[160];

    snprintf(family, sizeof family, "tacho_run_%s", like->name);
    snprintf(help, sizeof help, "%s of a run", like->title);
    tch_prometheus_begin(b, family, help);
    for (size_t i = 0; i < count; i++) {
        const struct tch_run_row *row = find_row(&runs[i].receipt, like->name);

        if (row)
            add_samples(b, family, &runs[i].receipt, &row->summary);
    }
}

static int write_prometheus(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                            tacho_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].receipt.rows.count; j++) {
            const struct tch_run_row *row = &runs[i].receipt.rows.row[j];
            bool written = false;

            for (size_t k = 0; k < i; k++)
                written |= find_row(&runs[k].receipt, row->name) != NULL;
            if (!written)
                add_family(b, runs, count, row);
        }
    return 0;
}

const struct tch_report_format tch_report_prometheus = {"prometheus", NULL, write_prometheus};
