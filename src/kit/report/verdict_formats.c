/* Phrases that the formats of verdicts share, and their files. */
#include "verdict_formats.h"

#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "kit/text/human_number.h"

enum { FILE_MAX = 64 << 20 };

#define SHOWN_CHANGE 0.0005 /* a smaller change is shown as 0.0 % */

/* Returns whether a change is shown as 0.0 %. */
static bool is_shown_as_none(double ratio)
{
    return fabs(100 * (ratio - 1)) < 0.05;
}

void tch_add_change(struct tch_buf *b, double ratio)
{
    double percent = 100 * (ratio - 1);

    if (!isfinite(ratio) || ratio < 0)
        tch_buf_adds(b, "-");
    else if (is_shown_as_none(ratio))
        tch_buf_adds(b, "0.0 %");
    else if (ratio >= 10)
        tch_buf_addf(b, "x%.*g", tch_factor_digits(ratio), ratio);
    else
        tch_buf_addf(b, "%+.1f %%", percent);
}

/* Returns with how many decimals the change of an exact count, in percent, is neither rounded to 0
   nor to the allowed change: "+1.004 %" fails if 1 % is allowed. */
static int exact_decimals(const struct tch_verdict_row *row, double percent)
{
    double low;
    double high;
    double allowed;
    int decimals = 1;

    tch_budget_bounds(&row->budget, &low, &high);
    allowed = 100 * ((isnan(low) ? high : low) - 1);
    for (double scale = 10; decimals < 9 && percent != 0 && percent != allowed; scale *= 10) {
        double shown = round(percent * scale);

        if (shown != 0 && shown != round(allowed * scale))
            break;
        decimals++;
    }
    return decimals;
}

void tch_add_row_change(struct tch_buf *b, const struct tch_verdict_row *row)
{
    double percent = 100 * (row->ratio.estimate - 1);

    if (row->has_ratio && row->exact && percent != 0 && row->ratio.estimate < 10)
        tch_buf_addf(b, "%+.*f %%", exact_decimals(row, percent), percent);
    else
        tch_add_change(b, row->has_ratio ? row->ratio.estimate : NAN);
}

void tch_add_change_interval(struct tch_buf *b, const struct tch_verdict_row *row, const char *to)
{
    const struct tch_ratio *ratio = &row->ratio;
    bool sure = ratio->level > 0;

    if (row->exact) {
        tch_buf_adds(b, "exact");
        return;
    }
    tch_add_change(b, sure ? ratio->low : ratio->least);
    tch_buf_adds(b, to);
    if (sure && isinf(ratio->high))
        tch_buf_adds(b, "no limit");
    else
        tch_add_change(b, sure ? ratio->high : ratio->most);
    tch_buf_adds(b, sure ? "" : " (range)");
}

void tch_add_row_value(struct tch_buf *b, const struct tch_findings *f, size_t row, double value)
{
    enum tch_unit unit = f->about[row].metric.unit;

    if (f->about[row].metric.source != TCH_FROM_COUNTS ||
        !(value >= 0 && value < 0x1p63 && value == floor(value))) {
        tch_add_value(b, unit, value);
        return;
    }
    tch_add_grouped(b, (uint64_t)value);
    tch_buf_adds(b, unit == TCH_BYTES ? " B" : "");
}

void tch_add_promise(struct tch_buf *b, const struct tch_findings *f)
{
    double reports = 1 / f->alpha;

    tch_buf_adds(b, "A wrong FAIL appears in at most ");
    if (fabs(reports - round(reports)) < 1e-6)
        tch_buf_addf(b, "1 of %.0f reports.", reports);
    else
        tch_buf_addf(b, "%g %% of reports.", 100 * f->alpha);
}

void tch_add_metric_title(struct tch_buf *b, const struct tch_findings *f, size_t row)
{
    const struct tch_about *about = &f->about[row];
    char room[TCH_STATISTIC_TEXT];

    tch_buf_adds(b, about->metric.title);
    if (about->budget.quantile != 0.5)
        tch_buf_addf(b, ", %s", tch_statistic_name(about->budget.quantile, room));
    if (about->ask == TCH_ASK_MAX) {
        tch_buf_adds(b, about->budget.higher ? ", at least " : ", at most ");
        tch_add_value(b, about->metric.unit, about->budget.max);
    }
}

