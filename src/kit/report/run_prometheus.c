/* Prometheus's text format, for a node exporter's textfile folder or a push gateway. */
#include "base/float_text.h"
#include "report.h"

void tch_add_prometheus_label(struct tch_buf *b, const char *text)
{
    for (; *text; text++)
        if (*text == '\\' || *text == '"')
            tch_buf_addf(b, "\\%c", *text);
        else if (*text == '\n')
            tch_buf_adds(b, "\\n");
        else
            tch_buf_addc(b, *text);
}

static void add_value(struct tch_buf *b, const struct tch_receipt *r, const char *metric,
                      const char *stat, double value)
{
    char text[TCH_PLAIN_TEXT];

    tch_buf_addf(b, "tacho_run_%s{name=\"", metric);
    tch_add_prometheus_label(b, r->name);
    tch_buf_adds(b, "\",id=\"");
    tch_add_prometheus_label(b, r->id);
    tch_buf_addf(b, "\",stat=\"%s\"} ", stat);
    tch_buf_add(b, text, tch_f64_plain(text, value));
    tch_buf_addc(b, '\n');
}

static const struct tch_run_row *find_row(const struct tch_receipt *r, const char *name)
{
    for (size_t i = 0; i < r->rows.count; i++)
        if (strcmp(r->rows.row[i].name, name) == 0)
            return &r->rows.row[i];
    return NULL;
}

/* A family of values stands together, all runs of it. */
static void add_family(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                       const struct tch_run_row *like)
{
    tch_buf_addf(b, "# HELP tacho_run_%s %s of a run\n# TYPE tacho_run_%s gauge\n", like->name,
                 like->title, like->name);
    for (size_t i = 0; i < count; i++) {
        const struct tch_run_row *row = find_row(&runs[i].receipt, like->name);

        if (!row)
            continue;
        add_value(b, &runs[i].receipt, row->name, "median", row->summary.median);
        add_value(b, &runs[i].receipt, row->name, "low", row->summary.low);
        add_value(b, &runs[i].receipt, row->name, "high", row->summary.high);
        add_value(b, &runs[i].receipt, row->name, "min", row->summary.min);
        add_value(b, &runs[i].receipt, row->name, "max", row->summary.max);
    }
}

static int write_prometheus(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                            tacho_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].receipt.rows.count; j++) {
            const struct tch_run_row *row = &runs[i].receipt.rows.row[j];
            bool told = false;

            for (size_t k = 0; k < i; k++)
                told |= find_row(&runs[k].receipt, row->name) != NULL;
            if (!told)
                add_family(b, runs, count, row);
        }
    return 0;
}

const struct tch_report_format tch_report_prometheus = {"prometheus", NULL, write_prometheus};
