/*
 * What an event says about its process: from the environment, and as JSON.
 */
#ifndef TCH_EVENT_CONFIG_H
#define TCH_EVENT_CONFIG_H

#include <limits.h>

#include <tacho/event.h>

#include "base/buf.h"

/** A configuration found in the environment: points into it, and into path. */
struct tch_event_env {
    tacho_event_config config;
    char path[PATH_MAX];
};

/** pairs: "NAME=value", ended by NULL; NULL: those of this process, of which a setuid program has
    none. A value that is not allowed counts as not given. */
void tch_event_env_read(struct tch_event_env *env, const char *const *pairs);

/** Adds the members from commit_sha to concurrency, then, with tch_event_config_tail(), those from
    runtime_flags on.
    Flags that are no object become null: see tch_event_config_check(). */
void tch_event_config_head(struct tch_buf *b, const tacho_event_config *config);
void tch_event_config_tail(struct tch_buf *b, const tacho_event_config *config);

/** Why no event can be made with it, or NULL. */
const char *tch_event_config_check(const tacho_event_config *config);

#endif
