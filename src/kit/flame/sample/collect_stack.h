/*
 * Turns one sample into a stack of places.
 */
#ifndef TCH_COLLECT_STACK_H
#define TCH_COLLECT_STACK_H

#include "collect_records.h"

/**
 * Adds `weight` to the stack of a sample.
 *
 * @return the number of the stack in c->stacks, or a negative code
 */
int64_t tch_collect_stack(struct tch_collect *c, const struct perf_event_header *record,
                          uint32_t pid, uint32_t tid, uint64_t weight, tacho_error *err);

#endif
