/*
 * The "plan" of sweep.json: what makes a sweep this one. Included by sweep*.c only.
 */
#ifndef TCH_SWEEP_PLAN_H
#define TCH_SWEEP_PLAN_H

#include "base/json_read.h"
#include "sweep_loop.h"

/** config_hash: of the configuration file, or "". */
void tch_sweep_plan_write(struct tch_buf *b, const struct tch_sweep_plan *plan,
                          const char *config_hash);

/** 0 when both say the same; else -1, and the name of the first member that differs. */
int tch_sweep_plan_same(const char *a, size_t a_len, const char *b, size_t b_len, char *what,
                        size_t size);

#endif
