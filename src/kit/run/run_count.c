/* Makes the extra runs in which a command is counted, with its hooks before and after each of
   them. */
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

int tch_run_count(struct tch_run *run, const struct tch_run_watch *watch, tacho_error *err)
{
    int status = 0;

    if (run->plan->counts == 0 || run->counted)
        return 0;
    run->counted = true;
    for (size_t i = 0; i < run->plan->command_count && status == 0; i++) {
        struct counting ctx = {.run = run, .index = i};
        struct tch_count_job job = {.plan = run->plan,
                                    .index = i,
                                    .stop = watch->stop,
                                    .before = prepare,
                                    .after = conclude,
                                    .ctx = &ctx};

        status = tch_count_all(&job, &run->items[i].receipt.counts, err);
    }
    return status;
}
