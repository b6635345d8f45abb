/* Implements <tacho/judge.h>: questions become rows of a report, which verdict_rule.h decides. */
#include <tacho/judge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/sized.h"
#include "kit/recorded/recorded_load.h"
#include "kit/stats/session.h"
#include "run_compare.h"

struct tacho_judge {
    struct tch_findings findings;
    bool decided;
};

_Static_assert((int)TACHO_VERDICT_NONE == (int)TCH_NO_VERDICT &&
                   (int)TACHO_VERDICT_PASS == (int)TCH_PASS &&
                   (int)TACHO_VERDICT_INCONCLUSIVE == (int)TCH_INCONCLUSIVE &&
                   (int)TACHO_VERDICT_WARN == (int)TCH_WARN &&
                   (int)TACHO_VERDICT_FAIL == (int)TCH_FAIL,
               "verdicts are numbered alike");

const char *tacho_verdict_name(enum tacho_verdict verdict)
{
    return tch_verdict_names[verdict >= TACHO_VERDICT_NONE && verdict <= TACHO_VERDICT_FAIL
                                 ? verdict
                                 : TACHO_VERDICT_NONE];
}

int tacho_judge_new(tacho_judge **ret, tacho_error *err)
{
    tacho_judge *judge = calloc(1, sizeof *judge);

    if (!judge)
        return tch_fail_memory(err);
    tch_findings_init(&judge->findings, "compare");
    *ret = judge;
    return 0;
}

void tacho_judge_free(tacho_judge *judge)
{
    if (!judge)
        return;
    tch_findings_release(&judge->findings);
    free(judge);
}

static bool is_share(double value)
{
    return value >= 0 && value <= 1e6;
}

/* Reads the caller's budget; NULL means the defaults. */
static int read_budget(const tacho_judge_budget *given, struct tch_named_budget *ret,
                       tacho_error *err)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    int status =
        given ? tch_sized_read(&budget, sizeof budget, given, "TACHO_JUDGE_BUDGET_INIT", err) : 0;

    if (status < 0)
        return status;
    if (!is_share(budget.tolerance) || !is_share(budget.min_effect))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "tolerance and min_effect must be shares of at least 0, such as 0.05");
    if (!(budget.limit >= 0 && budget.limit < INFINITY))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "limit must be a finite value above 0, or 0 for no limit");
    if (budget.direction < TACHO_DIRECTION_KNOWN || budget.direction > TACHO_DIRECTION_HIGHER)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no direction %d", (int)budget.direction);
    *ret = (struct tch_named_budget){
        .budget = {.tolerance = budget.tolerance,
                   .min_effect = budget.min_effect,
                   .max = budget.limit > 0 ? budget.limit : (double)NAN,
                   .quantile = 0.5,
                   .higher = budget.direction == TACHO_DIRECTION_HIGHER},
        .directed = budget.direction != TACHO_DIRECTION_KNOWN,
    };
    return 0;
}

static int check_open(const tacho_judge *judge, tacho_error *err)
{
    if (judge->decided)
        return tch_fail(err, TACHO_EINVAL, 0, "the judge has decided; make a new one");
    return 0;
}

/* Copies values and numbers them. */
static int copy_values(const char *name, const char *side, const double *values, size_t count,
                       struct tch_series *ret, tacho_error *err)
{
    if (count == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "'%.60s' has no values for %s", name, side);
    ret->value = calloc(count, sizeof *ret->value);
    ret->pair = calloc(count, sizeof *ret->pair);
    if (!ret->value || !ret->pair)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= 0 && values[i] < INFINITY))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "value %zu of %s of '%.60s' is %g; only finite values of at least 0 "
                            "can be judged",
                            i, side, name, values[i]);
        ret->value[i] = values[i];
        ret->pair[i] = i;
    }
    ret->count = count;
    return 0;
}

static int add_rows(tacho_judge *judge, const char *name, struct tch_series *a,
                    struct tch_series *b, bool paired, const struct tch_named_budget *budget,
                    tacho_error *err)
{
    struct tch_about about = {.bench = "",
                              .budget = budget->budget,
                              .ask = TCH_ASK_RATIO,
                              .paired = paired,
                              .spread = TCH_SESSION_SPREAD,
                              .metric = {.unit = TCH_PLAIN, .better = TCH_BETTER_LOWER}};
    int status;

    snprintf(about.metric.name, sizeof about.metric.name, "%s", name);
    snprintf(about.metric.title, sizeof about.metric.title, "%s", name);
    status = tch_findings_add(&judge->findings, &about, a, b, err);
    about.ask = TCH_ASK_MAX;
    about.paired = false;
    if (status == 0 && !isnan(budget->budget.max))
        status = tch_findings_add(&judge->findings, &about, NULL, b, err);
    return status;
}

static int add_values(tacho_judge *judge, const char *name, const double *a, size_t a_count,
                      const double *b, size_t b_count, bool paired, const tacho_judge_budget *given,
                      tacho_error *err)
{
    struct tch_series x = {0};
    struct tch_series y = {0};
    struct tch_named_budget budget;
    int status = check_open(judge, err);

    if (status < 0)
        return status;
    if (!name || !name[0] || strlen(name) >= TCH_METRIC_TEXT)
        return tch_fail(err, TACHO_EINVAL, 0, "a question needs a name of 1 to %d bytes",
                        TCH_METRIC_TEXT - 1);
    status = read_budget(given, &budget, err);
    if (status < 0)
        return status;
    status = copy_values(name, "a", a, a_count, &x, err);
    if (status < 0)
        goto out;
    status = copy_values(name, "b", b, b_count, &y, err);
    if (status < 0)
        goto out;
    status = add_rows(judge, name, &x, &y, paired, &budget, err);
out:
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}

