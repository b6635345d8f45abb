/*
 * The settings of two files of events, and how they differ.
 */
#ifndef TCH_EVENT_SETTINGS_H
#define TCH_EVENT_SETTINGS_H

#include "event_stages.h"

/** The settings of the process that events contain. */
enum tch_event_setting {
    TCH_SETTING_COMMIT_SHA,
    TCH_SETTING_ENV_HASH,
    TCH_SETTING_MODEL,
    TCH_SETTING_CONCURRENCY,
    TCH_SETTING_GRAPH_ENABLED,
    TCH_SETTING_RUNTIME_FLAGS,
    TCH_SETTINGS,
};

extern const char *const tch_setting_names[TCH_SETTINGS];

enum { TCH_KINDS = 16 }; /* limit of different values of a setting */

struct tch_event_kinds {
    char *values[TCH_KINDS]; /**< canonical JSON, in the order of their first event */
    char *raw;               /* the last value as in the file, to recognise a repetition */
    size_t raw_len, raw_room;
    size_t count;
    bool more; /**< there were more than TCH_KINDS */
};

/** One of the two files. */
struct tch_event_side {
    struct tch_stages stages;
    struct tch_event_kinds settings[TCH_SETTINGS];
    uint64_t events;
};

void tch_event_side_init(struct tch_event_side *side, const char *only, const char *by);
void tch_event_side_release(struct tch_event_side *side);

/** Adds one event. This is an event() of struct tch_scan, on one thread only. */
int tch_event_side_add(void *side, const tacho_event_view *event, tacho_error *err);

/**
 * Reports each setting that differs, as JSON text, or NULL for a file that does not have it.
 * Settings are named by their key, members of runtime_flags as "runtime_flags.a.b[2].c". If a file
 * has several kinds of runtime_flags, only the first are compared.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_compare_settings(const struct tch_event_side *a, const struct tch_event_side *b,
                         void (*report)(void *ctx, const char *name, const char *a, const char *b),
                         void *ctx, tacho_error *err);

#endif
