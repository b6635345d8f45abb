/*
 * Finds what a machine can measure and what disturbs measurements. Each finding is one line of
 * `tacho doctor`.
 *
 * Findings come from groups. Each group has its own file and is a function in the table of probe.c,
 * so a new group is one file and one line in that table. probe_read.h has the functions that groups
 * read the machine with.
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
    TCH_PROBE_WARNING,        /**< present, but not as it should be */
    TCH_PROBE_MISSING,        /**< absent */
    TCH_PROBE_NOT_APPLICABLE, /**< absent, and this machine does not need it */
};

enum { TCH_PROBE_STATUSES = TCH_PROBE_NOT_APPLICABLE + 1 };

/** Returns "ok", "warning", "missing" or "not_applicable". */
const char *tch_probe_status_name(enum tch_probe_status status);

/** The machine to examine. Tests pass a folder with its own proc and sys. */
struct tch_machine {
    const char *root; /**< put before every path that is read; "" for this machine */
    const char *work; /**< folder that results would be written to: "." */

    /** Tries to open a perf event on this process. Returns 0, or the errno of the failure. */
    int (*perf_open)(uint32_t type, uint64_t config);

    /** Tries to trace a child. Returns 0, or the errno of the failure. */
    int (*trace)(void);

    /** Tries to switch off address space randomisation, and switches it on again. Returns 0, or the
        errno of the failure. */
    int (*no_aslr)(void);

    /** Checks whether a shared object of tacho can be preloaded into commands. Returns 0, or a code
        with the reason. */
    int (*preload)(const char *object, tacho_error *err);
};

/** Initialises machine with this machine. */
void tch_machine_init(struct tch_machine *machine);

/** One finding. */
struct tch_probe {
    const struct tch_probe_group *group;
    const char *name; /**< unique in its group; never changes, because scripts use it */
    enum tch_probe_status status;
    char *found; /**< one line */
    char *fix;   /**< the command that fixes it, or advice if no command can; NULL if ok or not
                    applicable */
};

/** All findings. Failure is sticky: groups add findings without checks, and `failed` is checked
    once. */
struct tch_probes {
    const struct tch_machine *machine;
    const struct tch_probe_group *group; /**< the group that is running */
    struct tch_probe *items;
    size_t count;
    size_t room;
    bool failed; /**< memory ran out */
};

/** Parts of the report, in its order. */
enum tch_probe_chapter {
    TCH_PROBE_MEASURES, /**< what the machine can measure */
    TCH_PROBE_DISTURBS, /**< what disturbs measurements */
    TCH_PROBE_CAN_DO,   /**< features of tacho that follow from these */
};

struct tch_probe_group {
    const char *name;  /**< "events", for scripts */
    const char *title; /**< "Performance events", for readers */
    enum tch_probe_chapter chapter;
    void (*run)(struct tch_probes *p);
};

/** All groups in the order of the report, chapter by chapter; NULL-terminated. */
extern const struct tch_probe_group *const tch_probe_groups[];

/**
 * Runs every group.
 *
 * @param p  the caller releases it in any case
 * @return 0 or TACHO_ENOMEM
 */
int tch_probes_run(struct tch_probes *p, const struct tch_machine *machine, tacho_error *err);
void tch_probes_release(struct tch_probes *p);

/** Returns whether a finding needs attention: a warning, or something missing. */
static inline bool tch_probe_asks(enum tch_probe_status status)
{
    return status == TCH_PROBE_WARNING || status == TCH_PROBE_MISSING;
}

/** Counts the findings with that status. */
size_t tch_probes_count(const struct tch_probes *probes, enum tch_probe_status status);

/** Adds tacho.doctor.v1 and a line feed. */
void tch_probes_json(struct tch_buf *b, const struct tch_probes *probes);

/** Adds a finding of the running group. fix is copied; it is ignored if the finding needs no
    attention. */
void tch_probes_add(struct tch_probes *p, const char *name, enum tch_probe_status status,
                    const char *fix, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
