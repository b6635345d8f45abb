/*
 * Settings that a run and a bench of tacho.yaml share: which text sets which field of a plan.
 * `tacho run` and `tacho sweep` read them as options, tacho.yaml as keys.
 */
#ifndef TCH_RUN_SETTINGS_H
#define TCH_RUN_SETTINGS_H

#include "kit/config/setting.h"
#include "run_plan.h"

enum {
    TCH_RUN_SET_CLEANUP,
    TCH_RUN_SET_CONCLUDE,
    TCH_RUN_SET_COUNT_RUNS,
    TCH_RUN_SET_CWD,
    TCH_RUN_SET_IDLE,
    TCH_RUN_SET_MAX_RUNS,
    TCH_RUN_SET_PRECISION,
    TCH_RUN_SET_PREPARE,
    TCH_RUN_SET_RELINK,
    TCH_RUN_SET_RUNS,
    TCH_RUN_SET_SETUP,
    TCH_RUN_SET_SHELL,
    TCH_RUN_SET_TIMEOUT,
    TCH_RUN_SET_WARMUP,
    TCH_RUN_SETTINGS,
};

/** The settings, with offsets into struct tch_run_plan. */
extern const struct tch_setting tch_run_settings[TCH_RUN_SETTINGS];

/** Parses a text such as "200" or "200samples" into work and work_unit of a plan, which borrow the
    text. Returns 0 or TACHO_EINVAL. */
int tch_run_work_parse(const char *text, struct tch_run_plan *plan);

#endif
