/*
 * Layouts: the program is linked again for every block of runs, with another order of its objects
 * or another padding. A layout changes the speed of a tight loop by some percent, whatever the
 * number of runs. One value per layout is therefore compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "kit/text/human_number.h"
#include "run.h"

uint64_t tch_run_layout_of(const struct tch_run_plan *plan, uint64_t pair)
{
    return plan->layouts > 0 ? (pair - 1) / plan->layout_runs + 1 : 0;
}

/* Adds the line with the seed in place of {seed}. */
static void add_line(struct tch_buf *b, const char *line, uint64_t seed)
{
    const char *at;

    while ((at = strstr(line, "{seed}"))) {
        tch_buf_add(b, line, (size_t)(at - line));
        tch_buf_addf(b, "%llu", (unsigned long long)seed);
        line = at + strlen("{seed}");
    }
    tch_buf_adds(b, line);
}

/* Runs the line of one command, with the seed in its environment. */
static int link_command(const struct tch_run *run, size_t i, uint64_t layout, tacho_error *err)
{
    struct tch_run_plan plan = *run->plan;
    char seed[64];
    const char **env;
    size_t count = 0;
    struct tch_buf line;
    int status;

    while (plan.env && plan.env[count])
        count++;
    env = calloc(count + 2, sizeof *env);
    tch_buf_init(&line, 1 << 20);
    add_line(&line, tch_run_hook_line(run->plan, i, TCH_HOOK_RELINK), layout);
    if (env && !line.failed) {
        if (count > 0)
            memcpy(env, plan.env, count * sizeof *env);
        snprintf(seed, sizeof seed, "TACHO_LAYOUT_SEED=%llu", (unsigned long long)layout);
        env[count] = seed;
        plan.env = env;
        if (plan.commands[i].cwd)
            plan.cwd = plan.commands[i].cwd;
        status =
            tch_run_hook(&plan, "relink", line.data, run->watch ? run->watch->stop : NULL, err);
    } else {
        status = tch_fail_memory(err);
    }
    tch_buf_release(&line);
    free(env);
    return status;
}

/* Compares the program with that of the first layout. */
static void note_bytes(struct tch_run *run, size_t i)
{
    struct tch_run_item *item = &run->items[i];
    char sha256[TACHO_SHA256_TEXT];

    tch_program_sha256(run->plan, &run->plan->commands[i], sha256);
    if (!item->layout_sha256[0])
        memcpy(item->layout_sha256, sha256, sizeof sha256);
    else if (strcmp(item->layout_sha256, sha256) != 0)
        item->relinked = true;
}

void tch_run_check_layouts(struct tch_run *run, size_t i)
{
    if (run->layout > 1 && !run->items[i].relinked)
        tch_warn(&run->items[i].result.warnings, "same-layout",
                 "use a --relink line that links the program with $TACHO_LAYOUT_SEED, see "
                 "examples/layouts; ignore this if the command is a script that starts it",
                 "the program '%.80s' has the same bytes in all layouts, so no layout was varied",
                 run->plan->commands[i].argv[0]);
}

int tch_run_relink(struct tch_run *run, uint64_t pair, tacho_error *err)
{
    uint64_t layout = tch_run_layout_of(run->plan, pair);
    int status = 0;

    if (layout == run->layout)
        return 0;
    run->layout = layout;
    for (size_t i = 0; i < run->plan->command_count && status == 0; i++) {
        status = link_command(run, i, layout, err);
        if (status == 0)
            note_bytes(run, i);
    }
    return status;
}
