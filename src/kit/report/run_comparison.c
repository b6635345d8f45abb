/* Finds the fastest of several runs and how much faster it is: the comparison, its sentences, its
   JSON. The page is in comparison_html.c. */
#include "run_comparison.h"

#include <math.h>

#include "base/json_write.h"
#include "kit/judge/run_compare.h"

enum { DECIMALS_MOST = 4 };

static bool has_success(const struct tch_result *r)
{
    for (size_t i = 0; i < r->run_count; i++)
        if (tch_result_run_ok(&r->runs[i]))
            return true;
    return false;
}

static double median_wall(const struct tch_result *r)
{
    return has_success(r) && r->row_count > 0 ? r->rows[0].summary.median : INFINITY;
}

static enum tch_compared kind_of(const struct tch_ratio *times)
{
    if (times->level == 0)
        return TCH_COMPARED_TOO_FEW;
    return times->low > 1 ? TCH_COMPARED_SLOWER : TCH_COMPARED_EQUAL;
}

/* Returns how many pairs of runs can be compared: the number of questions. */
static size_t pair_count(const struct tch_comparison *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        n += has_success(&c->runs[i].result);
    return n > 1 ? n * (n - 1) / 2 : 1;
}

/* Returns how many pairs give an interval at this level: n pairs reach a one-sided p of 2^-n. */
static size_t runs_needed(double alpha)
{
    return (size_t)ceil(-log2(alpha / 2));
}

/* Compares all runs with the fastest. Sets *faster to a run that is even faster by its pairs. */
static int compare_all(struct tch_comparison *c, size_t *faster, tacho_error *err)
{
    double questions = (double)pair_count(c);
    double alpha = TCH_RESULT_ALPHA / questions;

    *faster = c->fastest;
    c->needed = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct tch_ratio *times = &c->run[i].times;
        int status;

        c->run[i].is = i == c->fastest ? TCH_COMPARED_FASTEST : TCH_COMPARED_NOTHING;
        *times = (struct tch_ratio){.estimate = i == c->fastest ? 1 : NAN};
        if (i == c->fastest || !has_success(&c->runs[i].result))
            continue;
        status =
            tch_compare_wall(&c->runs[c->fastest].result, &c->runs[i].result, alpha, times, err);
        if (status == TACHO_ENOMEM)
            return status;
        if (status < 0) /* no pair in which both runs succeeded */
            *times = (struct tch_ratio){.estimate = NAN};
        else
            c->run[i].is = kind_of(times);
        if (times->level > 0)
            times->level = 1 - questions * (1 - times->level);
        else if (status == 0 && c->paired)
            c->needed = runs_needed(alpha);
        times->p = fmin(1, questions * times->p);
        if (times->estimate < 1)
            *faster = i;
    }
    return 0;
}

int tch_comparison_make(struct tch_comparison *c, const struct tch_report_run *runs, size_t count,
                        tacho_error *err)
{
    double least = INFINITY;
    int status = 0;

    *c = (struct tch_comparison){.runs = runs, .count = count, .fastest = count, .paired = true};
    for (size_t i = 0; i < count; i++) {
        double median = median_wall(&runs[i].result);

        c->paired = c->paired && tch_results_paired(&runs[0].result, &runs[i].result);
        c->run[i].is = TCH_COMPARED_NOTHING;
        if (median < least) {
            least = median;
            c->fastest = i;
        }
    }
    /* Pairs may contradict the medians and each other, so the number of attempts is limited. */
    for (size_t i = 0, next; i < count && c->fastest < count && status == 0; i++) {
        status = compare_all(c, &next, err);
        if (next == c->fastest || i + 1 == count)
            break;
        c->fastest = next;
    }
    return status;
}

void tch_comparison_add_fastest(struct tch_buf *b, const struct tch_comparison *c)
{
    size_t equal = 0;
    bool too_few = false;

    if (c->fastest == c->count) {
        tch_buf_adds(b, "none, because no run succeeded");
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        too_few |= c->run[i].is == TCH_COMPARED_TOO_FEW;
        equal += c->run[i].is == TCH_COMPARED_EQUAL;
    }
    tch_buf_adds(b, c->runs[c->fastest].result.name);
    for (size_t i = 0, left = equal; i < c->count; i++)
        if (c->run[i].is == TCH_COMPARED_EQUAL)
            tch_buf_addf(b, "%s %s", --left > 0 ? "," : " or", c->runs[i].result.name);
    if (equal > 0)
        tch_buf_adds(b, " (cannot be distinguished)");
    if (too_few && c->needed > 0)
        tch_buf_addf(b, " (too few runs to be sure: %zu commands need %zu of each)", c->count,
                     c->needed);
    else if (too_few)
        tch_buf_adds(b, " (too few runs to be sure)");
}