int tacho_judge_add_pairs(tacho_judge *judge, const char *name, const double *a, const double *b,
                          size_t count, const tacho_judge_budget *budget, tacho_error *err)
{
    return add_values(judge, name, a, count, b, count, true, budget, err);
}

int tacho_judge_add_samples(tacho_judge *judge, const char *name, const double *a, size_t a_count,
                            const double *b, size_t b_count, const tacho_judge_budget *budget,
                            tacho_error *err)
{
    return add_values(judge, name, a, a_count, b, b_count, false, budget, err);
}

/* Checks that the quantity can be judged, before the runs are compared. */
static int check_quantity(const struct tch_result *b, const struct tch_named_budget *budget,
                          tacho_error *err)
{
    struct tch_metric q;

    if (!budget->name)
        return 0;
    if (!tch_result_metric(b, budget->name, &q))
        return tch_fail(err, TACHO_EINVAL, 0, "the runs have no quantity '%.60s'", budget->name);
    if (q.better == TCH_BETTER_UNKNOWN && !budget->directed)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "it is not known whether more of '%.60s' is better; set the direction of "
                        "its budget",
                        q.name);
    return 0;
}

int tacho_judge_add_runs(tacho_judge *judge, const char *a_folder, const char *b_folder,
                         const char *quantity, const tacho_judge_budget *given, tacho_error *err)
{
    struct tch_result a = {0};
    struct tch_result b = {0};
    struct tch_named_budget budget;
    enum tch_run_life life;
    size_t before = judge->findings.count;
    int status = check_open(judge, err);

    if (status < 0)
        return status;
    status = read_budget(given, &budget, err);
    if (status < 0)
        return status;
    budget.name = quantity;
    budget.required = quantity != NULL;
    status = tch_recorded_load(&a, a_folder, &life, err);
    if (status < 0)
        goto out;
    status = tch_recorded_load(&b, b_folder, &life, err);
    if (status < 0)
        goto out;
    status = check_quantity(&b, &budget, err);
    if (status < 0)
        goto out;
    status = tch_compare_runs(&judge->findings, "", &a, &b, &budget, 1, false, NULL, err);
    if (status == 0 && judge->findings.count == before)
        status = tch_fail(err, TACHO_EINVAL, 0, "the two runs have nothing that can be judged");
out:
    tch_result_release(&a);
    tch_result_release(&b);
    return status;
}

int tacho_judge_decide(tacho_judge *judge, double alpha, tacho_error *err)
{
    int status = check_open(judge, err);

    if (status == 0 && !(alpha > 0 && alpha <= 0.5))
        status =
            tch_fail(err, TACHO_EINVAL, 0, "alpha must be a probability above 0 and at most 0.5");
    if (status == 0)
        status = tch_findings_judge(&judge->findings, alpha, err);
    judge->decided = judge->decided || status == 0;
    return status;
}

enum tacho_verdict tacho_judge_verdict(const tacho_judge *judge)
{
    return judge->decided ? (enum tacho_verdict)judge->findings.verdict : TACHO_VERDICT_NONE;
}

size_t tacho_judge_count(const tacho_judge *judge)
{
    return judge->findings.count;
}

int tacho_judge_answer_at(const tacho_judge *judge, size_t i, tacho_judge_answer *ret,
                          tacho_error *err)
{
    tacho_judge_answer answer = TACHO_JUDGE_ANSWER_INIT;
    const struct tch_verdict_row *row;
    int status = tch_sized_check(ret, sizeof answer, "TACHO_JUDGE_ANSWER_INIT", err);

    if (status < 0)
        return status;
    if (!judge->decided || i >= judge->findings.count)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no answer %zu%s", i,
                        judge->decided ? "" : " yet; call tacho_judge_decide() first");
    row = &judge->findings.rows[i];
    answer.name = judge->findings.about[i].metric.name;
    answer.verdict = (enum tacho_verdict)row->verdict;
    answer.paired = row->paired;
    answer.limit = row->ask == TCH_ASK_MAX;
    answer.a_count = row->a_count;
    answer.b_count = row->b_count;
    answer.a_median = row->a_count > 0 ? row->a_median : (double)NAN;
    answer.b_median = row->b_median;
    answer.estimate = row->has_ratio ? row->ratio.estimate : (double)NAN;
    answer.low = row->has_ratio ? row->ratio.low : (double)NAN;
    answer.high = row->has_ratio ? row->ratio.high : (double)NAN;
    answer.p = row->p;
    answer.p_adjusted = row->p_adjusted;
    answer.advised = row->advised;
    answer.why = row->why;
    tch_sized_write(ret, &answer, sizeof answer);
    return 0;
}

const char *tacho_judge_text(const tacho_judge *judge, size_t i, char *out, size_t size)
{
    tacho_judge_answer a = TACHO_JUDGE_ANSWER_INIT;
    const struct tch_budget *budget;
    char ratio[80] = "no ratio";
    char bound[48];

    if (size == 0)
        return "";
    out[0] = '\0';
    if (tacho_judge_answer_at(judge, i, &a, NULL) < 0)
        return out;
    budget = &judge->findings.rows[i].budget;
    if (isfinite(a.estimate))
        snprintf(ratio, sizeof ratio, "%.4g times %s (%.4g to %.4g)", a.estimate,
                 a.limit ? "its limit" : "as much", a.low, a.high);
    if (a.limit)
        snprintf(bound, sizeof bound, "limit %.6g", budget->max);
    else
        snprintf(bound, sizeof bound, "tolerance %.4g %%", 100 * budget->tolerance);
    snprintf(out, size, "%s: %s, %s, %s, p %.2g%s%s", a.name, tacho_verdict_name(a.verdict), ratio,
             bound, a.p_adjusted, a.why[0] ? "; " : "", a.why);
    return out;
}
