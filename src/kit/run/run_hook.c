/* Hooks: the lines of --setup, --prepare, --conclude and --cleanup, which are not measured. */
#include <errno.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secret.h"
#include "process/exit_text.h"
#include "process/keeper.h"
#include "run.h"

/* Waits until the hook has exited. If *stop was set before, the hook still runs, because --cleanup
   must, but its time is limited. Sets *stopped if the hook was killed. */
static int await(struct tch_keeper *k, const volatile sig_atomic_t *stop, struct tch_spawn_end *end,
                 bool *stopped, tacho_error *err)
{
    static const volatile sig_atomic_t now = 1;
    int status;

    *stopped = false;
    if (!stop || *stop == 0) {
        status = tch_keeper_wait_or_stop(k, stop, end, err);
        *stopped = status == 0 && stop && *stop != 0 && end->status != 0;
        return status;
    }
    status = tch_keeper_wait(k, TCH_HOOK_LAST_NS, end, err);
    if (status == 0) {
        *stopped = true;
        status = tch_keeper_wait_or_stop(k, &now, end, err);
    }
    return status < 0 ? status : 0;
}

/* Hooks print to standard error, because standard output is for results. A process that a hook
   leaves running is killed only if tacho is killed. */
int tch_run_shell(const struct tch_run_plan *plan, const char *line, const char *input,
                  const volatile sig_atomic_t *stop, int *wait_status, bool *stopped,
                  tacho_error *err)
{
    const char *argv[] = {"sh", "-c", line, NULL};
    struct tch_spawn spec = {
        .argv = argv,
        .extra_env = plan->env,
        .cwd = plan->cwd,
        .io = {{.kind = input ? TCH_IO_READ : TCH_IO_NULL, .path = input},
               {.kind = TCH_IO_FD, .fd = STDERR_FILENO}},
        .new_group = true,
    };
    struct tch_spawn_end end = {0};
    struct tch_keeper keeper;
    int status;

    *stopped = false;
    status = tch_keep(&keeper, &spec, err);
    if (status == 0)
        status = await(&keeper, stop, &end, stopped, err);
    tch_keeper_close_at_exit(&keeper);
    *wait_status = end.status;
    return status;
}

int tch_run_hook(const struct tch_run_plan *plan, const char *what, const char *line,
                 const volatile sig_atomic_t *stop, tacho_error *err)
{
    bool stopped;
    int ended;
    char how[TCH_EXIT_TEXT];
    char *shown;
    int status;

    if (!line)
        return 0;
    status = tch_run_shell(plan, line, NULL, stop, &ended, &stopped, err);
    if (status < 0)
        return status;
    if (!stopped && ended == 0)
        return 0;
    shown = tch_secret_masked_line(line, plan->keep_env);
    if (!shown)
        return tch_fail_memory(err);
    if (stopped)
        status = tch_fail_errno(err, ECANCELED, "--%s was stopped: '%.80s'", what, shown);
    else
        status = tch_fail(err, TACHO_EIO, 0, "--%s failed: '%.80s' %s", what, shown,
                          tch_exit_text(ended, "was killed by", "exited with", how));
    free(shown);
    return status;
}

/* Runs a hook during a measurement. Its output must not mix with the progress line. */
static int run_hook(const struct tch_run *run, const struct tch_run_plan *plan, enum tch_hook hook,
                    const char *line, tacho_error *err)
{
    const struct tch_run_watch *watch = run->watch;

    if (line && watch && watch->hook)
        watch->hook(watch->ctx);
    return tch_run_hook(plan, tch_hook_names[hook], line, watch ? watch->stop : NULL, err);
}

int tch_run_hook_at(const struct tch_run *run, size_t index, enum tch_hook hook, tacho_error *err)
{
    struct tch_run_plan plan = *run->plan;

    if (plan.commands[index].cwd)
        plan.cwd = plan.commands[index].cwd;
    return run_hook(run, &plan, hook, tch_run_hook_line(run->plan, index, hook), err);
}

int tch_run_hook_once(const struct tch_run *run, enum tch_hook hook, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    int status = 0;

    if (!plan->commands[0].hook[hook])
        return run_hook(run, plan, hook, tch_run_hook_line(plan, 0, hook), err);
    for (size_t i = 0; i < plan->command_count; i++) {
        /* Every --cleanup runs even if another one failed. The first failure is returned. */
        int one = tch_run_hook_at(run, i, hook, status < 0 ? NULL : err);

        if (one < 0 && status == 0)
            status = one;
        if (status < 0 && hook != TCH_HOOK_CLEANUP)
            break;
    }
    return status;
}
