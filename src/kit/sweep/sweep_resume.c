/* Finds what earlier processes measured: the run folders of a cell. */
#include "sweep_resume.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "sweep_unit.h"

int tch_sweep_keep_folder(struct tch_sweep_unit *unit, tacho_error *err)
{
    if (tch_array_extend(&unit->earlier, unit->earlier_count) < 0)
        return tch_fail_memory(err);
    unit->earlier[unit->earlier_count++] = unit->folder;
    unit->earlier_runs = unit->done;
    unit->folder = NULL;
    unit->closed = false;
    return 0;
}

void tch_sweep_forget_unit(struct tch_sweep_unit *unit)
{
    for (size_t i = 0; i < unit->earlier_count; i++)
        free(unit->earlier[i]);
    free(unit->earlier);
    free(unit->folder);
    *unit = (struct tch_sweep_unit){.total = unit->total};
}

/* A run folder of this sweep. */
struct found {
    char *path;
    uint64_t started_ns;
    uint64_t first; /* its first run; 0: no run */
    uint64_t last;
    bool ended;
    bool failed;
    bool retried; /* its runs are made again */
    char program[TACHO_SHA256_TEXT];
};

/* The run folders of a cell. */
struct folders {
    const struct tch_sweep *sweep;
    struct found *found;
    size_t count;
};

/* Returns whether the runs of a failed folder are made again: because the user wants that, or
   because they exceeded a time limit that is longer now. */
static bool is_retried(const struct tch_sweep *sweep, const struct tch_result *r)
{
    uint64_t limit = sweep->plan->run.timeout_ns;
    bool longer = limit == 0 || limit > r->plan.timeout_ns;
    bool late = r->run_count > 0 && r->runs[r->run_count - 1].timed_out;

    return sweep->plan->retry || (late && r->plan.timeout_ns > 0 && longer);
}

static int keep_found(struct folders *f, const struct tch_result *r, const char *path,
                      tacho_error *err)
{
    struct found *found;

    if (tch_array_extend(&f->found, f->count) < 0)
        return tch_fail_memory(err);
    found = &f->found[f->count];
    *found = (struct found){
        .path = strdup(path),
        .started_ns = r->started_unix_ns,
        .first = r->run_count > 0 ? r->runs[0].run : 0,
        .last = r->run_count > 0 ? r->runs[r->run_count - 1].run : 0,
        .ended = r->ended,
        .failed = strcmp(r->state, "failed") == 0,
    };
    found->retried = found->failed && is_retried(f->sweep, r);
    memcpy(found->program, r->program_sha256, sizeof found->program);
    f->count += found->path != NULL;
    return found->path ? 0 : tch_fail_memory(err);
}

/* Keeps a folder that belongs to the sweep. One that cannot be read is left alone. */
static int read_folder(void *ctx, const char *name, tacho_error *err)
{
    struct folders *f = ctx;
    char path[PATH_MAX];
    struct tch_result r = {0};
    int status = tch_folder_at(path, f->sweep->folder, name, err);

    if (status < 0 || strcmp(tch_base_name(name), "latest") == 0)
        return status;
    status = tch_result_load(&r, path, NULL);
    if (status == TACHO_ENOMEM)
        status = tch_fail_memory(err);
    else
        status =
            status == 0 && strcmp(r.group, f->sweep->id) == 0 ? keep_found(f, &r, path, err) : 0;
    tch_result_release(&r);
    return status;
}

static int newest_first(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;

    return (x->started_ns < y->started_ns) - (x->started_ns > y->started_ns);
}

/* Adds a folder to a unit that already has a newer one, whose first run is `first`; 0: none.
   A folder whose runs were made again does not belong to it. */
static int add_earlier(struct tch_sweep_unit *unit, struct found *found, uint64_t *first,
                       tacho_error *err)
{
    if (found->failed || found->last == 0 || (*first > 0 && found->last != *first - 1))
        return 0;
    if (tch_array_extend(&unit->earlier, unit->earlier_count) < 0)
        return tch_fail_memory(err);
    unit->earlier[unit->earlier_count++] = found->path;
    found->path = NULL;
    if (unit->earlier_count == 1)
        unit->earlier_runs = (uint32_t)found->last;
    unit->done = unit->done > found->last ? unit->done : (uint32_t)found->last;
    *first = found->first;
    return 0;
}

/* Gives a unit its folders, from the newest to the oldest. */
static int take_folders(struct tch_sweep_unit *unit, struct folders *f, tacho_error *err)
{
    uint64_t first = 0;
    int status = 0;

    for (size_t i = 0; i < f->count && first != 1 && status == 0; i++) {
        struct found *found = &f->found[i];

        if (unit->folder) {
            status = add_earlier(unit, found, &first, err);
            continue;
        }
        if (found->retried)
            continue;
        unit->folder = found->path;
        found->path = NULL;
        unit->closed = found->ended;
        unit->state = found->failed ? TCH_UNIT_FAILED : TCH_UNIT_PENDING;
        unit->done = (uint32_t)found->last;
        first = found->first;
    }
    for (size_t i = 0; i < unit->earlier_count / 2; i++) { /* now the oldest first */
        char *older = unit->earlier[unit->earlier_count - 1 - i];

        unit->earlier[unit->earlier_count - 1 - i] = unit->earlier[i];
        unit->earlier[i] = older;
    }
    return status;
}

/* Fails if the program is another one than that of the earlier runs, because the runs of a cell
   would be those of two programs. */
static int check_program(struct tch_sweep *sweep, size_t i, const char *before, tacho_error *err)
{
    struct tch_unit_plan p;
    char now[TACHO_SHA256_TEXT] = "";
    int status = tch_unit_plan_init(&p, sweep, i, err);

    if (status == 0 && before[0])
        tch_program_sha256(&p.run, &p.command, now);
    if (status == 0 && now[0] && strcmp(now, before) != 0)
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "the program of cell '%s' has changed since its earlier runs; choose "
                          "another --name, or start over with --fresh",
                          p.name);
    tch_unit_plan_release(&p);
    return status;
}

/* Decides what is left to do for a unit whose folders were found. */
static int settle_unit(struct tch_sweep *sweep, size_t i, const char *program, tacho_error *err)
{
    struct tch_sweep_unit *unit = &sweep->units[i];
    int status = 0;

    if (unit->state == TCH_UNIT_FAILED) {
        sweep->runs_done += unit->total;
        return 0;
    }
    sweep->runs_done += unit->done;
    if (unit->done >= unit->total)
        unit->state = TCH_UNIT_COMPLETE;
    else if (unit->done > 0)
        status = check_program(sweep, i, program, err);
    if (status == 0 && unit->state == TCH_UNIT_PENDING && unit->closed)
        status = tch_sweep_keep_folder(unit, err);
    return status;
}

int tch_sweep_find_unit(struct tch_sweep *sweep, size_t i, tacho_error *err)
{
    struct folders f = {.sweep = sweep};
    char name[TCH_CELL_NAME];
    char cell[PATH_MAX];
    int status;

    tch_sweep_name(sweep, i, name);
    snprintf(cell, sizeof cell, "cells/%s", name);
    status = tch_found_each(sweep->folder, cell, read_folder, &f, err);
    if (f.count > 0)
        qsort(f.found, f.count, sizeof *f.found, newest_first);
    if (status == 0)
        status = take_folders(&sweep->units[i], &f, err);
    if (status == 0)
        status = settle_unit(sweep, i, f.count > 0 ? f.found[0].program : "", err);
    for (size_t k = 0; k < f.count; k++)
        free(f.found[k].path);
    free(f.found);
    return status;
}