/* Returns how many decimals to show: as few as make the ends of the interval differ. */
static int decimals_of(const struct tch_ratio *times)
{
    double size = times->estimate;
    double width = times->level > 0 ? times->high - times->low : times->most - times->least;
    int decimals = size >= 100 ? 0 : size >= 2 ? 1 : size >= 1.1 ? 2 : 3;

    while (decimals < DECIMALS_MOST && width < pow(10, -decimals))
        decimals++;
    return decimals;
}

void tch_comparison_add_times(struct tch_buf *b, const struct tch_ratio *times)
{
    if (isfinite(times->estimate))
        tch_buf_addf(b, "%.*f", decimals_of(times), times->estimate);
    else
        tch_buf_addc(b, '-');
}

void tch_comparison_add_interval(struct tch_buf *b, const struct tch_ratio *times)
{
    int decimals = decimals_of(times);

    if (times->level > 0)
        tch_buf_addf(b, "(%.*f to %.*f)", decimals, times->low, decimals, times->high);
    else
        tch_buf_addf(b, "(range %.*f to %.*f)", decimals, times->least, decimals, times->most);
}

void tch_comparison_add_sentence(struct tch_buf *b, const struct tch_comparison *c, size_t i)
{
    const struct tch_ratio *times = &c->run[i].times;
    const char *fastest = c->fastest < c->count ? c->runs[c->fastest].result.name : "";
    const char *name = c->runs[i].result.name;

    if (c->run[i].is == TCH_COMPARED_NOTHING) {
        tch_buf_addf(b, "%s is not compared: %s", name,
                     has_success(&c->runs[i].result) ? "no pair of runs succeeded"
                                                     : "no run of it succeeded");
        return;
    }
    if (c->run[i].is == TCH_COMPARED_EQUAL)
        tch_buf_addf(b, "%s cannot be distinguished from the fastest, %s: ", name, fastest);
    else
        tch_buf_addf(b, "%s is ", fastest);
    tch_comparison_add_times(b, times);
    if (c->run[i].is == TCH_COMPARED_EQUAL)
        tch_buf_adds(b, " times ");
    else
        tch_buf_addf(b, " times as fast as %s ", name);
    tch_comparison_add_interval(b, times);
}

static void write_run(struct tch_buf *b, const struct tch_comparison *c, size_t i)
{
    static const char *const words[] = {
        [TCH_COMPARED_FASTEST] = "fastest",           [TCH_COMPARED_SLOWER] = "slower",
        [TCH_COMPARED_EQUAL] = "no difference shown", [TCH_COMPARED_TOO_FEW] = "too few runs",
        [TCH_COMPARED_NOTHING] = "not compared",
    };
    const struct tch_result *r = &c->runs[i].result;
    const struct tch_ratio *times = &c->run[i].times;
    bool has_interval = times->level > 0;

    tch_json_begin_object(b);
    tch_json_put_text(b, "name", r->name);
    tch_json_put_text(b, "id", r->id);
    tch_json_put_text(b, "command", r->command.line);
    tch_json_put_u64(b, "runs", r->run_count);
    tch_json_put_f64(b, "median_wall_ns", median_wall(r));
    tch_json_put_text(b, "result", words[c->run[i].is]);
    tch_json_key(b, "times_fastest");
    tch_json_begin_object(b);
    tch_json_put_f64(b, "estimate", times->estimate);
    tch_json_put_f64(b, "low", has_interval ? times->low : NAN);
    tch_json_put_f64(b, "high", has_interval ? times->high : NAN);
    tch_json_put_f64(b, "level", has_interval ? times->level : NAN);
    tch_json_put_f64(b, "p", has_interval ? times->p : NAN);
    tch_json_end_object(b);
    tch_json_end_object(b);
}

void tch_comparison_write(struct tch_buf *b, const struct tch_comparison *c)
{
    bool any = c->fastest < c->count;

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", TCH_COMPARISON_SCHEMA);
    tch_json_put_text(b, "group", c->paired ? c->runs[0].result.group : NULL);
    tch_json_put_bool(b, "paired", c->paired);
    tch_json_put_text(b, "fastest", any ? c->runs[c->fastest].result.name : NULL);
    tch_json_key(b, "runs");
    tch_json_begin_array(b);
    for (size_t i = 0; i < c->count; i++)
        write_run(b, c, i);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
