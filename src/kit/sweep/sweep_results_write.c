/* Writes results.csv and sweep.json. */
#include <math.h>

#include "base/csv_field.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "kit/file/found_file.h"
#include "sweep_results.h"

enum { OUT_MAX = 1 << 30 };

static const char *const best_names[] = {
    [TCH_BEST_NO] = "no", [TCH_BEST_MAYBE] = "maybe", [TCH_BEST_YES] = "best"};

static const char *const unit_names[] = {
    [TCH_NS] = "ns",    [TCH_BYTES] = "bytes", [TCH_COUNT] = "count",
    [TCH_JOULES] = "J", [TCH_PLAIN] = "",      [TCH_RATE] = ""};

/*
 * CSV.
 */

static void add_line(const struct tch_results *r, bool raw, struct tch_buf *b, size_t i)
{
    const struct tch_sweep *sweep = r->sweep;
    const struct tch_grid *grid = sweep->plan->grid;
    const struct tch_cell_result *c = &r->cells[i];
    bool cell = i < sweep->cells;
    size_t at = cell ? i : sweep->baseline_cell[i - sweep->cells];

    tch_csv_add_name(b, c->name, strlen(c->name), raw);
    for (size_t j = 0; j < grid->count; j++) {
        tch_buf_addc(b, ',');
        if (cell || (sweep->baseline_uses >> j & 1)) {
            const char *text = tch_grid_text(grid, at, j);

            tch_csv_add_name(b, text, strlen(text), raw);
        }
    }
    tch_buf_addf(b, ",%s,%zu,%s", c->state, c->runs, cell ? best_names[c->best] : "");
    for (size_t j = 0; j < r->measure_count; j++) {
        const struct tch_cell_value *v = &c->value[j];

        tch_csv_add_number(b, v->median);
        tch_csv_add_number(b, v->level > 0 ? v->low : NAN);
        tch_csv_add_number(b, v->level > 0 ? v->high : NAN);
        if (sweep->baselines > 0) {
            tch_csv_add_number(b, v->ratio.estimate);
            tch_csv_add_number(b, v->ratio.level > 0 ? v->ratio.low : NAN);
            tch_csv_add_number(b, v->ratio.level > 0 ? v->ratio.high : NAN);
        }
    }
    tch_buf_addc(b, '\n');
}

void tch_results_csv(const struct tch_results *r, bool raw, struct tch_buf *b)
{
    const struct tch_sweep *sweep = r->sweep;
    const struct tch_grid *grid = sweep->plan->grid;

    tch_buf_adds(b, "cell");
    for (size_t i = 0; i < grid->count; i++)
        tch_buf_addf(b, ",%s", grid->param[i].name);
    tch_buf_adds(b, ",state,runs,pareto");
    for (size_t i = 0; i < r->measure_count; i++) {
        const char *name = r->measures[i].name;

        tch_buf_addf(b, ",%s,%s_low,%s_high", name, name, name);
        if (sweep->baselines > 0)
            tch_buf_addf(b, ",%s_ratio,%s_ratio_low,%s_ratio_high", name, name, name);
    }
    tch_buf_addc(b, '\n');
    for (size_t i = sweep->cells; i < sweep->cells + sweep->baselines; i++)
        add_line(r, raw, b, i);
    for (size_t i = 0; i < sweep->cells; i++)
        add_line(r, raw, b, i);
}

/*
 * JSON.
 */

static void write_value(struct tch_buf *b, const struct tch_cell_value *v)
{
    bool sure = v->level > 0;
    bool ratio_sure = v->ratio.level > 0;

    tch_json_begin_object(b);
    tch_json_put_f64(b, "median", v->median);
    tch_json_put_f64(b, "low", sure ? v->low : NAN);
    tch_json_put_f64(b, "high", sure ? v->high : NAN);
    tch_json_put_f64(b, "level", sure ? v->level : NAN);
    tch_json_key(b, "ratio");
    if (isnan(v->ratio.estimate)) {
        tch_json_null(b);
    } else {
        tch_json_begin_object(b);
        tch_json_put_f64(b, "estimate", v->ratio.estimate);
        tch_json_put_f64(b, "low", ratio_sure ? v->ratio.low : NAN);
        tch_json_put_f64(b, "high", ratio_sure ? v->ratio.high : NAN);
        tch_json_put_f64(b, "level", ratio_sure ? v->ratio.level : NAN);
        tch_json_put_f64(b, "p", v->p);
        tch_json_end_object(b);
    }
    tch_json_end_object(b);
}