void tch_add_row_title(struct tch_buf *b, const struct tch_findings *f, size_t row)
{
    if (f->about[row].bench[0])
        tch_buf_addf(b, "%s: ", f->about[row].bench);
    tch_add_metric_title(b, f, row);
}

/* Returns whether an exact count became better, so that what is allowed does not matter. */
static bool is_better_exact(const struct tch_about *about, const struct tch_verdict_row *r)
{
    return r->exact && r->verdict == TCH_PASS &&
           (about->budget.higher ? r->b[0] > r->a[0] : r->b[0] < r->a[0]);
}

/* Adds the measured change, and the allowed one. */
static void add_measured(struct tch_buf *b, const struct tch_about *about,
                         const struct tch_verdict_row *r)
{
    double low;
    double high;

    tch_budget_bounds(&about->budget, &low, &high);
    if (about->ask == TCH_ASK_MAX) {
        tch_buf_adds(b, " is ");
        tch_add_value(b, about->metric.unit, r->b_median);
        return;
    }
    tch_buf_adds(b, " ");
    if (r->has_ratio) {
        tch_add_row_change(b, r);
        tch_buf_adds(b, " [");
        tch_add_change_interval(b, r, " .. ");
        tch_buf_adds(b, "]");
    } else {
        tch_add_value(b, about->metric.unit, r->a_median);
        tch_buf_adds(b, " -> ");
        tch_add_value(b, about->metric.unit, r->b_median);
    }
    if (about->ask == TCH_ASK_RATIO && !is_better_exact(about, r)) {
        tch_buf_adds(b, ", allowed ");
        tch_add_change(b, isnan(low) ? high : low);
        if (about->budget.equivalent) {
            tch_buf_adds(b, " .. ");
            tch_add_change(b, high);
        }
    }
}

/* Returns whether the change that is shown has another sign than the difference of the medians
   beside it. */
static bool contradicts(const struct tch_findings *f, size_t row)
{
    const struct tch_verdict_row *r = &f->rows[row];
    double change = r->ratio.estimate - 1;
    double medians = r->b_median / r->a_median - 1;

    return r->has_ratio && f->about[row].ask != TCH_ASK_MAX && fabs(change) >= SHOWN_CHANGE &&
           fabs(medians) >= SHOWN_CHANGE && change * medians < 0;
}

void tch_add_contradictions(struct tch_buf *b, const struct tch_findings *f)
{
    size_t count = 0;
    bool paired = true;

    for (size_t i = 0; i < f->count; i++) {
        if (!contradicts(f, i))
            continue;
        tch_buf_adds(b, count++ > 0 ? "; " : "");
        tch_add_row_title(b, f, i);
        paired = paired && f->rows[i].paired;
    }
    if (count > 0)
        tch_buf_addf(b,
                     ": the change %s, so it can have another sign than the difference of the "
                     "medians",
                     paired ? "compares runs in pairs"
                            : "is the median over all runs of B and all runs of A");
}

double tch_row_at_most(const struct tch_findings *f, size_t row)
{
    const struct tch_verdict_row *r = &f->rows[row];
    bool open = r->verdict == TCH_PASS || r->verdict == TCH_INCONCLUSIVE;
    double end = r->budget.higher ? r->ratio.low : r->ratio.high;

    return open && f->about[row].ask == TCH_ASK_RATIO && r->has_ratio && !r->exact &&
                   !r->budget.equivalent && r->ratio.level > 0 && isfinite(end) && end > 0
               ? end - 1
               : (double)NAN;
}

void tch_add_at_most(struct tch_buf *b, const struct tch_findings *f, size_t row)
{
    double most = tch_row_at_most(f, row);

    if (isnan(most))
        return;
    tch_buf_adds(b, f->rows[row].budget.higher ? ", at least " : ", at most ");
    tch_add_change(b, 1 + most);
}

void tch_add_sentence(struct tch_buf *b, const struct tch_findings *f, size_t row)
{
    const struct tch_verdict_row *r = &f->rows[row];

    tch_add_row_title(b, f, row);
    if (r->b_count > 0)
        add_measured(b, &f->about[row], r);
    if (r->why[0])
        tch_buf_addf(b, ": %s", r->why);
}

