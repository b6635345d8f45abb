/* Turns run folders into rows. sweep_choose.c chooses among the rows. */
#include "sweep_results.h"

#include <math.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "kit/file/found_file.h"
#include "kit/result/series.h"
#include "kit/stats/rank_test.h"
#include "kit/text/human_number.h"

enum { FAILURE_MAX = 64 << 10, RUN_MAX = 64 << 20 };

void tch_results_describe(const struct tch_results *r, struct tch_buf *b)
{
    const struct tch_sweep *sweep = r->sweep;
    size_t runs = 0;

    for (size_t i = 0; i < sweep->cells + sweep->baselines; i++)
        runs += r->cells[i].runs;
    tch_buf_addf(b, "%zu cell%s, %zu of %llu runs", sweep->cells, tch_plural(sweep->cells), runs,
                 (unsigned long long)sweep->runs_total);
    if (r->failed > 0)
        tch_buf_addf(b, ", %zu cell%s failed", r->failed, tch_plural(r->failed));
}

void tch_results_describe_parts(const struct tch_results *r, struct tch_buf *b)
{
    const struct tch_parts *parts = &r->sweep->parts;
    uint64_t shared = tch_parts_shared(parts);

    if (shared == parts->blocks)
        return;
    tch_buf_addf(b,
                 "The sweep was extended by cells that were measured after the others. All cells "
                 "ran together in %llu of %llu blocks; ",
                 (unsigned long long)shared, (unsigned long long)parts->blocks);
    tch_buf_adds(b, "only cells that ran together are compared with each other, but medians, "
                    "effects and growth contain changes of the machine in between. More rounds "
                    "(--repeat) measure all cells together.");
}

int tch_results_measure(const struct tch_results *r, const char *name)
{
    char whole[TCH_METRIC_TEXT];
    struct tch_metric q;

    if (tch_metric_name_complete(name, whole))
        name = whole;
    for (size_t i = 0; i < r->measure_count; i++)
        if (strcmp(r->measures[i].name, name) == 0)
            return (int)i;
    if (!tch_metric_find(name, &q) || !tch_metric_is_field(&q) || strcmp(q.key, name) == 0)
        return -1;
    return tch_results_measure(r, q.key);
}

/* Returns the index of a row's measure, which is added if it is new. */
static int place_of(struct tch_results *r, const struct tch_result *result,
                    const struct tch_row *row, tacho_error *err)
{
    bool work =
        strcmp(row->metric.key, "throughput") == 0 && result->work.unit && result->work.unit[0];
    int at = tch_results_measure(r, row->metric.key);
    struct tch_measure *m;

    if (at >= 0)
        return at;
    if (tch_array_extend(&r->measures, r->measure_count) < 0)
        return tch_fail_memory(err);
    m = &r->measures[r->measure_count++];
    *m = (struct tch_measure){.name = strdup(row->metric.key), .unit = row->metric.unit};
    if (!work)
        m->title = strdup(row->metric.title);
    else if (asprintf(&m->title, "throughput, %s/s", result->work.unit) < 0)
        m->title = NULL;
    if (!m->name || !m->title)
        return tch_fail_memory(err);
    return (int)r->measure_count - 1;
}

/*
 * The ratio to the baseline.
 */

/* Finds a measure by its key in run.json. A metric of the user's may have the name of another. */
static bool find_measure(const struct tch_result *r, const char *key, struct tch_metric *ret)
{
    int column = tch_result_column(r, key);

    if (column >= 0) {
        *ret = r->columns[column].metric;
        return true;
    }
    return strcmp(key, "throughput") == 0 && tch_metric_find(key, ret);
}

/* Compares a measure in the rounds in which both ran. */
static int compare_measure(const char *name, const struct tch_result *base,
                           const struct tch_result *cell, struct tch_cell_value *ret,
                           tacho_error *err)
{
    struct tch_series x = {0};
    struct tch_series y = {0};
    struct tch_metric of_base;
    struct tch_metric of_cell;
    size_t n = 0;
    int status;

    if (!find_measure(base, name, &of_base) || !find_measure(cell, name, &of_cell))
        return 0;
    status = tch_series_of(base, &of_base, 0.5, &x, err);
    if (status < 0)
        goto out;
    status = tch_series_of(cell, &of_cell, 0.5, &y, err);
    if (status < 0)
        goto out;
    tch_series_match(&x, &y);
    for (size_t i = 0; i < x.count; i++) {
        x.value[n] = x.value[i];
        y.value[n] = y.value[i];
        n += x.value[n] > 0 && y.value[n] > 0; /* other pairs have no ratio */
    }
    if (n == 0)
        goto out;
    status = tch_ratio_paired(x.value, y.value, n, TCH_RESULT_ALPHA, 1, &ret->ratio, err);
    if (status == 0)
        ret->p = ret->ratio.p;
out:
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}

