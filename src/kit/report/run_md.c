/* Markdown: what one pastes into a pull request. */
#include <math.h>

#include "base/human_number.h"
#include "kit/stats/ratio.h"
#include "report.h"
#include "report_text.h"

static void add_run(struct tch_buf *b, const struct tch_receipt *r)
{
    size_t before;

    tch_buf_addf(b, "## %s\n\n`%s`  \n%zu runs, %s, %s\n\n", r->name, r->command, r->samples.count,
                 r->started_at, r->state);
    for (size_t i = 0; i < r->warnings.count; i++)
        tch_buf_addf(b, "> **%s** (%s)\n%s", r->warnings.item[i].text, r->warnings.item[i].advice,
                     i + 1 < r->warnings.count ? ">\n" : "\n");
    tch_buf_adds(b, "| | median | interval of the median | min | max |\n"
                    "| --- | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct tch_run_row *row = &r->rows.row[i];
        const struct tch_run_summary *s = &row->summary;
        bool throughput = strcmp(row->name, "throughput") == 0;

        tch_buf_adds(b, "| ");
        tch_add_md_cell(b, throughput ? r->work_unit : row->title);
        tch_buf_adds(b, throughput ? "/s | " : " | ");
        tch_add_value(b, row->unit, s->median);
        tch_buf_adds(b, " | ");
        if (s->level > 0)
            tch_add_range(b, row->unit, s->low, s->high);
        else
            tch_buf_adds(b, "too few runs");
        tch_buf_adds(b, " | ");
        tch_add_value(b, row->unit, s->min);
        tch_buf_adds(b, " | ");
        tch_add_value(b, row->unit, s->max);
        tch_buf_adds(b, " |\n");
    }
    tch_buf_addc(b, '\n');
    before = b->len;
    tch_report_add_costs(b, r);
    tch_buf_adds(b, b->len > before ? "\n\n" : "");
}

static int write_md(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                    tacho_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        add_run(b, &runs[i].receipt);
    for (size_t i = 1; i < count; i++) {
        const struct tch_receipt *first = &runs[0].receipt;
        const struct tch_receipt *other = &runs[i].receipt;
        struct tch_ratio ratio;

        if (tch_report_compare(first, other, &ratio, NULL) < 0)
            continue;
        tch_buf_addf(b, "%s takes **%.4g** times as long as %s", other->name, ratio.estimate,
                     first->name);
        if (ratio.level > 0)
            tch_buf_addf(b, " (95 %% interval %.4g … %.4g)", ratio.low, ratio.high);
        tch_buf_adds(b, ".\n\n");
    }
    return 0;
}

const struct tch_report_format tch_report_md = {"md", "report.md", write_md};