const char *tch_change_word(const struct tch_findings *f, size_t row)
{
    const struct tch_verdict_row *r = &f->rows[row];
    const struct tch_metric *q = &f->about[row].metric;
    bool time = q->unit == TCH_NS;
    bool more;

    if (r->a_count == 0 || r->b_count == 0)
        return "not compared"; /* no pair of runs has both values */
    if (r->exact && r->a[0] == r->b[0])
        return "no change";
    if (r->exact)
        return r->b[0] > r->a[0] ? "more" : "less";
    if (r->has_ratio && r->ratio.level == 0)
        return "too few runs";
    if (!r->has_ratio && !r->paired && r->why[0])
        return "no interval"; /* values of 0 in two sessions */
    if (r->has_ratio ? r->ratio.low <= 1 && r->ratio.high >= 1 : !(r->p <= 0.05))
        return "no change seen";
    if (r->has_ratio && is_shown_as_none(r->ratio.estimate))
        return "change below 0.05 %";
    more = r->has_ratio ? r->ratio.low > 1 : r->b_median > r->a_median;
    if (f->set && !r->changed) /* its interval says so, but not after correction for all rows */
        return time   ? more ? "perhaps slower" : "perhaps faster"
               : more ? "perhaps more"
                      : "perhaps less";
    return time ? more ? "slower" : "faster" : more ? "more" : "less";
}

const char *tch_row_word(const struct tch_findings *f, size_t row)
{
    if (f->about[row].instead)
        return f->about[row].instead;
    return f->about[row].ask == TCH_ASK_NOTHING ? tch_change_word(f, row)
                                                : tch_verdict_names[f->rows[row].verdict];
}

/* --- Sets --- */

void tch_add_set_summary(struct tch_buf *b, const struct tch_findings *f)
{
    const struct tch_set_summary *s = f->set;
    size_t rows = f->count + s->hidden;

    tch_buf_addf(b, "%zu benchmark%s in both sets; %zu of %zu row%s changed", s->benches,
                 tch_plural(s->benches), s->changed, rows, tch_plural(rows));
    if (s->hidden > 0)
        tch_buf_addf(b, ", the other %zu are not shown", s->hidden);
}

void tch_add_set_mean(struct tch_buf *b, const struct tch_set_mean *mean)
{
    tch_buf_addf(b, "%s, geometric mean of %zu benchmark%s: ", mean->metric.title, mean->count,
                 tch_plural(mean->count));
    tch_add_change(b, mean->estimate);
    if (isnan(mean->low)) {
        tch_buf_adds(b, ", without an interval");
    } else {
        tch_buf_adds(b, " [");
        tch_add_change(b, mean->low);
        tch_buf_adds(b, " .. ");
        tch_add_change(b, mean->high);
        tch_buf_adds(b, "]");
    }
    if (mean->unsure_count > 0)
        tch_buf_addf(b, "; %zu without an interval left out", mean->unsure_count);
}

size_t tch_rows_shown(const struct tch_findings *f)
{
    return f->set && f->set->shown > 0 && f->set->shown < f->count ? f->set->shown : f->count;
}

/* --- Files --- */

int tch_verdict_save(const struct tch_verdict_format *format, const char *path,
                     const struct tch_findings *f, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, FILE_MAX);
    format->write(&b, f);
    status = b.failed || f->lost
                 ? tch_fail(err, TACHO_ENOMEM, 0, "cannot write '%s': out of memory", path)
                 : tch_file_replace(path, b.data, b.len, false, err);
    tch_buf_release(&b);
    return status;
}

int tch_verdict_save_page(const char *path, const struct tch_findings *f,
                          const struct tch_verdict_flame *flames, size_t count, tacho_error *err)
{
    struct tch_buf b;
    tacho_error why;
    int status;

    tch_buf_init(&b, TCH_REPORT_MAX);
    status = tch_verdict_html(&b, f, flames, count, &why);
    if (status == 0 && (b.failed || f->lost))
        status = tch_fail_memory(&why);
    status = status < 0 ? tch_fail(err, status, 0, "cannot draw the page: %s", why.message)
                        : tch_file_replace(path, b.data, b.len, false, err);
    tch_buf_release(&b);
    return status;
}
