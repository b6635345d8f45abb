/*
 * Baselines: the cost of a bench on earlier occasions, on machines of one class.
 *
 * One file per bench and machine class, DIR/BENCH/MACHINE_CLASS.json, schema tacho.baseline.v1:
 * made to be read by people and committed. It keeps the last occasions; one of them is the
 * reference that later runs are judged against, and from all of them comes how much occasions
 * differ by themselves.
 */
#ifndef TCH_BASELINE_H
#define TCH_BASELINE_H

#include <limits.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "quantity.h"

#define TCH_BASELINE_SCHEMA "tacho.baseline.v1"

enum {
    TCH_BASELINE_MAX = 64 << 20, /* bytes of a file */
    TCH_BASELINE_VALUES =
        200, /* of a metric that are kept: of more, those of runs at even distances */
    TCH_BASELINE_OCCASIONS = 1000,
    TCH_BASELINE_KEPT = 4096, /* of an occasion: quantities, those of several values a run thrice */
};

/** The values of one quantity on one occasion. */
struct tch_kept {
    char *name; /**< "wall", or "latency:p95" */
    double *value;
    size_t count;
};

struct tch_occasion {
    char *id;          /**< of the run */
    char *at;          /**< "2026-11-15T23:05:11Z" */
    char *commit;      /**< "" when not known */
    bool dirty;        /**< files differed from it */
    char *command;     /**< the line */
    char *settings;    /**< that of tch_receipt_settings(); NULL: an earlier tacho wrote the file */
    char *environment; /**< JSON, or "null" */
    char *counts;      /**< JSON as in run.json; NULL: there are none */
    struct tch_kept *kept;
    size_t count;
};

struct tch_baseline {
    char *bench;
    char *machine_class;
    char *reference;                /**< id of the occasion that counts */
    struct tch_occasion *occasions; /**< oldest first */
    size_t count;
};

/** DIR/BENCH/CLASS.json. TACHO_ELIMIT when that is too long. */
int tch_baseline_path(char path[PATH_MAX], const char *dir, const char *bench,
                      const char *machine_class, tacho_error *err);

/** b is released by the caller in any case. 0, TACHO_EPARSE, TACHO_ENOMEM. */
int tch_baseline_parse(struct tch_baseline *b, const char *text, size_t len, tacho_error *err);

/** As above; TACHO_EIO with system_errno ENOENT where there is none. */
int tch_baseline_read(struct tch_baseline *b, const char *path, tacho_error *err);
void tch_baseline_release(struct tch_baseline *b);

void tch_baseline_format(struct tch_buf *out, const struct tch_baseline *b);

/** Replaces the file, whole or not at all. Makes missing folders. */
int tch_baseline_write(const struct tch_baseline *b, const char *path, tacho_error *err);

/** Checks that a file is the baseline of that bench and class, as its path says.
    0 or TACHO_EINVAL. */
int tch_baseline_check(const struct tch_baseline *b, const char *bench, const char *machine_class,
                       tacho_error *err);

/**
 * Locks the folder of a baseline, which must exist, until *fd is closed. Who changes a baseline
 * holds the lock from reading it to writing it. Waits up to a minute for others. Leaves no file
 * behind.
 *
 * @return 0 or TACHO_EIO
 */
int tch_baseline_lock(const char *path, int *fd, tacho_error *err);

/** How a run is saved. */
struct tch_baseline_save {
    const char *bench;
    const char *machine_class;
    size_t keep;
    bool promote; /**< make it the reference */
    bool replace; /**< drop what is in the file, which need not be readable */
};

/** Adds a run to the baseline in a file, under its lock. b, which is released first, holds what is
   in the file then. Several processes at once lose nothing. */
int tch_baseline_save(struct tch_baseline *b, const char *path, const struct tch_receipt *r,
                      const struct tch_baseline_save *how, tacho_error *err);

/** Adds what was measured as the newest occasion; of more than `keep` the oldest go, but never the
    reference. The first occasion is the reference. */
int tch_baseline_add(struct tch_baseline *b, const struct tch_receipt *r, size_t keep,
                     tacho_error *err);

/** Makes an empty baseline. @return 0 or TACHO_ENOMEM */
int tch_baseline_init(struct tch_baseline *b, const char *bench, const char *machine_class,
                      tacho_error *err);

/** The occasion of that id ("latest", "reference"; the start of an id will do), or NULL. */
const struct tch_occasion *tch_baseline_find(const struct tch_baseline *b, const char *id);

/** Makes an occasion the reference. 0 or TACHO_ENOMEM. */
int tch_baseline_promote(struct tch_baseline *b, const struct tch_occasion *occasion,
                         tacho_error *err);

/** "2026-11-15T23:05:11Z" in seconds; -1 when it is not known. */
int64_t tch_occasion_time(const char *at);

/** How many whole days an occasion is old; -1 when its time is not known. */
int64_t tch_occasion_days(const struct tch_occasion *o);

/** Writes the name under which a quantity is kept: "wall", "latency:p95". */
void tch_kept_name(char *out, size_t size, const char *name, double quantile);

/** Returns the values of a quantity on an occasion, or NULL. */
const struct tch_kept *tch_occasion_values(const struct tch_occasion *o, const char *name,
                                           double quantile);

/** Writes the commit for people: its first digits, "-dirty" when files differed from it. */
void tch_occasion_commit(const struct tch_occasion *o, char *out, size_t size);

/** Returns the median; NAN when there are no values, or no memory. */
double tch_kept_median(const struct tch_kept *kept);

/** How many occasions there are: saves within one hour of the one before are of one occasion. */
size_t tch_baseline_occasions(const struct tch_baseline *b);

/**
 * By how much two occasions differ with nothing changed: the standard deviation of the logarithm of
 * their ratio. From the steps between neighbouring occasions, of which the median is taken: a
 * change of the program in between is one step, and does not count as spread. What is assumed where
 * nothing is known (a quantity's `spread`) weighs as much as two steps.
 */
double tch_baseline_spread(const struct tch_baseline *b, const char *name, double quantile,
                           double assumed);

/** What was measured at some time: a save of a baseline, or a calibration. */
struct tch_level {
    int64_t at;        /**< seconds; -1: not known */
    double log_median; /**< NAN: not of this quantity */
};

/** Writes a level for each save of a baseline, which out has room for, and returns how many. */
size_t tch_baseline_levels(const struct tch_baseline *b, const char *name, double quantile,
                           struct tch_level *out);

/**
 * Does what tch_baseline_spread() does with levels in the order of their times.
 *
 * @param levels     changed; NULL when count is 0 is fine
 * @param occasions  set to how many there are, saves within one hour being one; or NULL
 */
double tch_levels_spread(struct tch_level *levels, size_t count, double assumed, size_t *occasions);

/* tacho.baseline.list.v1: begin, the baselines with the paths of their files, then the end. */
void tch_baseline_list_json_begin(struct tch_buf *b);
void tch_baseline_list_json_add(struct tch_buf *b, const struct tch_baseline *baseline,
                                const char *path);
void tch_baseline_list_json_end(struct tch_buf *b);

#endif
