/*
 * The budgets of a bench: its own, and of the defaults what it does not say itself.
 */
#ifndef TCH_BENCH_BUDGETS_H
#define TCH_BENCH_BUDGETS_H

#include "bench_settings.h"

/** Either map may be NULL. With none at all wall time and memory have a tolerance of 5 %. */
int tch_settings_budgets(struct tch_bench *b, const struct tch_yaml_node *defaults,
                         const struct tch_yaml_node *own, tacho_error *err);

#endif
