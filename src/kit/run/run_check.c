/* Checks of a bench, which prove that a run did its work and is not fast because it did nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/secret.h"
#include "process/exit_text.h"
#include "run.h"

static int fail_check(struct tch_run *run, size_t index)
{
    run->state = TCH_RUN_FAILED;
    run->stopped = "failed";
    run->bad_index = index;
    return 0;
}

static int check_output(struct tch_run *run, size_t index, const struct tch_run_outputs *outputs,
                        const volatile sig_atomic_t *stop, tacho_error *err)
{
    const struct tch_metric_rule *check = run->plan->check_output;
    struct tch_found_numbers found = {0};
    int status = tch_metric_rules_find(check, 1, outputs, stop, &found, err);
    bool passed = found.values.n > 0;

    tch_values_release(&found.values);
    if (status < 0)
        return status;
    if (passed)
        return 1;
    snprintf(run->bad_check, sizeof run->bad_check, "no line of its output matches '%.100s'",
             check->text);
    return fail_check(run, index);
}

static int check_command(struct tch_run *run, size_t index, int output,
                         const volatile sig_atomic_t *stop, tacho_error *err)
{
    struct tch_run_plan plan = *run->plan;
    char input[40];
    char how[TCH_EXIT_TEXT];
    char *shown;
    bool stopped;
    int ended;
    int status;

    if (plan.commands[index].cwd)
        plan.cwd = plan.commands[index].cwd;
    snprintf(input, sizeof input, "/proc/self/fd/%d", output); /* opens the file at its beginning */
    status = tch_run_shell(&plan, plan.check_command, input, stop, &ended, &stopped, err);
    if (status < 0)
        return status;
    if (stopped || ended == 0)
        return stopped ? 0 : 1;
    shown = tch_secret_masked_line(plan.check_command, plan.keep_env);
    if (!shown)
        return tch_fail_memory(err);
    snprintf(run->bad_check, sizeof run->bad_check, "'%.100s' %s", shown,
             tch_exit_text(ended, "was killed by", "exited with", how));
    free(shown);
    return fail_check(run, index);
}

int tch_run_check(struct tch_run *run, size_t index, const struct tch_run_outputs *outputs,
                  const volatile sig_atomic_t *stop, tacho_error *err)
{
    int status = 1;

    if (run->plan->check_output)
        status = check_output(run, index, outputs, stop, err);
    if (status > 0 && run->plan->check_command)
        status = check_command(run, index, outputs->fd[0], stop, err);
    return status;
}
