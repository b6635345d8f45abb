/*
 * The members of an event that describe its process. They are read from the environment and written
 * as JSON.
 */
#ifndef TCH_EVENT_CONFIG_H
#define TCH_EVENT_CONFIG_H

#include <limits.h>

#include <tacho/event.h>

#include "base/buf.h"

/** A configuration that points into the environment and into `path`. */
struct tch_event_env {
    tacho_event_config config;
    char path[PATH_MAX];
};

/** Reads the configuration. An invalid value counts as missing.
    @param pairs  "NAME=value", terminated by NULL; or NULL for the environment of this process,
   which is empty for a setuid program */
void tch_event_env_read(struct tch_event_env *env, const char *const *pairs);

/** The defaults of members that are not set. */
extern const tacho_event_config tch_event_config_default;

/** Copies a configuration and sets the members that have a default and no value. The caller
    frees the copy, with its texts, by one free(). Returns NULL without memory. */
tacho_event_config *tch_event_config_copy(const tacho_event_config *config);

/** Returns whether the configuration names a file. */
bool tch_event_config_has_path(const tacho_event_config *config);

/** Adds the members from commit_sha to concurrency; tch_event_config_flags() adds runtime_flags.
    Flags that are not an object become null; tch_event_config_check() reports them. */
void tch_event_config_head(struct tch_buf *b, const tacho_event_config *config);
void tch_event_config_flags(struct tch_buf *b, const tacho_event_config *config);

/** Returns why the configuration does not allow any event, or NULL when it is valid. */
const char *tch_event_config_check(const tacho_event_config *config);

#endif
