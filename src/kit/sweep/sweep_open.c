/* Opens a sweep before the first run: the folder, the lock, and what an earlier process has
   done. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/version.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "sweep_loop.h"
#include "sweep_unit.h"

enum { SWEEP_MAX = 1 << 30, LOCK_TRIES = 30 };

/*
 * The plan.
 */

static tch_params used_in_list(const struct tch_grid *grid, const char *const *list)
{
    tch_params used = 0;

    for (; list && *list; list++)
        used |= tch_grid_used(grid, *list);
    return used;
}

/* Returns the parameters used in environment, hooks and files. --command-output counts only if
 * `all`. */
static tch_params used_around(const struct tch_sweep_plan *plan, bool all)
{
    struct tch_run_plan run = plan->run;
    tch_params used = used_in_list(plan->grid, run.env);

    for (size_t i = all ? 0 : 1; i < TCH_PLAN_TEXTS; i++)
        if (*tch_plan_text(&run, i))
            used |= tch_grid_used(plan->grid, *tch_plan_text(&run, i));
    return used;
}

/* Rejects a parameter that is not used, because its cells would all be the same. */
static int check_plan(const struct tch_sweep_plan *plan, tacho_error *err)
{
    const struct tch_grid *grid = plan->grid;
    tch_params used = used_in_list(grid, plan->argv) | used_around(plan, true);

    if (tch_grid_cells(grid) == 0)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "a sweep needs a parameter; add --grid NAME=VALUE,...");
    for (size_t i = 0; i < grid->count; i++)
        if (!(used >> i & 1))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "parameter '%s' is not used; write {%s} in the command where its value "
                            "belongs",
                            grid->param[i].name, grid->param[i].name);
    return 0;
}

/* Returns the baseline of a cell. Cells that agree in all parameters that the baseline uses share
   one. */
static size_t baseline_of(const struct tch_sweep *sweep, size_t cell)
{
    const struct tch_grid *grid = sweep->plan->grid;
    size_t at = 0;

    for (size_t i = 0; i < grid->count; i++)
        if (sweep->baseline_uses >> i & 1)
            at = at * grid->param[i].count + tch_grid_index(grid, cell, i);
    return at;
}

static int make_units(struct tch_sweep *sweep, tacho_error *err)
{
    const struct tch_sweep_plan *plan = sweep->plan;
    const struct tch_grid *grid = plan->grid;
    size_t n = sweep->cells = tch_grid_cells(grid);

    if (plan->baseline_argv) {
        sweep->baseline_uses = used_in_list(grid, plan->baseline_argv) | used_around(plan, false);
        sweep->baselines = baseline_of(sweep, n - 1) + 1;
    }
    sweep->units = calloc(n + sweep->baselines, sizeof *sweep->units);
    sweep->baseline = calloc(n, sizeof *sweep->baseline);
    sweep->baseline_cell = calloc(n, sizeof *sweep->baseline_cell);
    if (!sweep->units || !sweep->baseline || !sweep->baseline_cell)
        return tch_fail_memory(err);
    for (size_t i = n; i-- > 0 && sweep->baselines > 0;) {
        sweep->baseline[i] = (uint32_t)baseline_of(sweep, i);
        sweep->baseline_cell[sweep->baseline[i]] = (uint32_t)i;
    }
    sweep->order = (struct tch_order){
        .cells = n, .baselines = sweep->baselines, .baseline = sweep->baseline, .seed = plan->seed};
    tch_order_init(&sweep->order);
    return 0;
}

/* Counts the runs of each unit: one per block for a cell, one per round of its cells for a
   baseline. */
static int count_runs(struct tch_sweep *sweep, tacho_error *err)
{
    struct tch_step *steps = calloc(sweep->order.steps, sizeof *steps);
    int status;

    if (!steps)
        return tch_fail_memory(err);
    status = tch_order_block(&sweep->order, 0, steps, err);
    for (size_t i = 0; i < sweep->order.steps && status == 0; i++)
        sweep->units[steps[i].unit].total += (uint32_t)sweep->plan->repeat;
    sweep->runs_total = sweep->plan->repeat * sweep->order.steps;
    free(steps);
    return status;
}

/*
 * The folder.
 */

