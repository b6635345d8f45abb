/* The settings that a run and a bench of tacho.yaml share. */
#include "run_settings.h"

#include <string.h>

#include <tacho/error.h>

#include "base/number.h"

#define FIELD(field) .offset = offsetof(struct tch_run_plan, field)
#define TEXT(field)                                        \
    {                                                      \
        .name = #field, .kind = TCH_SET_TEXT, FIELD(field) \
    }
#define COUNT .kind = TCH_SET_U64, .most = TCH_RUNS_MAX

const struct tch_setting tch_run_settings[TCH_RUN_SETTINGS] = {
    [TCH_RUN_SET_CLEANUP] = TEXT(cleanup),
    [TCH_RUN_SET_CONCLUDE] = TEXT(conclude),
    [TCH_RUN_SET_COUNT_RUNS] = {.name = "count_runs",
                                .kind = TCH_SET_U64,
                                FIELD(count_runs),
                                .least = 2,
                                .most = 1000,
                                .wants = "a number from 2 to 1000"},
    [TCH_RUN_SET_CWD] = TEXT(cwd),
    [TCH_RUN_SET_IDLE] = {.name = "idle",
                          .kind = TCH_SET_DURATION,
                          FIELD(idle_ns),
                          .least = 100000000,
                          .wants = "a time of 100ms or more"},
    [TCH_RUN_SET_MAX_RUNS] = {COUNT, .name = "max_runs", FIELD(max_runs), .least = 1,
                              .wants = "a number from 1 to 1000000"},
    [TCH_RUN_SET_PRECISION] = {.name = "precision",
                               .kind = TCH_SET_SHARE,
                               FIELD(precision),
                               .wants = "a share such as 1% or 0.01"},
    [TCH_RUN_SET_PREPARE] = TEXT(prepare),
    [TCH_RUN_SET_RELINK] = TEXT(relink),
    [TCH_RUN_SET_RUNS] = {COUNT, .name = "runs", FIELD(runs), .least = 1,
                          .wants = "a number from 1 to 1000000"},
    [TCH_RUN_SET_SETUP] = TEXT(setup),
    [TCH_RUN_SET_SHELL] = {.name = "shell", .kind = TCH_SET_FLAG, FIELD(shell)},
    [TCH_RUN_SET_TIMEOUT] = {.name = "timeout",
                             .kind = TCH_SET_DURATION,
                             FIELD(timeout_ns),
                             .least = 1,
                             .wants = "a duration such as 250ms or 5s"},
    [TCH_RUN_SET_WARMUP] = {COUNT, .name = "warmup", FIELD(warmup),
                            .wants = "a number up to 1000000"},
};

int tch_run_work_parse(const char *text, struct tch_run_plan *plan)
{
    size_t len = strspn(text, "0123456789.");
    double work;

    if (tch_parse_f64_n(text, len, &work) < 0 || !(work > 0))
        return TACHO_EINVAL;
    len += strspn(text + len, " ");
    plan->work = work;
    plan->work_unit = text[len] ? text + len : "units";
    return 0;
}
