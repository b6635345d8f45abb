/*
 * What a machine can measure and what disturbs it: one finding a line of `tacho doctor`.
 *
 * Findings come from groups, one file a group, each a function in the table of probe.c. A new
 * group is one file and one line in that table. What the groups read with is in probe_read.h.
 */
#ifndef TCH_PROBE_H
#define TCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"

enum tch_probe_status {
    TCH_PROBE_OK,
    TCH_PROBE_WARNING,        /**< works, or is there, but not as it should */
    TCH_PROBE_MISSING,        /**< not there */
    TCH_PROBE_NOT_APPLICABLE, /**< not there, and this machine has no use for it */
};

enum { TCH_PROBE_STATUSES = TCH_PROBE_NOT_APPLICABLE + 1 };

/** "ok", "warning", "missing", "not_applicable". */
const char *tch_probe_status_name(enum tch_probe_status status);

/** Where to look. Tests hand in a folder with a proc and a sys of its own. */
struct tch_machine {
    const char *root; /**< before every path that is read; "" for this machine */
    const char *work; /**< where results would be written: "." */

    /** Tries a perf event on this process: 0, or the errno number of the refusal. */
    int (*perf_open)(uint32_t type, uint64_t config);

    /** Tries to trace a child: 0, or the errno number of the refusal. */
    int (*trace)(void);
};

/** This machine. */
void tch_machine_init(struct tch_machine *machine);

/** One finding. */
struct tch_probe {
    const struct tch_probe_group *group;
    const char *name; /**< unique in its group; scripts tell it by this, so it never changes */
    enum tch_probe_status status;
    char *found; /**< one line */
    char *fix;   /**< the command that fixes it, or what to do where none can; NULL when ok or not
                      applicable */
};

/** All of them. Failure is sticky: a group adds what it finds, `failed` is tested once. */
struct tch_probes {
    const struct tch_machine *machine;
    const struct tch_probe_group *group; /**< the one that runs */
    struct tch_probe *items;
    size_t count;
    size_t room;
    bool failed; /**< memory ran out */
};

struct tch_probe_group {
    const char *name;  /**< "events", for programs */
    const char *title; /**< "Performance events", for people */
    bool disturbs;     /**< it tells what disturbs measuring, not what can be measured */
    void (*run)(struct tch_probes *p);
};

/** In the order they are told, those that disturb last; NULL-ended. */
extern const struct tch_probe_group *const tch_probe_groups[];

/**
 * Runs every group.
 *
 * @param p  the caller releases it in any case
 * @return 0 or TACHO_ENOMEM
 */
int tch_probes_run(struct tch_probes *p, const struct tch_machine *machine, tacho_error *err);
void tch_probes_release(struct tch_probes *p);

/** Returns whether there is something to do: a warning, or something missing. */
static inline bool tch_probe_asks(enum tch_probe_status status)
{
    return status == TCH_PROBE_WARNING || status == TCH_PROBE_MISSING;
}

/** Counts the findings of that status. */
size_t tch_probes_count(const struct tch_probes *probes, enum tch_probe_status status);

/** Adds tacho.doctor.v1 and a line feed. */
void tch_probes_json(struct tch_buf *b, const struct tch_probes *probes);

/** Adds a finding of the group that runs. fix is copied, and ignored when there is nothing to do.
 */
void tch_probes_add(struct tch_probes *p, const char *name, enum tch_probe_status status,
                    const char *fix, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
