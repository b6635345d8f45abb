/*
 * Corrects the p-values of a report for their number: verdict_rule.h.
 *
 * Paired rows that share their coins form a group. Every other row is a group of its own. Within a
 * group the joint distribution of the coins gives adjusted p-values (P. H. Westfall and S. S.
 * Young, 1993). Over the groups the step-down procedure of S. Holm (1979) applies: each of K groups
 * gets alpha / K, and a group whose rows are all rejected passes its share on to the others.
 *
 * With several interim analyses, each p is first converted to a total error: the smallest one at
 * which the analyses reject this p (kit/stats/spending.h). In a group of m rows each p / m is
 * converted, because the analyses of m rows cross their levels at different times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/stats/flip.h"
#include "kit/stats/rank_test.h"
#include "verdict_rule.h"

enum { FLIPS_LEAST = 999, FLIPS_MOST = 99999 };

static const double most_work =
    4e8; /* limit of the additions for the joint flips of a report: about half a second */

/* The judged rows, sorted by group. */
struct family {
    struct tch_verdict_row **row;
    uint32_t *group; /* group of each row, from 0 */
    double *p;
    size_t count;
    size_t groups;
    double *e; /* room for the longest row */
    double *room;
    size_t longest;
};

static bool shares_coins(const struct tch_verdict_row *row)
{
    return row->paired && row->ask == TCH_ASK_RATIO && row->b_count > 0 && !row->thinned;
}

static int by_coins(const void *a, const void *b)
{
    const struct tch_verdict_row *x = *(struct tch_verdict_row *const *)a;
    const struct tch_verdict_row *y = *(struct tch_verdict_row *const *)b;

    if (shares_coins(x) != shares_coins(y))
        return shares_coins(x) ? -1 : 1;
    if (x->coins != y->coins)
        return x->coins < y->coins ? -1 : 1;
    return x < y ? -1 : 1;
}

static void make_groups(struct family *f, struct tch_verdict_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].ask != TCH_ASK_NOTHING && !rows[i].exact)
            f->row[f->count++] = &rows[i];
    qsort(f->row, f->count, sizeof *f->row, by_coins);
    for (size_t i = 0; i < f->count; i++) {
        bool same = i > 0 && shares_coins(f->row[i]) && shares_coins(f->row[i - 1]) &&
                    f->row[i]->coins == f->row[i - 1]->coins;

        f->groups += !same;
        f->group[i] = (uint32_t)(f->groups - 1);
    }
}

/* --- One group --- */

/* The rounds of a group. Those of all its rows are numbered from `first`. */
struct rounds {
    uint64_t first;
    size_t count;
};

static uint64_t round_of(const struct tch_verdict_row *row, size_t i)
{
    return row->pair ? row->pair[i] : i;
}

static struct rounds rounds_of(struct tch_verdict_row *const *row, size_t count)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    for (size_t k = 0; k < count; k++) {
        uint64_t begin = round_of(row[k], 0);
        uint64_t end = round_of(row[k], row[k]->b_count - 1);

        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    return (struct rounds){first, (size_t)(last - first) + 1};
}

/* Returns how many flips resolve the smallest level that a group may need. Few pairs have so few
   outcomes that all are listed. */
static size_t flips_for(const struct family *f, size_t pairs, double alpha)
{
    double want = 20 * (double)f->groups / alpha;

    if (pairs <= TCH_FLIP_LISTED)
        return (size_t)1 << pairs;
    return want <= FLIPS_LEAST ? FLIPS_LEAST : want <= FLIPS_MOST ? (size_t)want : 0;
}

