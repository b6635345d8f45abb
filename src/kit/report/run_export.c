/*
 * Runs in the formats of other tools, so that their dashboards can show them: hyperfine, Bencher
 * Metric Format (bmf) and github-action-benchmark.
 *
 * Each writes what its format has a place for. hyperfine has times, memory and exit codes of every
 * run. The others have one number per metric, which is the median, with its interval.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "kit/stats/order_stats.h"
#include "report.h"

/* --- hyperfine --- */

/* Writes a column of all runs, in another unit. Leaves it out if a run has no value. */
static void add_values(struct tch_buf *b, const struct tch_result *r, const char *key,
                       enum tch_field field, double scale)
{
    for (size_t i = 0; i < r->run_count; i++)
        if (isnan(tch_result_value(r, field, i)))
            return;
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->run_count; i++)
        tch_json_f64(b, tch_result_value(r, field, i) * scale);
    tch_json_end_array(b);
}

static const struct tch_summary *summary_of(const struct tch_result *r, enum tch_field field)
{
    const struct tch_row *row = tch_result_row(r, tch_field_metric(field)->key);

    return row ? &row->summary : NULL;
}

static void add_hyperfine(struct tch_buf *b, const struct tch_result *r)
{
    const struct tch_summary *wall = summary_of(r, TCH_WALL);
    const struct tch_summary *user = summary_of(r, TCH_USER);
    const struct tch_summary *system = summary_of(r, TCH_SYSTEM);

    tch_json_begin_object(b);
    tch_json_put_text(b, "command", r->imported.format ? r->name : r->command.line);
    tch_json_put_f64(b, "mean", wall ? wall->mean / 1e9 : NAN);
    tch_json_put_f64(b, "stddev", wall && wall->n > 1 ? wall->stddev / 1e9 : NAN);
    tch_json_put_f64(b, "median", wall ? wall->median / 1e9 : NAN);
    tch_json_put_f64(b, "user", user ? user->mean / 1e9 : NAN);
    tch_json_put_f64(b, "system", system ? system->mean / 1e9 : NAN);
    tch_json_put_f64(b, "min", wall ? wall->min / 1e9 : NAN);
    tch_json_put_f64(b, "max", wall ? wall->max / 1e9 : NAN);
    add_values(b, r, "times", TCH_WALL, 1e-9);
    add_values(b, r, "memory_usage_byte", TCH_MAX_RSS, 1);
    tch_json_key(b, "exit_codes");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->run_count; i++)
        tch_json_u64(b, (uint64_t)tch_result_run_exit(&r->runs[i]));
    tch_json_end_array(b);
    tch_json_end_object(b);
}

static int write_hyperfine(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                           tacho_error *err)
{
    tch_json_begin_object(b);
    tch_json_key(b, "results");
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++) {
        if (!summary_of(&runs[i].result, TCH_WALL))
            return tch_fail(err, TACHO_EINVAL, 0, "the run '%.200s' has no wall time",
                            runs[i].result.name);
        add_hyperfine(b, &runs[i].result);
    }
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
    return 0;
}

/* --- Bencher Metric Format --- */

/* Returns the name of a measure: Bencher calls the wall time latency. */
static const char *measure_of(const struct tch_metric *m)
{
    return strcmp(m->name, "wall") == 0 ? "latency" : m->name;
}

static int write_bmf(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                     tacho_error *err)
{
    tch_json_begin_object(b);
    for (size_t i = 0; i < count; i++) {
        const struct tch_result *r = &runs[i].result;

        for (size_t k = 0; k < i; k++)
            if (strcmp(runs[k].result.name, r->name) == 0)
                return tch_fail(err, TACHO_EINVAL, 0,
                                "two runs are named '%.200s', and bmf has room for one", r->name);
        tch_json_key(b, r->name);
        tch_json_begin_object(b);
        for (size_t k = 0; k < r->row_count; k++) {
            const struct tch_summary *s = &r->rows[k].summary;

            tch_json_key(b, measure_of(&r->rows[k].metric));
            tch_json_begin_object(b);
            tch_json_put_f64(b, "value", s->median);
            if (s->level > 0) {
                tch_json_put_f64(b, "lower_value", s->low);
                tch_json_put_f64(b, "upper_value", s->high);
            }
            tch_json_end_object(b);
        }
        tch_json_end_object(b);
    }
    tch_json_end_object(b);
    tch_json_line_end(b);
    return 0;
}

/* --- github-action-benchmark --- */

static void add_entry(struct tch_buf *b, const struct tch_result *r, const struct tch_row *row)
{
    static const char *const units[] = {
        [TCH_NS] = "ns",         [TCH_BYTES] = "B", [TCH_COUNT] = "count",
        [TCH_JOULES] = "joules", [TCH_PLAIN] = "1", [TCH_RATE] = "/s"};
    const struct tch_summary *s = &row->summary;
    bool wall = strcmp(row->metric.name, "wall") == 0;
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_buf_addf(&text, "%s%s%s", r->name, wall ? "" : ": ", wall ? "" : row->metric.title);
    tch_json_begin_object(b);
    tch_json_put_text(b, "name", text.data);
    tch_json_put_text(b, "unit", units[row->metric.unit]);
    tch_json_put_f64(b, "value", s->median);
    if (s->level > 0) {
        tch_buf_clear(&text);
        tch_buf_addf(&text, "%.6g to %.6g", s->low, s->high);
        tch_json_put_text(b, "range", text.data);
    }
    tch_json_end_object(b);
    tch_buf_release(&text);
}

/* Writes customSmallerIsBetter. A file of that format has one direction, so metrics of which more
   is better are left out. */
static int write_github(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                        tacho_error *err)
{
    (void)err;
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < runs[i].result.row_count; k++)
            if (runs[i].result.rows[k].metric.better == TCH_BETTER_LOWER)
                add_entry(b, &runs[i].result, &runs[i].result.rows[k]);
    tch_json_end_array(b);
    tch_json_line_end(b);
    return 0;
}

const struct tch_report_format tch_report_hyperfine = {"hyperfine", NULL, write_hyperfine};
const struct tch_report_format tch_report_bmf = {"bmf", NULL, write_bmf};
const struct tch_report_format tch_report_github = {"github-action-benchmark", NULL, write_github};