static int make_folder(struct tch_sweep *sweep, tacho_error *err)
{
    int status = tch_folder_at(sweep->shown, sweep->plan->run.out, sweep->plan->name, err);

    if (status == 0)
        status = tch_mkdirs(sweep->shown, err);
    if (status == 0)
        status = tch_found_mkdir(sweep->shown, "cells", err);
    if (status == 0 && !realpath(sweep->shown, sweep->folder))
        status = tch_fail_errno(err, errno, "cannot find the folder '%s'", sweep->shown);
    return status;
}

/* Returns whether fd is still the file at that path, rather than one that was removed or
   replaced. */
static bool is_file_of(int fd, const char *path)
{
    struct stat open_file;
    struct stat named;

    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/* Locks the folder. Programs of a killed sweep keep the lock until they exit, within a second or
   two, because nothing may be measured beside them. A finishing sweep removes the file while it has
   the lock, so the lock of a removed file is useless and is taken again. */
static int lock_folder(struct tch_sweep *sweep, tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, sweep->folder, ".lock", err);

    for (int i = 0; status == 0 && i <= LOCK_TRIES; i++) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

        if (fd < 0)
            return tch_fail_errno(err, errno, "cannot make '%s'", path);
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            if (errno != EWOULDBLOCK && errno != EINTR)
                status = tch_fail_errno(err, errno, "cannot lock '%s'", path);
        } else if (is_file_of(fd, path)) {
            sweep->lock_fd = fd;
            return 0;
        }
        close(fd);
        usleep(100000);
    }
    return status < 0
               ? status
               : tch_fail(err, TACHO_ELIMIT, 0, "another tacho sweep is using '%s'", sweep->shown);
}

void tch_sweep_unlock(struct tch_sweep *sweep)
{
    char path[PATH_MAX];

    if (sweep->lock_fd < 0)
        return;
    if (tch_folder_at(path, sweep->folder, ".lock", NULL) == 0)
        unlink(path);
    close(sweep->lock_fd);
    sweep->lock_fd = -1;
}

void tch_sweep_head(const struct tch_sweep *sweep, struct tch_buf *b)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", TCH_SWEEP_SCHEMA);
    tch_json_put_text(b, "tacho_version", TACHO_VERSION);
    tch_json_put_text(b, "name", sweep->plan->name);
    tch_json_put_text(b, "id", sweep->id);
    tch_json_put_text(b, "started_at", sweep->started_at);
    tch_json_put_text(b, "machine_class", sweep->surroundings.machine_class);
    tch_json_put_text(b, "environment_hash", sweep->surroundings.environment_hash);
    tch_json_put_text(b, "command", sweep->plan->line);
    tch_json_key(b, "plan");
    tch_sweep_plan_write(b, sweep->plan, sweep->surroundings.config_hash);
}

static int begin_sweep(struct tch_sweep *sweep, const char *path, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_folder_id(sweep->id);
    tch_utc_text(sweep->started_at, tch_wall_ns());
    tch_buf_init(&b, SWEEP_MAX);
    tch_sweep_head(sweep, &b);
    tch_json_put_text(&b, "state", "running");
    tch_json_end_object(&b);
    tch_json_line_end(&b);
    if (b.failed)
        status = tch_fail_memory(err);
    else
        status = tch_file_replace(path, b.data, b.len, true, err);
    tch_buf_release(&b);
    return status;
}

static bool take_text(const struct tch_buf *json, const char *key, char *out, size_t size)
{
    struct tch_json_value v;
    bool fine = tch_json_find(json->data, json->len, key, &v) && v.type == TCH_JSON_STRING &&
                v.len >= 2 && v.len - 2 < size;

    if (fine)
        snprintf(out, size, "%.*s", (int)v.len - 2, v.text + 1);
    return fine;
}

/* Checks that the sweep in the folder has the same plan. */
static int check_same_plan(struct tch_sweep *sweep, const struct tch_buf *json, tacho_error *err)
{
    struct tch_json_value old;
    struct tch_buf b;
    char what[64] = "schema";
    char schema[32];
    int status = 0;

    if (!take_text(json, "schema", schema, sizeof schema) ||
        strcmp(schema, TCH_SWEEP_SCHEMA) != 0 ||
        !take_text(json, "id", sweep->id, sizeof sweep->id) ||
        !take_text(json, "started_at", sweep->started_at, sizeof sweep->started_at) ||
        !tch_json_find(json->data, json->len, "plan", &old))
        return tch_fail(err, TACHO_EPARSE, 0,
                        "'%s/sweep.json' is not a document of " TCH_SWEEP_SCHEMA
                        "; remove it, or choose another --name",
                        sweep->shown);
    tch_buf_init(&b, SWEEP_MAX);
    tch_sweep_plan_write(&b, sweep->plan, sweep->surroundings.config_hash);
    if (b.failed)
        status = tch_fail_memory(err);
    else if (tch_sweep_plan_same(old.text, old.len, b.data, b.len, what, sizeof what) < 0)
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "'%s' contains another sweep, with another value of '%s'; choose another "
                          "--name, or start over with --fresh",
                          sweep->shown, what);
    tch_buf_release(&b);
    return status;
}

