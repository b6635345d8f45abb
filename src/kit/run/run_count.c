/* Makes the extra runs in which a command is counted, with its hooks before and after each of them.
 */
#include "count/count.h"

#include "run.h"

struct counting {
    struct tch_run *run;
    size_t index;
};

static int prepare(void *ctx, tacho_error *err)
{
    const struct counting *c = ctx;

    return tch_run_hook_at(c->run, c->index, TCH_HOOK_PREPARE, err);
}

static int conclude(void *ctx, tacho_error *err)
{
    const struct counting *c = ctx;

    return tch_run_hook_at(c->run, c->index, TCH_HOOK_CONCLUDE, err);
}

/* Makes the counted runs of one command, or those that take stacks. */
static int make_runs(struct tch_run *run, size_t index, const volatile sig_atomic_t *stop,
                     int (*make)(const struct tch_count_job *, struct tch_counts *, tacho_error *),
                     tacho_error *err)
{
    struct counting ctx = {.run = run, .index = index};
    struct tch_count_job job = {.plan = run->plan,
                                .index = index,
                                .stop = stop,
                                .before = prepare,
                                .after = conclude,
                                .ctx = &ctx};

    return make(&job, &run->items[index].result.counts, err);
}

int tch_run_take_stacks(struct tch_run *run, size_t index, const volatile sig_atomic_t *stop,
                        tacho_error *err)
{
    return make_runs(run, index, stop, tch_count_take_stacks, err);
}

int tch_run_count(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = 0;

    if (run->plan->counts == 0 || run->counted)
        return 0;
    run->counted = true;
    for (size_t i = 0; i < run->plan->command_count && status == 0; i++) {
        status = make_runs(run, i, watch->stop, tch_count_all, err);
        if (status == 0 && run->plan->flame)
            status = tch_run_take_stacks(run, i, watch->stop, err);
    }
    return status;
}
