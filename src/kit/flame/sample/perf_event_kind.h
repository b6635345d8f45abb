/*
 * Which perf event, by its name.
 */
#ifndef TCH_PERF_EVENT_KIND_H
#define TCH_PERF_EVENT_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "perf_rings.h"

/** The order is that of tch_sampler_events. */
struct tch_event {
    uint32_t type;
    uint64_t config;
    bool clock;
};

/** NULL: no such event. */
const struct tch_event *tch_event_find(const char *name);

/** Why the kernel refused to open an event: a code, and a message with what to do. `space` is what
    was asked for. */
int tch_event_refused(int number, const struct tch_sampler_options *options, const char *event,
                      tacho_error *err);

/** The same for want of permission, where kernel.perf_event_paranoid is `level`; 99: not known. */
int tch_event_no_permission(int64_t level, const struct tch_sampler_options *options,
                            tacho_error *err);

#endif