/* Writes the folders with the earlier runs of an extended sweep. */
static void write_earlier(const struct tch_results *r, size_t i, struct tch_buf *b)
{
    const struct tch_sweep_unit *unit = &r->sweep->units[i];
    size_t count = unit->earlier_count - (!unit->folder && unit->earlier_count > 0);

    if (count == 0)
        return;
    tch_json_key(b, "earlier_folders");
    tch_json_begin_array(b);
    for (size_t k = 0; k < count; k++)
        tch_json_text(b, unit->earlier[k] + strlen(r->sweep->folder) + 1);
    tch_json_end_array(b);
}

static void write_cell(const struct tch_results *r, struct tch_buf *b, size_t i)
{
    const struct tch_sweep *sweep = r->sweep;
    const struct tch_cell_result *c = &r->cells[i];
    bool cell = i < sweep->cells;

    tch_json_begin_object(b);
    tch_json_put_text(b, "cell", c->name);
    tch_json_key(b, "parameters");
    tch_grid_json(sweep->plan->grid, cell ? i : sweep->baseline_cell[i - sweep->cells],
                  cell ? tch_grid_all(sweep->plan->grid) : sweep->baseline_uses, b);
    tch_json_put_text(b, "config_sha256", c->config_hash[0] ? c->config_hash : NULL);
    tch_json_put_text(b, "fingerprint", c->fingerprint[0] ? c->fingerprint : NULL);
    tch_json_put_text(b, "folder", c->folder[0] ? c->folder : NULL);
    write_earlier(r, i, b);
    tch_json_put_text(b, "state", c->state);
    tch_json_put_text(b, "failure", c->failure);
    tch_json_put_u64(b, "runs", c->runs);
    if (c->power.status && c->power.status[0]) {
        tch_json_key(b, "power");
        tch_json_fields_write(b, tch_power_origin_fields, &c->power);
    }
    if (cell)
        tch_json_put_text(b, "pareto", best_names[c->best]);
    if (cell && sweep->baselines > 0)
        tch_json_put_text(b, "baseline", r->cells[sweep->cells + sweep->baseline[i]].name);
    tch_json_key(b, "measures");
    tch_json_begin_object(b);
    for (size_t j = 0; j < r->measure_count; j++)
        if (!isnan(c->value[j].median)) {
            tch_json_key(b, r->measures[j].name);
            write_value(b, &c->value[j]);
        }
    tch_json_end_object(b);
    tch_json_end_object(b);
}

static void write_fit(struct tch_buf *b, const struct tch_growth_series *s,
                      const struct tch_results *r)
{
    const struct tch_fit *fit = &s->fit;

    tch_json_begin_object(b);
    tch_json_put_text(b, "series", s->name);
    tch_json_put_u64(b, "points", fit->points);
    tch_json_put_text(b, "best", fit->best < 0 ? NULL : tch_growth_names[fit->best]);
    tch_json_put_f64(b, "exponent", fit->exponent);
    tch_json_put_f64(b, "exponent_low", fit->exponent_low);
    tch_json_put_f64(b, "exponent_high", fit->exponent_high);
    if (r->expect.text)
        tch_json_put_bool(b, "as_expected", !tch_fit_contradicts(fit, &r->expect));
    tch_json_key(b, "models");
    tch_json_begin_array(b);
    for (int i = 0; i < TCH_GROWTHS && fit->best >= 0; i++) {
        const struct tch_fit_model *m = &fit->model[i];

        tch_json_begin_object(b);
        tch_json_put_text(b, "growth", tch_growth_names[i]);
        tch_json_put_f64(b, "constant", m->a);
        tch_json_put_f64(b, "factor", m->b);
        tch_json_put_f64(b, "r2", m->r2);
        tch_json_put_f64(b, "relative_error", m->rms);
        tch_json_put_f64(b, "bic", m->bic);
        tch_json_put_bool(b, "possible", m->open);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_end_object(b);
}

static void write_growth(const struct tch_results *r, struct tch_buf *b)
{
    tch_json_key(b, "growth");
    if (r->series_count == 0) {
        tch_json_null(b);
        return;
    }
    tch_json_begin_object(b);
    tch_json_put_text(b, "along", r->sweep->plan->grid->param[r->along].name);
    tch_json_put_text(b, "cost", r->measures[r->cost].name);
    tch_json_put_text(b, "expected", r->expect.text);
    tch_json_key(b, "fits");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->series_count; i++)
        write_fit(b, &r->series[i], r);
    tch_json_end_array(b);
    tch_json_end_object(b);
}

