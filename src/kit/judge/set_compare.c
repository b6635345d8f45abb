/* Compares sets of benchmarks: set_compare.h. */
#include "set_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "kit/stats/rank_test.h"

/* --- Matching --- */

static int by_name(const void *x, const void *y)
{
    const struct tch_result *a = *(const struct tch_result *const *)x;
    const struct tch_result *b = *(const struct tch_result *const *)y;
    int order = strcmp(a->name, b->name);

    if (order != 0)
        return order;
    /* The newest result of a name comes first. */
    return a->started_unix_ns == b->started_unix_ns  ? 0
           : a->started_unix_ns > b->started_unix_ns ? -1
                                                     : 1;
}

/* Returns pointers to the results, sorted by name, with one result per name. */
static const struct tch_result **sorted(const struct tch_result *results, size_t *count)
{
    const struct tch_result **list = malloc((*count + 1) * sizeof(const struct tch_result *));
    size_t kept = 0;

    if (!list)
        return NULL;
    for (size_t i = 0; i < *count; i++)
        list[i] = &results[i];
    qsort(list, *count, sizeof *list, by_name);
    for (size_t i = 0; i < *count; i++)
        if (kept == 0 || strcmp(list[kept - 1]->name, list[i]->name) != 0)
            list[kept++] = list[i];
    *count = kept;
    return list;
}

static int add_name(char ***names, size_t *count, const char *name, tacho_error *err)
{
    char *copy = strdup(name);

    if (!copy || tch_array_extend(names, *count) < 0) {
        free(copy);
        return tch_fail_memory(err);
    }
    (*names)[(*count)++] = copy;
    return 0;
}

/* Walks through both sorted lists, like a merge. */
static int compare_lists(struct tch_findings *f, const struct tch_result **a, size_t a_count,
                         const struct tch_result **b, size_t b_count,
                         const struct tch_named_budget *budgets, size_t count, tacho_error *err)
{
    struct tch_set_summary *s = f->set;
    bool only_pair = a_count == 1 && b_count == 1;
    int status = 0;

    for (size_t i = 0, k = 0; (i < a_count || k < b_count) && status == 0;) {
        int order = i == a_count   ? 1
                    : k == b_count ? -1
                    : only_pair    ? 0
                                   : strcmp(a[i]->name, b[k]->name);

        if (order < 0) {
            status = add_name(&s->only_a, &s->only_a_count, a[i++]->name, err);
        } else if (order > 0) {
            status = add_name(&s->only_b, &s->only_b_count, b[k++]->name, err);
        } else {
            s->benches++;
            status = tch_compare_runs(f, b[k]->name, a[i], b[k], budgets, count, true, NULL, err);
            i++;
            k++;
        }
    }
    if (status == 0 && s->benches == 0)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "no benchmark is in both sets; the first ones are '%.100s' and '%.100s'",
                        a_count > 0 ? a[0]->name : "", b_count > 0 ? b[0]->name : "");
    return status;
}

int tch_compare_sets(struct tch_findings *f, const struct tch_result *a, size_t a_count,
                     const struct tch_result *b, size_t b_count,
                     const struct tch_named_budget *budgets, size_t count, tacho_error *err)
{
    size_t results = a_count + b_count;
    const struct tch_result **x = sorted(a, &a_count);
    const struct tch_result **y = sorted(b, &b_count);
    int status = TACHO_ENOMEM;

    f->set = calloc(1, sizeof *f->set);
    if (!x || !y || !f->set)
        (void)tch_fail_memory(err);
    else
        status = compare_lists(f, x, a_count, y, b_count, budgets, count, err);
    if (status == 0 && results > a_count + b_count)
        tch_findings_note(f,
                          "%zu results have the name of a newer one in the same set and are not "
                          "compared",
                          results - a_count - b_count);
    if (status == 0 && a_count == 1 && b_count == 1 && strcmp(x[0]->name, y[0]->name) != 0)
        tch_findings_note(f,
                          "'%.100s' is compared with '%.100s', because each side has one benchmark",
                          y[0]->name, x[0]->name);
    free(x);
    free(y);
    return status;
}

/* --- Changes --- */

/* Returns the two-sided p of "nothing changed"; NAN if the row was not tested. */
static double p_of(const struct tch_verdict_row *r)
{
    if (r->exact || r->a_count == 0 || r->b_count == 0)
        return NAN;
    return r->has_ratio ? r->ratio.p : r->ask == TCH_ASK_NOTHING ? r->p : 1;
}

/* Marks the rows that changed. Exact values need no test, and a verdict of WARN or FAIL has had
   one. */
static int mark_changes(struct tch_findings *f, tacho_error *err)
{
    double *p = calloc(f->count + 1, sizeof *p);
    size_t n = 0;
    int status;

    if (!p)
        return tch_fail_memory(err);
    for (size_t i = 0; i < f->count; i++)
        if (!isnan(p_of(&f->rows[i])))
            p[n++] = p_of(&f->rows[i]);
    status = tch_adjust_holm(p, n, p, err);
    n = 0;
    for (size_t i = 0; i < f->count && status == 0; i++) {
        struct tch_verdict_row *r = &f->rows[i];

        if (r->exact) {
            r->changed = r->a[0] != r->b[0];
        } else if (!isnan(p_of(r))) {
            r->changed = p[n] <= f->alpha;
            if (r->ask == TCH_ASK_NOTHING)
                r->p_adjusted = p[n];
            n++;
        }
        r->changed |= r->verdict >= TCH_WARN;
        f->set->changed += r->changed;
    }
    free(p);
    return status;
}

