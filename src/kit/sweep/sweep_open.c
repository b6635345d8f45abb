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
#include "sweep_resume.h"
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
    return 0;
}

/* Adds the command line to the parts of the sweep, and counts the runs of each unit. */
static int count_runs(struct tch_sweep *sweep, tacho_error *err)
{
    bool *all = malloc(sweep->cells * sizeof *all);
    int status;

    if (!all)
        return tch_fail_memory(err);
    for (size_t i = 0; i < sweep->cells; i++)
        all[i] = true;
    status = tch_parts_add(&sweep->parts, &sweep->order, all, sweep->plan->repeat, err);
    free(all);
    for (size_t i = 0; status == 0 && i < sweep->cells + sweep->baselines; i++) {
        sweep->units[i].total = sweep->parts.total[i];
        sweep->runs_total += sweep->parts.total[i];
    }
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
    tch_json_key(b, "parts");
    tch_json_begin_array(b);
    tch_json_raw(b, sweep->asked, strlen(sweep->asked));
    tch_json_end_array(b);
}

/* Adds the command line to the elements of "parts". */
static int note_part(struct tch_sweep *sweep, const char *before, size_t len, tacho_error *err)
{
    struct tch_buf b;

    tch_buf_init(&b, SWEEP_MAX);
    tch_buf_add(&b, before, len);
    tch_buf_adds(&b, len > 0 ? "," : "");
    tch_parts_write(&b, sweep->plan->grid, sweep->plan->repeat);
    sweep->asked = tch_buf_take(&b);
    return sweep->asked ? 0 : tch_fail_memory(err);
}

/* Writes sweep.json before the first run. */
static int begin_sweep(struct tch_sweep *sweep, const char *path, tacho_error *err)
{
    struct tch_buf b;
    int status;

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

static int is_other(const struct tch_sweep *sweep, const char *what, tacho_error *err)
{
    return tch_fail(err, TACHO_EINVAL, 0,
                    "'%s' contains another sweep, with another value of '%s'; choose another "
                    "--name, or start over with --fresh",
                    sweep->shown, what);
}

/* Checks that the sweep in the folder has the same plan, or one that this plan extends. */
static int check_same_plan(struct tch_sweep *sweep, const struct tch_json_value *old,
                           tacho_error *err)
{
    struct tch_buf b;
    char what[64] = "schema";
    int status = 0;

    tch_buf_init(&b, SWEEP_MAX);
    tch_sweep_plan_write(&b, sweep->plan, sweep->surroundings.config_hash);
    if (b.failed)
        status = tch_fail_memory(err);
    else if (tch_sweep_plan_extends(old->text, old->len, b.data, b.len, what, sizeof what) < 0)
        status = is_other(sweep, what, err);
    tch_buf_release(&b);
    return status;
}

/* Reads the parts of the sweep in the folder. A sweep keeps what it has: a command line with fewer
   blocks or without one of the values is rejected. */
static int read_parts(struct tch_sweep *sweep, const struct tch_json_value *parts, tacho_error *err)
{
    struct tch_buf why;
    int status;

    tch_buf_init(&why, SWEEP_MAX);
    status = tch_parts_read(&sweep->parts, &sweep->order, sweep->plan->grid, parts->text,
                            parts->len, &why, err);
    if (status == TACHO_EINVAL)
        tch_fail(err, TACHO_EINVAL, 0,
                 "'%s' has cells with %.80s, and the command line has not; add the value (its "
                 "cells are not run again), choose another --name, or start over with --fresh",
                 sweep->shown, why.data);
    else if (status == 0 && sweep->parts.repeat > sweep->plan->repeat)
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "'%s' has %llu runs of each cell, and the command line asks for %llu; "
                          "use --repeat %llu or more, choose another --name, or start over with "
                          "--fresh",
                          sweep->shown, (unsigned long long)sweep->parts.repeat,
                          (unsigned long long)sweep->plan->repeat,
                          (unsigned long long)sweep->parts.repeat);
    tch_buf_release(&why);
    return status;
}

