/* The spread of runs within a layout, and between layouts. */
#include "layouts.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "kit/text/human_number.h"

/* Sums of the logarithms of one field in one layout. */
struct sums {
    size_t n;
    double sum;
    double squares;
};

/* Computes a one-way analysis of variance with random effects of the layouts: the variance between
   the means of layouts beyond what the runs within them explain. */
void tch_layout_spread(const struct tch_result *r, enum tch_field field,
                       struct tch_layout_spread *ret)
{
    struct sums *list;
    double n = 0, sum = 0, within = 0, between = 0, sizes = 0;
    uint64_t last = 0;

    *ret = (struct tch_layout_spread){.within = NAN, .between = NAN};
    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].layout > last && r->runs[i].layout <= r->run_count)
            last = r->runs[i].layout;
    list = last > 0 ? calloc((size_t)last + 1, sizeof *list) : NULL;
    for (size_t i = 0; list && i < r->run_count; i++) {
        uint64_t layout = r->runs[i].layout;
        double value = tch_result_value(r, field, i);

        if (!tch_result_run_ok(&r->runs[i]) || !(value > 0) || layout == 0 || layout > last)
            continue;
        list[layout].n++;
        list[layout].sum += log(value);
        list[layout].squares += log(value) * log(value);
        sum += log(value);
        n++;
    }
    for (uint64_t k = 1; list && k <= last; k++) {
        double size = (double)list[k].n;

        if (list[k].n == 0)
            continue;
        ret->layouts++;
        sizes += size * size;
        within += list[k].squares - list[k].sum * list[k].sum / size;
        between += size * pow(list[k].sum / size - sum / n, 2);
    }
    free(list);
    ret->runs = (size_t)n;
    if (ret->layouts < 2 || ret->runs <= ret->layouts)
        return;
    within /= n - (double)ret->layouts;
    between /= (double)ret->layouts - 1;
    sizes = (n - sizes / n) /
            ((double)ret->layouts - 1); /* mean number of runs of a layout, for unequal sizes */
    ret->within = sqrt(fmax(0, within));
    ret->between = sqrt(fmax(0, (between - within) / sizes));
}

void tch_layout_spread_write(struct tch_buf *b, const struct tch_layout_spread *s)
{
    tch_json_begin_object(b);
    tch_json_put_u64(b, "layouts", s->layouts);
    tch_json_put_u64(b, "runs", s->runs);
    tch_json_put_f64(b, "within_sd", s->within);
    tch_json_put_f64(b, "between_sd", s->between);
    tch_json_end_object(b);
}

void tch_layout_spread_describe(struct tch_buf *b, const struct tch_layout_spread *s)
{
    tch_buf_addf(b, "%zu layout%s, %zu run%s", s->layouts, tch_plural(s->layouts), s->runs,
                 tch_plural(s->runs));
    if (isnan(s->within))
        tch_buf_adds(b,
                     "; the spread between layouts needs two or more layouts with two runs each");
    else
        tch_buf_addf(
            b,
            "; wall time differs by %.2g %% within a layout and by %.2g %% between layouts "
            "(standard deviations)",
            100 * s->within, 100 * s->between);
}