static int find_sweep(struct tch_sweep *sweep, tacho_error *err)
{
    char path[PATH_MAX];
    struct tch_buf b;
    int status = tch_folder_at(path, sweep->folder, "sweep.json", err);

    if (status < 0)
        return status;
    if (sweep->plan->fresh || access(path, F_OK) < 0)
        return begin_sweep(sweep, path, err);
    tch_buf_init(&b, SWEEP_MAX);
    status = tch_found_read(sweep->folder, "sweep.json", SWEEP_MAX, &b, err);
    if (status == 0)
        status = check_same_plan(sweep, &b, err);
    tch_buf_release(&b);
    sweep->resumed = status == 0;
    return status;
}

/* Reads a cell's newest run folder if it belongs to this sweep. A folder that was completed before
   it had all its runs, as `tacho report` does, cannot be continued. */
static int find_unit(struct tch_sweep *sweep, size_t i, tacho_error *err)
{
    struct tch_sweep_unit *unit = &sweep->units[i];
    char name[TCH_CELL_NAME];
    char latest[PATH_MAX];
    struct tch_result r = {0};
    bool failed;
    int status;

    tch_sweep_name(sweep, i, name);
    if (snprintf(latest, sizeof latest, "%s/cells/%s/latest", sweep->folder, name) >= PATH_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0, "the path of cell '%s' is too long", name);
    if (access(latest, F_OK) < 0)
        return 0;
    status = tch_result_load(&r, latest, NULL);
    if (status == 0 && strcmp(r.group, sweep->id) == 0) {
        failed = strcmp(r.state, "failed") == 0;
        unit->done = r.run_count > 0 ? (uint32_t)r.runs[r.run_count - 1].run : 0;
        unit->closed = r.ended;
        unit->state = failed                      ? TCH_UNIT_FAILED
                      : unit->done >= unit->total ? TCH_UNIT_COMPLETE
                                                  : TCH_UNIT_PENDING;
        if ((failed && sweep->plan->retry) || (unit->closed && unit->state == TCH_UNIT_PENDING))
            *unit = (struct tch_sweep_unit){.total = unit->total};
        else
            unit->folder = realpath(latest, NULL);
        sweep->runs_done += failed && unit->folder ? unit->total : unit->done;
    }
    tch_result_release(&r);
    return status == TACHO_ENOMEM ? status : 0;
}

int tch_sweep_open(struct tch_sweep *sweep, const struct tch_sweep_plan *plan, tacho_error *err)
{
    int status;

    *sweep = (struct tch_sweep){.plan = plan, .lock_fd = -1};
    status = check_plan(plan, err);
    if (status == 0)
        status = make_units(sweep, err);
    if (status == 0)
        status = count_runs(sweep, err);
    if (status == 0)
        status = tch_surroundings_init(&sweep->surroundings, &plan->run, err);
    if (status == 0)
        status = make_folder(sweep, err);
    if (status == 0)
        status = lock_folder(sweep, err);
    if (status == 0)
        status = find_sweep(sweep, err);
    for (size_t i = 0; i < sweep->cells + sweep->baselines && status == 0 && sweep->resumed; i++)
        status = find_unit(sweep, i, err);
    return status;
}

void tch_sweep_release(struct tch_sweep *sweep)
{
    for (size_t i = 0; sweep->units && i < sweep->cells + sweep->baselines; i++)
        free(sweep->units[i].folder);
    free(sweep->units);
    free(sweep->baseline);
    free(sweep->baseline_cell);
    tch_surroundings_release(&sweep->surroundings);
    tch_sweep_unlock(sweep);
    *sweep = (struct tch_sweep){.plan = sweep->plan, .lock_fd = -1};
}