/* --- Means --- */

static struct tch_set_mean *mean_of(struct tch_set_summary *s, const struct tch_metric *metric)
{
    for (size_t i = 0; i < s->mean_count; i++)
        if (strcmp(s->means[i].metric.name, metric->name) == 0)
            return &s->means[i];
    if (tch_array_extend(&s->means, s->mean_count) < 0)
        return NULL;
    s->means[s->mean_count] = (struct tch_set_mean){.metric = *metric};
    return &s->means[s->mean_count++];
}

/* Sums logarithms, which finish_mean() turns into means. */
static int add_to_mean(struct tch_findings *f, size_t i, tacho_error *err)
{
    const struct tch_ratio *ratio = &f->rows[i].ratio;
    struct tch_set_mean *mean;

    if (!f->rows[i].has_ratio || f->rows[i].ask == TCH_ASK_MAX || !(ratio->estimate > 0) ||
        !isfinite(ratio->estimate))
        return 0;
    mean = mean_of(f->set, &f->about[i].metric);
    if (!mean)
        return tch_fail_memory(err);
    if (ratio->level > 0 && ratio->low > 0 && isfinite(ratio->high)) {
        mean->count++;
        mean->estimate += log(ratio->estimate);
        mean->low += log(ratio->low);
        mean->high += log(ratio->high);
    } else {
        mean->unsure_count++;
        mean->unsure += log(ratio->estimate);
    }
    return 0;
}

/* Statistics of other tools have no interval. Their mean is shown if there is nothing better. */
static void finish_mean(struct tch_set_mean *mean)
{
    double n = (double)mean->count;

    if (mean->count > 0) {
        mean->estimate = exp(mean->estimate / n);
        mean->low = exp(mean->low / n);
        mean->high = exp(mean->high / n);
        return;
    }
    mean->estimate = exp(mean->unsure / (double)mean->unsure_count);
    mean->low = mean->high = NAN;
    mean->count = mean->unsure_count;
    mean->unsure_count = 0;
}

static int compute_means(struct tch_findings *f, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < f->count && status == 0; i++)
        status = add_to_mean(f, i, err);
    for (size_t i = 0; i < f->set->mean_count && status == 0; i++)
        finish_mean(&f->set->means[i]);
    return status;
}

/* --- Order --- */

struct place {
    size_t row;
    int rank;
    double worse; /* logarithm of the ratio, above 0 if worse */
};

/* Ranks a row: FAIL, WARN, INCONCLUSIVE, PASS; among rows without a verdict those that became worse
   come first, then those of unknown direction, then the better ones, then all that did not
   change. */
static struct place place_of(const struct tch_findings *f, size_t i)
{
    const struct tch_verdict_row *r = &f->rows[i];
    const struct tch_about *about = &f->about[i];
    bool known = about->metric.better != TCH_BETTER_UNKNOWN || r->ask != TCH_ASK_NOTHING;
    struct place p = {.row = i, .rank = 10 * (TCH_FAIL - (int)r->verdict)};

    if (r->has_ratio && r->ratio.estimate > 0 && isfinite(r->ratio.estimate))
        p.worse = log(r->ratio.estimate);
    else if (r->a_count > 0 && r->b_count > 0) /* from 0, or to 0 */
        p.worse = r->b_median - r->a_median;
    if (about->budget.higher)
        p.worse = -p.worse;
    if (!known)
        p.worse = fabs(p.worse);
    p.rank += !r->changed ? 4 : !known ? 2 : p.worse > 0 ? 1 : 3;
    return p;
}

static int by_place(const void *x, const void *y)
{
    const struct place *a = x;
    const struct place *b = y;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->worse != b->worse)
        return a->worse > b->worse ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

static int order_rows(struct tch_findings *f, tacho_error *err)
{
    struct place *places = malloc((f->count + 1) * sizeof *places);
    struct tch_about *about = malloc((f->count + 1) * sizeof *about);
    struct tch_verdict_row *rows = malloc((f->count + 1) * sizeof *rows);
    bool complete = places && about && rows;

    for (size_t i = 0; i < f->count && complete; i++)
        places[i] = place_of(f, i);
    if (complete)
        qsort(places, f->count, sizeof *places, by_place);
    for (size_t i = 0; i < f->count && complete; i++) {
        about[i] = f->about[places[i].row];
        rows[i] = f->rows[places[i].row];
    }
    if (complete && f->count > 0) {
        memcpy(f->about, about, f->count * sizeof *about);
        memcpy(f->rows, rows, f->count * sizeof *rows);
    }
    free(places);
    free(about);
    free(rows);
    return complete ? 0 : tch_fail_memory(err);
}

int tch_sets_finish(struct tch_findings *f, tacho_error *err)
{
    int status = mark_changes(f, err);

    if (status == 0)
        status = compute_means(f, err);
    return status < 0 ? status : order_rows(f, err);
}

void tch_sets_keep_changed(struct tch_findings *f)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++) {
        if (f->rows[i].changed) {
            f->about[kept] = f->about[i];
            f->rows[kept++] = f->rows[i];
            continue;
        }
        free((char *)f->about[i].bench);
        free((double *)f->rows[i].b);
        f->set->hidden++;
    }
    f->count = kept;
}

void tch_set_summary_free(struct tch_set_summary *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->only_a_count; i++)
        free(s->only_a[i]);
    for (size_t i = 0; i < s->only_b_count; i++)
        free(s->only_b[i]);
    free(s->only_a);
    free(s->only_b);
    free(s->means);
    free(s);
}
