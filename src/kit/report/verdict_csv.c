/* Verdicts for a spreadsheet: one line per row. */
#include <math.h>

#include "base/csv_field.h"
#include "report_text.h"
#include "verdict_formats.h"

static void write_rows(struct tch_buf *b, const struct tch_findings *f, bool raw)
{
    tch_buf_adds(b,
                 "bench,metric,a_runs,a_median,b_runs,b_median,ratio,ratio_low,ratio_high,effect,"
                 "p,p_adjusted,tolerance,max,verdict,statistic,largest_change\n");
    for (size_t i = 0; i < f->count; i++) {
        const struct tch_about *about = &f->about[i];
        const struct tch_verdict_row *r = &f->rows[i];
        char room[TCH_STATISTIC_TEXT];
        bool interval = r->has_ratio && r->ratio.level > 0;

        tch_csv_add_name(b, about->bench, strlen(about->bench), raw);
        tch_buf_addc(b, ',');
        tch_csv_add_name(b, about->metric.name, strlen(about->metric.name), raw);
        tch_buf_addf(b, ",%zu", r->a_count);
        tch_csv_add_number(b, r->a_count > 0 ? r->a_median : NAN);
        tch_buf_addf(b, ",%zu", r->b_count);
        tch_csv_add_number(b, r->b_count > 0 ? r->b_median : NAN);
        tch_csv_add_number(b, r->has_ratio ? r->ratio.estimate : NAN);
        tch_csv_add_number(b, interval ? r->ratio.low : NAN);
        tch_csv_add_number(b, interval ? r->ratio.high : NAN);
        tch_csv_add_number(b, r->has_ratio ? r->ratio.effect : NAN);
        tch_csv_add_number(b, r->p);
        tch_csv_add_number(b, r->p_adjusted);
        tch_csv_add_number(b, about->ask == TCH_ASK_RATIO ? about->budget.tolerance : NAN);
        tch_csv_add_number(b, about->ask == TCH_ASK_MAX ? about->budget.max : NAN);
        tch_buf_addf(b, ",%s,%s", tch_row_word(f, i),
                     tch_statistic_name(about->budget.quantile, room));
        tch_csv_add_number(b, tch_row_at_most(f, i));
        tch_buf_addc(b, '\n');
    }
}

static void write_csv(struct tch_buf *b, const struct tch_findings *f)
{
    write_rows(b, f, false);
}

static void write_raw_csv(struct tch_buf *b, const struct tch_findings *f)
{
    write_rows(b, f, true);
}

const struct tch_verdict_format tch_verdict_csv = {"csv", write_csv};
const struct tch_verdict_format tch_verdict_raw_csv = {"csv", write_raw_csv};
