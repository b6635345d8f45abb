/* Verdicts for a spreadsheet: a line a row. */
#include "base/csv_field.h"
#include "base/float_text.h"
#include "verdict_formats.h"

static void add_number(struct tch_buf *b, bool is, double value)
{
    char text[TCH_PLAIN_TEXT];

    tch_buf_addc(b, ',');
    if (is)
        tch_buf_add(b, text, tch_f64_plain(text, value));
}

static void write_csv(struct tch_buf *b, const struct tch_findings *f)
{
    tch_buf_adds(b,
                 "bench,metric,a_runs,a_median,b_runs,b_median,ratio,ratio_low,ratio_high,effect,"
                 "p,p_adjusted,tolerance,max,verdict\n");
    for (size_t i = 0; i < f->count; i++) {
        const struct tch_about *about = &f->about[i];
        const struct tch_verdict_row *r = &f->rows[i];
        bool interval = r->has_ratio && r->ratio.level > 0;

        tch_csv_add_quoted(b, about->bench, strlen(about->bench));
        tch_buf_addc(b, ',');
        tch_csv_add_quoted(b, about->quantity.name, strlen(about->quantity.name));
        tch_buf_addf(b, ",%zu", r->a_count);
        add_number(b, r->a_count > 0, r->a_median);
        tch_buf_addf(b, ",%zu", r->b_count);
        add_number(b, r->b_count > 0, r->b_median);
        add_number(b, r->has_ratio, r->ratio.estimate);
        add_number(b, interval, r->ratio.low);
        add_number(b, interval, r->ratio.high);
        add_number(b, r->has_ratio, r->ratio.effect);
        add_number(b, true, r->p);
        add_number(b, true, r->p_adjusted);
        add_number(b, about->ask == TCH_ASK_RATIO, about->budget.tolerance);
        add_number(b, about->ask == TCH_ASK_MAX, about->budget.max);
        tch_buf_addf(b, ",%s\n", tch_row_word(f, i));
    }
}

const struct tch_verdict_format tch_verdict_csv = {"csv", write_csv};
