/* Defines the kinds of counts, lists the back ends, and makes the counted runs of a command. */
#include "count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "count_backend.h"
#include "count_program.h"
#include "kit/run/plan/run_plan.h"
#include "process/exit_text.h"

/* Back ends in the order of preference. For each kind, the first one that can count the command is
   used. */
static const struct tch_count_backend *const backends[] = {
    &tch_count_perf,   &tch_count_cachegrind,  &tch_count_seccomp,
    &tch_count_ptrace, &tch_count_allocations, &tch_count_faults,
};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

/* --- The runs of one back end --- */

/* Marks counts as not available, with the reason. */
static void refuse(struct tch_counts *counts, unsigned kinds, const char *why)
{
    for (int i = 0; i < TCH_COUNTS; i++) {
        struct tch_count *c = &counts->of[i];

        if (!(kinds >> i & 1))
            continue;
        c->values.n = 0;
        c->part_count = 0;
        snprintf(c->why_not, sizeof c->why_not, "%s", why);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tch_count_part *)a)->name,
                  ((const struct tch_count_part *)b)->name);
}

static int keep_parts(struct tch_count *c, const struct tch_count_backend *backend,
                      const struct tch_tally *tally, tacho_error *err)
{
    for (size_t i = 0; i < TCH_COUNT_PARTS; i++) {
        struct tch_count_part *part;

        if (tally->part[i] == 0)
            continue;
        if (tch_array_extend(&c->parts, c->part_count) < 0)
            return tch_fail_memory(err);
        part = &c->parts[c->part_count++];
        *part = (struct tch_count_part){.value = tally->part[i]};
        snprintf(part->name, sizeof part->name, "%s",
                 backend->part_names[i] ? backend->part_names[i] : "unknown");
    }
    if (c->part_count > 1)
        qsort(c->parts, c->part_count, sizeof *c->parts, by_name);
    return 0;
}

/* Stores the results of one counted run. The parts of allocations are numbers of calls, so
   allocated bytes do not have parts. */
static int keep_tally(struct tch_counts *counts, unsigned kinds,
                      const struct tch_count_backend *backend, const struct tch_tally *tally,
                      tacho_error *err)
{
    int status = 0;

    for (int i = 0; i < TCH_COUNTS && status == 0; i++) {
        struct tch_count *c = &counts->of[i];

        if (!(kinds >> i & 1))
            continue;
        if (c->values.n == 0 && backend->part_names && i != TCH_COUNT_ALLOCATED_BYTES)
            status = keep_parts(c, backend, tally, err);
        if (status == 0)
            status = tch_values_add(&c->values, tally->value[i], err);
        if ((double)tally->wall_ns > c->run_ns)
            c->run_ns = (double)tally->wall_ns;
    }
    return status;
}

bool tch_count_succeeded(const struct tch_run_plan *plan, const struct tch_tally *tally,
                         char why[TCH_COUNT_TEXT])
{
    char how[TCH_EXIT_TEXT];

    if (WIFEXITED(tally->status) && (WEXITSTATUS(tally->status) == 0 || plan->allow_nonzero))
        return true;
    snprintf(why, TCH_COUNT_TEXT, "the counted run %s%s",
             tch_exit_text(tally->status, "was killed by", "failed with", how),
             WIFSIGNALED(tally->status)
                 ? ""
                 : "; it runs with few environment variables, --env adds more");
    return false;
}

int tch_count_make_run(const struct tch_count_job *job, const struct tch_count_backend *backend,
                       const struct tch_count_target *t, struct tch_tally *tally, tacho_error *err)
{
    int status = job->before ? job->before(job->ctx, err) : 0;

    if (status == 0)
        status = tch_count_run(backend, t, job->stop, tally, err);
    if (status == 0 && job->stop && *job->stop != 0) {
        status = tch_fail(err, TACHO_EIO, 0, "stopped");
        err->system_errno = ECANCELED;
    }
    if (status == 0 && job->after)
        status = job->after(job->ctx, err);
    return status;
}

/*
 * Makes all runs of one back end.
 *
 * @return 1, 0 if it cannot count this command (`why` says why), or a negative code
 */
static int count_by(const struct tch_count_job *job, const struct tch_count_backend *backend,
                    unsigned kinds, const struct tch_count_target *t, struct tch_counts *counts,
                    char why[TCH_COUNT_TEXT], tacho_error *err)
{
    char source[TCH_COUNT_TEXT];
    char key[TCH_COUNT_TEXT];
    struct tch_tally tally = {0};

    snprintf(source, sizeof source, "%s", backend->source ? backend->source : "");
    if (backend->check && !backend->check(t, source, why))
        return 0;
    for (uint64_t i = 0; i < job->plan->count_runs; i++) {
        int status = tch_count_make_run(job, backend, t, &tally, err);

        if (status < 0)
            return status;
        if (tally.code != 0)
            snprintf(why, TCH_COUNT_TEXT, "%s", tally.why);
        if (tally.code != 0 || !tch_count_succeeded(job->plan, &tally, why)) {
            refuse(counts, kinds, why);
            return 0;
        }
        status = keep_tally(counts, kinds, backend, &tally, err);
        if (status < 0)
            return status;
    }
    tch_count_key(backend, source, key);
    for (int i = 0; i < TCH_COUNTS; i++)
        if (kinds >> i & 1) {
            struct tch_count *c = &counts->of[i];

            c->why_not[0] = '\0';
            memcpy(c->key, key, sizeof c->key);
            snprintf(c->source, sizeof c->source, "%.160s%s", source,
                     tally.aslr ? "; ASLR could not be switched off" : "");
        }
    return 1;
}

/* Tries the back ends in order until every kind is counted. */
static int count_kinds(const struct tch_count_job *job, const struct tch_count_target *t,
                       struct tch_counts *counts, tacho_error *err)
{
    unsigned left = job->plan->counts;

    for (size_t i = 0; i < BACKENDS; i++) {
        unsigned kinds = backends[i]->counts & left;
        char why[TCH_COUNT_TEXT] = "";
        int status;

        if (kinds == 0)
            continue;
        status = count_by(job, backends[i], kinds, t, counts, why, err);
        if (status < 0)
            return status;
        if (status > 0)
            left &= ~kinds;
        else
            refuse(counts, kinds, why);
    }
    return 0;
}

int tch_count_all(const struct tch_count_job *job, struct tch_counts *ret, tacho_error *err)
{
    struct tch_count_target target;
    char why[TCH_COUNT_TEXT];
    int status;

    for (int i = 0; i < TCH_COUNTS; i++)
        ret->of[i].asked = job->plan->counts >> i & 1;
    refuse(ret, job->plan->counts, "the counted runs were stopped");
    status = tch_count_target_init(&target, job->plan, job->index, err);
    if (status == 0 && tch_program_gains_rights(target.file, why))
        refuse(ret, job->plan->counts, why);
    else if (status == 0)
        status = count_kinds(job, &target, ret, err);
    tch_count_target_release(&target);
    return status;
}