/* Adjusts the rows of a group by flipping the coins of all of them together. */
static int max_t(struct family *f, size_t from, size_t count, struct rounds rounds, size_t flips,
                 bool at_one, tacho_error *err)
{
    struct tch_flip_series *series = calloc(count, sizeof *series);
    int *scores = calloc(count * f->longest, sizeof *scores);
    uint32_t *pairs = calloc(count * f->longest, sizeof *pairs);
    int status = TACHO_ENOMEM;

    if (!series || !scores || !pairs) {
        (void)tch_fail_memory(err);
        goto out;
    }
    for (size_t k = 0; k < count; k++) {
        const struct tch_verdict_row *row = f->row[from + k];
        int *score = scores + k * f->longest;
        uint32_t *pair = pairs + k * f->longest;
        double share = at_one ? 0 : row->budget.tolerance;

        tch_row_differences(row, tch_budget_worse(&row->budget, share), f->e);
        tch_flip_scores(f->e, row->b_count, f->room, score);
        for (size_t i = 0; i < row->b_count; i++)
            pair[i] = (uint32_t)(round_of(row, i) - rounds.first);
        series[k] = (struct tch_flip_series){score, pair, row->b_count};
    }
    status = tch_flip_max_t(series, count, rounds.count, flips, f->p + from, err);
out:
    free(series);
    free(scores);
    free(pairs);
    return status;
}

/* --- Interim analyses --- */

static void spend(struct family *f, size_t from, size_t count)
{
    const struct tch_analyses *of = NULL;
    struct tch_spending s;

    for (size_t i = from; i < from + count; i++) {
        const struct tch_analyses *analyses = f->row[i]->analyses;

        if (!analyses || (analyses->at == 0 && tch_analyses_last(analyses)))
            continue;
        if (analyses != of)
            tch_spending_init(&s, analyses->share, analyses->at);
        of = analyses;
        f->p[i] = fmin(1, (double)count * tch_spending_error(&s, f->p[i] / (double)count));
    }
}

bool tch_analyses_last(const struct tch_analyses *analyses)
{
    return analyses->share[analyses->at] >= 1;
}

/* --- All groups --- */

/* Sets f->p to the adjusted p of "at most 1 + tolerance", or with at_one of "at most 1". */
static int adjust(struct family *f, double alpha, bool at_one, tacho_error *err)
{
    for (size_t i = 0; i < f->count; i++)
        f->p[i] = at_one && f->row[i]->ask == TCH_ASK_RATIO ? f->row[i]->p_worse : f->row[i]->p;
    for (size_t from = 0, end; from < f->count; from = end) {
        double *p = f->p + from;

        for (end = from + 1; end < f->count && f->group[end] == f->group[from];)
            end++;
        if (end - from > 1) {
            struct rounds rounds = rounds_of(f->row + from, end - from);
            size_t flips = flips_for(f, rounds.count, alpha);
            double work = (double)flips * (double)f->count * (double)rounds.count;
            /* Sizes alone choose the method. If values did, the p-values would not hold. */
            int status = flips > 0 && work <= most_work
                             ? max_t(f, from, end - from, rounds, flips, at_one, err)
                             : tch_adjust_holm(p, end - from, p, err);

            if (status < 0)
                return status;
        }
        spend(f, from, end - from);
    }
    return tch_adjust_holm_groups(f->p, f->group, f->count, f->p, err);
}

int tch_family_adjust(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err)
{
    struct family f = {.row = calloc(count + 1, sizeof *f.row),
                       .group = calloc(count + 1, sizeof *f.group),
                       .p = calloc(count + 1, sizeof *f.p)};
    int status = TACHO_ENOMEM;

    for (size_t i = 0; i < count; i++)
        f.longest = rows[i].b_count > f.longest ? rows[i].b_count : f.longest;
    f.e = calloc(2 * f.longest + 1, sizeof *f.e);
    if (!f.row || !f.group || !f.p || !f.e) {
        (void)tch_fail_memory(err);
        goto out;
    }
    f.room = f.e + f.longest;
    make_groups(&f, rows, count);
    status = adjust(&f, alpha, false, err);
    if (status < 0)
        goto out;
    for (size_t i = 0; i < f.count; i++)
        f.row[i]->p_adjusted = f.p[i];
    status = adjust(&f, alpha, true, err);
    if (status < 0)
        goto out;
    for (size_t i = 0; i < f.count; i++)
        f.row[i]->p_worse = f.p[i];
    status = (int)f.groups;
out:
    free(f.row);
    free(f.group);
    free(f.p);
    free(f.e);
    return status;
}
