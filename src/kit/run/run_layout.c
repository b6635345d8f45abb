/*
 * Layouts: the program is linked again for every block of runs, with another order of its objects
 * or another padding. A layout changes the speed of a tight loop by some percent, whatever the
 * number of runs. One value per layout is therefore compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "run.h"

uint64_t tch_run_layout_of(const struct tch_run_plan *plan, uint64_t pair)
{
    return plan->layouts > 0 ? (pair - 1) / plan->layout_runs + 1 : 0;
}

/* Adds the line with the seed, which is set as TACHO_LAYOUT_SEED and replaces {seed}. */
static void add_line(struct tch_buf *b, const char *line, uint64_t seed)
{
    const char *at;

    tch_buf_addf(b, "TACHO_LAYOUT_SEED=%llu; export TACHO_LAYOUT_SEED; ", (unsigned long long)seed);
    while ((at = strstr(line, "{seed}"))) {
        tch_buf_add(b, line, (size_t)(at - line));
        tch_buf_addf(b, "%llu", (unsigned long long)seed);
        line = at + strlen("{seed}");
    }
    tch_buf_adds(b, line);
}

int tch_run_relink(struct tch_run *run, uint64_t pair, tacho_error *err)
{
    uint64_t layout = tch_run_layout_of(run->plan, pair);
    int status = 0;

    if (layout == run->layout)
        return 0;
    run->layout = layout;
    for (size_t i = 0; i < run->plan->command_count && status == 0; i++) {
        struct tch_run_plan plan = *run->plan;
        struct tch_buf line;

        if (plan.commands[i].cwd)
            plan.cwd = plan.commands[i].cwd;
        tch_buf_init(&line, 1 << 20);
        add_line(&line, tch_run_hook_line(run->plan, i, TCH_HOOK_RELINK), layout);
        if (line.failed)
            status = tch_fail_memory(err);
        else
            status =
                tch_run_hook(&plan, "relink", line.data, run->watch ? run->watch->stop : NULL, err);
        tch_buf_release(&line);
    }
    return status;
}

/* Sums of the logarithms of one field in one layout. */
struct sums {
    size_t n;
    double sum;
    double squares;
};

/* Computes a one-way analysis of variance with random effects of the layouts: the variance between
   the means of layouts beyond what the runs within them explain. */
void tch_run_layout_spread(const struct tch_run_samples *samples, enum tch_field field,
                           struct tch_layout_spread *ret)
{
    struct sums *list;
    double n = 0, sum = 0, within = 0, between = 0, sizes = 0;
    uint64_t last = 0;

    *ret = (struct tch_layout_spread){.within = NAN, .between = NAN};
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].layout > last && samples->items[i].layout <= samples->count)
            last = samples->items[i].layout;
    list = last > 0 ? calloc((size_t)last + 1, sizeof *list) : NULL;
    for (size_t i = 0; list && i < samples->count; i++) {
        const struct tch_run_sample *s = &samples->items[i];

        if (!tch_run_sample_ok(s) || !(s->field[field] > 0) || s->layout == 0 || s->layout > last)
            continue;
        list[s->layout].n++;
        list[s->layout].sum += log(s->field[field]);
        list[s->layout].squares += log(s->field[field]) * log(s->field[field]);
        sum += log(s->field[field]);
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
    tch_buf_addf(b, "%zu layouts, %zu runs", s->layouts, s->runs);
    if (isnan(s->within))
        tch_buf_adds(b,
                     "; the spread between layouts needs two or more layouts with two runs each");
    else
        tch_buf_addf(b,
                     "; wall time differs by %.2g%% within a layout and by %.2g%% between layouts "
                     "(standard deviations)",
                     100 * s->within, 100 * s->between);
}
