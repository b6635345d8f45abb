/*
 * The events that can be sampled, and why the kernel refuses one.
 */
#ifndef TCH_PERF_EVENT_KIND_H
#define TCH_PERF_EVENT_KIND_H

#include "perf_rings.h"

/** The names of all events, NULL-terminated. */
extern const char *const tch_flame_sampler_events[];

/** An event in the terms of perf_event_open(), in the order of tch_flame_sampler_events. */
struct tch_flame_event {
    uint32_t type;
    uint64_t config;
    bool clock;
};

/** Finds an event by its name, or returns NULL. */
const struct tch_flame_event *tch_flame_event_find(const char *name);

/** Explains why the kernel refused to open an event. Sets err, with advice, and returns its code.
    `number` is the errno. */
int tch_flame_event_refused(int number, const struct tch_flame_sampler_options *options,
                            const char *event, tacho_error *err);

/** Explains a lack of permission. `level` is kernel.perf_event_paranoid; 99: unknown. */
int tch_flame_event_no_permission(int64_t level, const struct tch_flame_sampler_options *options,
                                  tacho_error *err);

#endif