static void write_names(const struct tch_results *r, struct tch_buf *b)
{
    tch_json_key(b, "measures");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->measure_count; i++) {
        tch_json_begin_object(b);
        tch_json_put_text(b, "name", r->measures[i].name);
        tch_json_put_text(b, "title", r->measures[i].title);
        tch_json_put_text(b, "unit", unit_names[r->measures[i].unit]);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_key(b, "pareto_by");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->objective_count; i++) {
        tch_json_begin_object(b);
        tch_json_put_text(b, "measure", r->measures[r->objective[i].measure].name);
        tch_json_put_text(b, "better", r->objective[i].more ? "more" : "less");
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_key(b, "pareto_per");
    tch_json_begin_array(b);
    for (size_t i = 0; r->best_per >> i; i++)
        if (r->best_per >> i & 1)
            tch_json_text(b, r->sweep->plan->grid->param[i].name);
    tch_json_end_array(b);
}

static void write_levels(const struct tch_results *r, size_t param, struct tch_buf *b)
{
    const struct tch_param *p = &r->sweep->plan->grid->param[param];

    tch_json_key(b, "ratios");
    tch_json_begin_object(b);
    for (size_t i = 0; i < p->count; i++)
        tch_json_put_f64(b, p->text[i], tch_effect_ratio(r, param, i));
    tch_json_end_object(b);
}

static void write_effects(const struct tch_results *r, struct tch_buf *b)
{
    const struct tch_grid *grid = r->sweep->plan->grid;

    tch_json_key(b, "effects");
    tch_json_begin_array(b);
    for (size_t k = 0; k < r->effect_count; k++) {
        const struct tch_effect *e = &r->effects[k];
        size_t params = 0;
        size_t last = 0;

        tch_json_begin_object(b);
        tch_json_key(b, "parameters");
        tch_json_begin_array(b);
        for (size_t i = 0; i < grid->count; i++)
            if (e->which >> i & 1) {
                tch_json_text(b, grid->param[i].name);
                params++;
                last = i;
            }
        tch_json_end_array(b);
        tch_json_put_f64(b, "share", e->share);
        tch_json_put_f64(b, "p", e->p);
        if (params == 1)
            write_levels(r, last, b);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

void tch_results_json(const struct tch_results *r, struct tch_buf *b)
{
    const struct tch_sweep *sweep = r->sweep;

    tch_sweep_head(sweep, b);
    tch_json_put_text(b, "state", r->pending > 0 ? "interrupted" : "complete");
    write_names(r, b);
    tch_json_key(b, "baselines");
    tch_json_begin_array(b);
    for (size_t i = sweep->cells; i < sweep->cells + sweep->baselines; i++)
        write_cell(r, b, i);
    tch_json_end_array(b);
    tch_json_key(b, "cells");
    tch_json_begin_array(b);
    for (size_t i = 0; i < sweep->cells; i++)
        write_cell(r, b, i);
    tch_json_end_array(b);
    write_growth(r, b);
    write_effects(r, b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}

/* Writes the text to a file of the sweep's folder and releases the text. */
static int write_file(const struct tch_results *r, const char *name, struct tch_buf *b,
                      tacho_error *err)
{
    int status = b->failed ? tch_fail_memory(err)
                           : tch_found_write(r->sweep->folder, name, b->data, b->len, false, err);

    tch_buf_release(b);
    return status;
}

int tch_results_write(const struct tch_results *r, bool raw, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, OUT_MAX);
    tch_results_csv(r, raw, &b);
    status = write_file(r, "results.csv", &b, err);
    if (status < 0)
        return status;
    tch_buf_init(&b, OUT_MAX);
    tch_results_json(r, &b);
    return write_file(r, "sweep.json", &b, err);
}