static bool is_extended(const struct tch_sweep *sweep)
{
    bool more = sweep->parts.repeat < sweep->plan->repeat;

    for (size_t i = 0; i < sweep->cells && !more; i++)
        more = !sweep->parts.in[i];
    return more;
}

/* Reads the sweep.json of the sweep to continue, and adds this command line to it if it asks for
   more. */
static int continue_sweep(struct tch_sweep *sweep, const char *path, const struct tch_buf *json,
                          tacho_error *err)
{
    struct tch_json_value old;
    struct tch_json_value parts;
    char schema[32];
    int status;

    if (!take_text(json, "schema", schema, sizeof schema) ||
        strcmp(schema, TCH_SWEEP_SCHEMA) != 0 ||
        !take_text(json, "id", sweep->id, sizeof sweep->id) ||
        !take_text(json, "started_at", sweep->started_at, sizeof sweep->started_at) ||
        !tch_json_find(json->data, json->len, "plan", &old) ||
        !tch_json_find(json->data, json->len, "parts", &parts) || parts.len < 2)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "'%s/sweep.json' is not a document of " TCH_SWEEP_SCHEMA
                        "; remove it, or choose another --name",
                        sweep->shown);
    status = check_same_plan(sweep, &old, err);
    if (status == 0)
        status = read_parts(sweep, &parts, err);
    if (status == 0 && !is_extended(sweep)) {
        sweep->asked = strndup(parts.text + 1, parts.len - 2);
        return sweep->asked ? 0 : tch_fail_memory(err);
    }
    if (status == 0)
        status = note_part(sweep, parts.text + 1, parts.len - 2, err);
    return status == 0 ? begin_sweep(sweep, path, err) : status;
}

static int find_sweep(struct tch_sweep *sweep, tacho_error *err)
{
    char path[PATH_MAX];
    struct tch_buf b;
    int status = tch_folder_at(path, sweep->folder, "sweep.json", err);

    if (status < 0)
        return status;
    if (sweep->plan->fresh || access(path, F_OK) < 0) {
        tch_folder_id(sweep->id);
        tch_utc_text(sweep->started_at, tch_wall_ns());
        status = note_part(sweep, "", 0, err);
        return status == 0 ? begin_sweep(sweep, path, err) : status;
    }
    tch_buf_init(&b, SWEEP_MAX);
    status = tch_found_read(sweep->folder, "sweep.json", SWEEP_MAX, &b, err);
    if (status == 0)
        status = continue_sweep(sweep, path, &b, err);
    tch_buf_release(&b);
    sweep->resumed = status == 0;
    return status;
}

int tch_sweep_open(struct tch_sweep *sweep, const struct tch_sweep_plan *plan, tacho_error *err)
{
    int status;

    *sweep = (struct tch_sweep){.plan = plan, .lock_fd = -1};
    status = check_plan(plan, err);
    if (status < 0)
        return status;
    status = make_units(sweep, err);
    if (status < 0)
        return status;
    status = tch_surroundings_init(&sweep->surroundings, &plan->run, err);
    if (status < 0)
        return status;
    status = make_folder(sweep, err);
    if (status < 0)
        return status;
    status = lock_folder(sweep, err);
    if (status < 0)
        return status;
    status = find_sweep(sweep, err);
    if (status < 0)
        return status;
    status = count_runs(sweep, err);
    for (size_t i = 0; i < sweep->cells + sweep->baselines && status == 0 && sweep->resumed; i++)
        status = tch_sweep_find_unit(sweep, i, err);
    return status;
}

void tch_sweep_release(struct tch_sweep *sweep)
{
    for (size_t i = 0; sweep->units && i < sweep->cells + sweep->baselines; i++)
        tch_sweep_forget_unit(&sweep->units[i]);
    free(sweep->units);
    tch_parts_release(&sweep->parts);
    free(sweep->asked);
    free(sweep->baseline);
    free(sweep->baseline_cell);
    tch_surroundings_release(&sweep->surroundings);
    tch_sweep_unlock(sweep);
    *sweep = (struct tch_sweep){.plan = sweep->plan, .lock_fd = -1};
}