/* Adjusts the p-values over the cells, one measure at a time. Without this, one cell in twenty
   would differ by chance. */
static int adjust_p_values(struct tch_results *r, tacho_error *err)
{
    size_t cells = r->sweep->cells;
    double *p = calloc(cells + 1, sizeof *p);
    int status = 0;

    if (!p)
        return tch_fail_memory(err);
    for (size_t m = 0; m < r->measure_count && status == 0; m++) {
        size_t n = 0;

        for (size_t i = 0; i < cells; i++)
            if (!isnan(r->cells[i].value[m].p))
                p[n++] = r->cells[i].value[m].p;
        status = tch_adjust_holm(p, n, p, err);
        n = 0;
        for (size_t i = 0; i < cells; i++)
            if (!isnan(r->cells[i].value[m].p))
                r->cells[i].value[m].p = p[n++];
    }
    free(p);
    return status;
}

/*
 * Reading.
 */

/* Grows a row from `had` measures to the current number. */
static int grow_values(const struct tch_results *r, struct tch_cell_result *c, size_t had,
                       tacho_error *err)
{
    size_t room = c->value ? had + 1 : 0;

    if (tch_array_reserve(&c->value, &room, r->measure_count + 1) < 0)
        return tch_fail_memory(err);
    for (size_t i = had; i < r->measure_count; i++)
        c->value[i] = (struct tch_cell_value){
            .median = NAN, .low = NAN, .high = NAN, .p = NAN, .ratio = {.estimate = NAN}};
    c->value_count = r->measure_count;
    return 0;
}

/* Keeps the values of a measure for the choice of the best cells. */
static int keep_series(const struct tch_result *result, const char *name, struct tch_cell_value *v,
                       tacho_error *err)
{
    struct tch_metric q;

    tch_series_release(&v->series);
    if (!find_measure(result, name, &q))
        return 0;
    return tch_series_of(result, &q, 0.5, &v->series, err);
}

static int take_rows(struct tch_results *r, const struct tch_result *result,
                     struct tch_cell_result *c, size_t *had, tacho_error *err)
{
    for (size_t i = 0; i < result->row_count; i++)
        if (place_of(r, result, &result->rows[i], err) < 0)
            return TACHO_ENOMEM;
    if (grow_values(r, c, 0, err) < 0)
        return TACHO_ENOMEM;
    *had = r->measure_count;
    for (size_t i = 0; i < result->row_count; i++) {
        const struct tch_summary *s = &result->rows[i].summary;
        struct tch_cell_value *v = &c->value[place_of(r, result, &result->rows[i], err)];

        v->median = s->median;
        v->low = s->low;
        v->high = s->high;
        v->level = s->level;
        if (keep_series(result, result->rows[i].metric.key, v, err) < 0)
            return TACHO_ENOMEM;
    }
    return 0;
}

static int read_failure(struct tch_cell_result *c, const char *folder, tacho_error *err)
{
    struct tch_buf b;
    int status = tch_found_regular(folder, "failure.txt", err);

    if (status <= 0)
        return status;
    tch_buf_init(&b, FAILURE_MAX);
    status = tch_found_read(folder, "failure.txt", FAILURE_MAX, &b, err);
    if (status == 0 && !(c->failure = strndup(b.data, strcspn(b.data, "\n"))))
        status = tch_fail_memory(err);
    tch_buf_release(&b);
    return status;
}

/* Returns the unit's newest folder, relative to the sweep's, or "". */
static const char *newest_folder(const struct tch_sweep *sweep, const struct tch_sweep_unit *unit)
{
    const char *folder = unit->folder              ? unit->folder
                         : unit->earlier_count > 0 ? unit->earlier[unit->earlier_count - 1]
                                                   : NULL;

    return folder ? folder + strlen(sweep->folder) + 1 : "";
}

/* Adds the runs of another folder of the cell. */
static int append_runs(struct tch_result *to, const struct tch_result *from, tacho_error *err)
{
    struct tch_buf b;
    int status = 0;

    tch_buf_init(&b, RUN_MAX);
    for (size_t i = 0; i < from->run_count && status == 0; i++) {
        tch_buf_clear(&b);
        tch_result_write_run(&b, from, i);
        status = b.failed ? tch_fail_memory(err) : tch_result_parse_run(to, b.data, b.len, err);
    }
    tch_buf_release(&b);
    return status;
}

/* Takes over what a row says about the newest folder of its cell. */
static void describe_folder(struct tch_cell_result *c, const struct tch_result *r)
{
    c->warnings += r->warnings.count;
    c->power = r->power;
    memcpy(c->config_hash, r->config.sha256, sizeof c->config_hash);
    memcpy(c->fingerprint, r->fingerprint, sizeof c->fingerprint);
}

