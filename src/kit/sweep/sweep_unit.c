/* Makes the plan of a cell or a baseline. */
#include "sweep_unit.h"

#include "base/fail.h"
#include "base/json_write.h"
#include "kit/result/run_folder.h"

enum { CONFIG_MAX = 32 << 20 };

static size_t count_of(const char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

static size_t grid_cell(const struct tch_sweep *sweep, size_t unit)
{
    return unit < sweep->cells ? unit : sweep->baseline_cell[unit - sweep->cells];
}

static tch_params params_of(const struct tch_sweep *sweep, size_t unit)
{
    return unit < sweep->cells ? tch_grid_all(sweep->plan->grid) : sweep->baseline_uses;
}

void tch_sweep_name(const struct tch_sweep *sweep, size_t unit, char name[TCH_CELL_NAME])
{
    tch_grid_name(sweep->plan->grid, grid_cell(sweep, unit), params_of(sweep, unit),
                  unit < sweep->cells ? "cell" : "baseline", name);
}

const char **tch_plan_text(struct tch_run_plan *plan, size_t i)
{
    const char **const texts[TCH_PLAN_TEXTS] = {
        &plan->output_path, &plan->prepare, &plan->conclude,
        &plan->server,      &plan->ready,   &plan->input,
    };

    return texts[i];
}

/* Returns the text with its placeholders filled; p owns it. NULL without text or without memory. */
static char *filled(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                    const char *text)
{
    char *made = text ? tch_grid_fill(sweep->plan->grid, grid_cell(sweep, unit),
                                      params_of(sweep, unit), text)
                      : NULL;

    if (made)
        p->owned[p->owned_count++] = made;
    return made;
}

static int fill_list(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                     const char *const *from, const char **to, tacho_error *err)
{
    for (size_t i = 0; from && from[i]; i++)
        if (!(to[i] = filled(p, sweep, unit, from[i])))
            return tch_fail_memory(err);
    return 0;
}

/* Adds "lambda=0.3" after the user's labels. */
static int fill_labels(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                       tacho_error *err)
{
    const struct tch_grid *grid = sweep->plan->grid;
    const char *const *given = sweep->plan->run.labels;
    size_t n = count_of(given);

    for (size_t i = 0; i < n; i++)
        p->labels[i] = given[i];
    for (size_t i = 0; i < grid->count; i++) {
        char *label;

        if (!(params_of(sweep, unit) >> i & 1))
            continue;
        if (asprintf(&label, "%s=%s", grid->param[i].name,
                     tch_grid_text(grid, grid_cell(sweep, unit), i)) < 0)
            return tch_fail_memory(err);
        p->owned[p->owned_count++] = label;
        p->labels[n++] = label;
    }
    return 0;
}

static int fill_plan(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                     tacho_error *err)
{
    const struct tch_sweep_plan *plan = sweep->plan;
    bool cell = unit < sweep->cells;
    int status = fill_list(p, sweep, unit, cell ? plan->argv : plan->baseline_argv, p->argv, err);

    if (status == 0)
        status = fill_list(p, sweep, unit, plan->run.env, p->env, err);
    if (status == 0)
        status = fill_labels(p, sweep, unit, err);
    if (status < 0)
        return status;
    p->command.argv = p->argv;
    p->command.line = filled(p, sweep, unit, cell ? plan->line : plan->baseline);
    if (!p->command.line)
        return tch_fail_memory(err);
    for (size_t i = 0; i < TCH_PLAN_TEXTS; i++) {
        const char **text = tch_plan_text(&p->run, i);

        if (*text && !(*text = filled(p, sweep, unit, *text)))
            return tch_fail_memory(err);
    }
    return 0;
}

int tch_unit_plan_init(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                       tacho_error *err)
{
    const struct tch_sweep_plan *plan = sweep->plan;
    size_t words = count_of(unit < sweep->cells ? plan->argv : plan->baseline_argv);
    size_t env = count_of(plan->run.env);
    size_t labels = count_of(plan->run.labels) + TCH_GRID_PARAMS;
    int status;

    *p = (struct tch_unit_plan){.run = plan->run};
    p->owned = calloc(words + env + TCH_GRID_PARAMS + 1 + TCH_PLAN_TEXTS, sizeof *p->owned);
    p->argv = calloc(words + 1, sizeof *p->argv);
    p->env = calloc(env + 1, sizeof *p->env);
    p->labels = calloc(labels + 1, sizeof *p->labels);
    if (!p->owned || !p->argv || !p->env || !p->labels)
        return tch_fail_memory(err);
    tch_sweep_name(sweep, unit, p->name);
    status = tch_folder_at(p->out, sweep->folder, "cells", err);
    if (status == 0)
        status = fill_plan(p, sweep, unit, err);
    p->command.name = p->name;
    p->run.commands = &p->command;
    p->run.command_count = 1;
    p->run.runs = 1;
    p->run.seed = &plan->seed;
    p->run.max_time_ns = 0;
    p->run.output_goes_on = true;
    p->run.flame = false; /* sweep_loop.c makes it after the last run */
    p->run.counts = 0;
    if (sweep->idle_tried) /* once, before the first run */
        p->run.idle_ns = 0;
    p->run.out = p->out;
    p->run.env = env > 0 ? p->env : NULL;
    p->run.labels = p->labels;
    p->run.setup = p->run.cleanup = NULL; /* once per sweep, not per run */
    return status;
}

void tch_unit_plan_release(struct tch_unit_plan *p)
{
    for (size_t i = 0; i < p->owned_count; i++)
        free(p->owned[i]);
    free(p->owned);
    free(p->argv);
    free(p->env);
    free(p->labels);
    *p = (struct tch_unit_plan){0};
}

int tch_unit_config(struct tch_surroundings *ret, const struct tch_sweep *sweep, size_t unit,
                    tacho_error *err)
{
    const struct tch_surroundings *s = &sweep->surroundings;
    struct tch_buf b;
    int status;

    tch_buf_init(&b, CONFIG_MAX);
    tch_json_begin_object(&b);
    tch_json_key(&b, "parameters");
    tch_grid_json(sweep->plan->grid, grid_cell(sweep, unit), params_of(sweep, unit), &b);
    if (s->config) {
        tch_json_key(&b, "config");
        tch_json_raw(&b, s->config, s->config_len);
    }
    tch_json_end_object(&b);
    *ret = *s;
    ret->config = ret->config_canonical = NULL;
    status = b.failed ? tch_fail_memory(err) : tch_surroundings_set_config(ret, &b, err);
    tch_buf_release(&b);
    return status;
}