/* Reads the runs of all folders of a unit as one result. */
static int load_unit(const struct tch_sweep_unit *unit, struct tch_cell_result *c,
                     struct tch_result *result, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i <= unit->earlier_count && status == 0; i++) {
        const char *folder = i < unit->earlier_count ? unit->earlier[i] : unit->folder;
        struct tch_result more = {0};

        if (!folder)
            break;
        status = tch_result_load(i == 0 ? result : &more, folder, err);
        if (status == 0)
            describe_folder(c, i == 0 ? result : &more);
        if (status == 0 && i > 0)
            status = append_runs(result, &more, err);
        tch_result_release(&more);
    }
    return status == 0 && unit->earlier_count > 0 ? tch_result_sum(result, err) : status;
}

static int read_unit(struct tch_results *r, size_t i, struct tch_result *result, size_t *had,
                     tacho_error *err)
{
    const struct tch_sweep_unit *unit = &r->sweep->units[i];
    struct tch_cell_result *c = &r->cells[i];
    int status;

    tch_sweep_name(r->sweep, i, c->name);
    c->state = unit->state == TCH_UNIT_COMPLETE ? "complete"
               : unit->state == TCH_UNIT_FAILED ? "failed"
               : unit->done > 0                 ? "partial"
                                                : "pending";
    c->folder = newest_folder(r->sweep, unit);
    *result = (struct tch_result){0};
    *had = 0;
    if (!unit->folder && unit->earlier_count == 0)
        return 0;
    status = load_unit(unit, c, result, err);
    if (status == 0 && unit->state == TCH_UNIT_FAILED)
        status = read_failure(c, unit->folder, err);
    if (status < 0)
        return status;
    c->runs = result->run_count;
    r->warned += c->warnings > 0;
    return unit->state == TCH_UNIT_FAILED ? 0 : take_rows(r, result, c, had, err);
}

/* Reads a cell, and compares it with its baseline if both have values. */
static int read_cell(struct tch_results *r, size_t i, const struct tch_result *bases, size_t *had,
                     tacho_error *err)
{
    const struct tch_sweep *sweep = r->sweep;
    const char *state;
    struct tch_result result;
    int status = read_unit(r, i, &result, &had[i], err);

    if (had[i] > 0 && sweep->baselines > 0 && had[sweep->cells + sweep->baseline[i]] > 0)
        for (size_t m = 0; m < r->measure_count && status == 0; m++)
            status = compare_measure(r->measures[m].name, &bases[sweep->baseline[i]], &result,
                                     &r->cells[i].value[m], err);
    tch_result_release(&result);
    state = r->cells[i].state;
    r->failed += strcmp(state, "failed") == 0;
    r->pending += strcmp(state, "complete") != 0 && strcmp(state, "failed") != 0;
    return status;
}

static int read_all(struct tch_results *r, struct tch_result *bases, size_t *had, tacho_error *err)
{
    const struct tch_sweep *sweep = r->sweep;
    size_t all = sweep->cells + sweep->baselines;
    int status = 0;

    for (size_t i = sweep->cells; i < all && status == 0; i++)
        status = read_unit(r, i, &bases[i - sweep->cells], &had[i], err);
    for (size_t i = 0; i < sweep->cells && status == 0; i++)
        status = read_cell(r, i, bases, had, err);
    for (size_t i = 0; i < all && status == 0; i++)
        status = grow_values(r, &r->cells[i], had[i], err);
    return status == 0 ? adjust_p_values(r, err) : status;
}

int tch_results_load(struct tch_results *r, const struct tch_sweep *sweep, tacho_error *err)
{
    size_t all = sweep->cells + sweep->baselines;
    struct tch_result *bases = calloc(sweep->baselines + 1, sizeof *bases);
    size_t *had = calloc(all + 1, sizeof *had);
    int status;

    *r = (struct tch_results){.sweep = sweep, .along = -1};
    r->cells = calloc(all, sizeof *r->cells);
    if (!bases || !had || !r->cells)
        status = tch_fail_memory(err);
    else
        status = read_all(r, bases, had, err);
    for (size_t i = 0; bases && i < sweep->baselines; i++)
        tch_result_release(&bases[i]);
    free(bases);
    free(had);
    return status;
}

void tch_results_release(struct tch_results *r)
{
    for (size_t i = 0; r->cells && i < r->sweep->cells + r->sweep->baselines; i++) {
        for (size_t m = 0; m < r->cells[i].value_count; m++)
            tch_series_release(&r->cells[i].value[m].series);
        free(r->cells[i].value);
        free(r->cells[i].failure);
    }
    for (size_t i = 0; i < r->measure_count; i++) {
        free(r->measures[i].name);
        free(r->measures[i].title);
    }
    free(r->cells);
    free(r->measures);
    free(r->series);
    free(r->effects);
    *r = (struct tch_results){.sweep = r->sweep, .along = -1};
}
