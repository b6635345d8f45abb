/*
 * Baselines: values of a bench from earlier occasions, on machines of one class.
 *
 * There is one file per bench and machine class, DIR/BENCH/MACHINE_CLASS.json, schema
 * tacho.baseline.v1. People can read it and are meant to commit it. It keeps the latest occasions.
 * One of them is the reference that later runs are judged against. All of them together say how
 * much occasions differ with nothing changed.
 */
#ifndef TCH_BASELINE_H
#define TCH_BASELINE_H

#include <limits.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_fields.h"
#include "kit/result/series.h"

#define TCH_BASELINE_SCHEMA "tacho.baseline.v1"

enum {
    TCH_BASELINE_MAX = 64 << 20, /* size limit of a file in bytes */
    TCH_BASELINE_VALUES =
        200, /* values kept per metric; if there are more, those of evenly spaced runs */
    TCH_BASELINE_OCCASIONS = 1000,
    TCH_BASELINE_KEPT =
        4096, /* quantities per occasion; one with several values per run counts three times */
    TCH_OCCASION_SECONDS = 20 * 3600, /* saves closer to the first one of an occasion belong to it:
                                         a day, less some hours by which nightly jobs vary */
    TCH_SPREAD_DAYS = 3, /* occasions from which on the session spread counts as measured */
};

/** The values of one quantity on one occasion. */
struct tch_kept {
    char *name; /**< "wall", or "latency:p95" */
    double *value;
    size_t count;
};

struct tch_occasion {
    char *id;          /**< id of the run */
    char *at;          /**< "2026-11-15T23:05:11Z" */
    char *commit;      /**< "" if not known */
    bool dirty;        /**< files differed from the commit */
    char *command;     /**< the command line */
    char *settings;    /**< from tch_result_settings(); NULL: an earlier tacho wrote the file */
    char *environment; /**< JSON; NULL or "null": not known */
    char *counts;      /**< JSON as in run.json; NULL: there are no counts */
    struct tch_kept *kept;
    size_t count;
};

struct tch_baseline {
    char *bench;
    char *machine_class;
    char *reference;                /**< id of the occasion that runs are compared with */
    struct tch_occasion *occasions; /**< oldest first */
    size_t count;
};

/** Members of the file. */
extern const struct tch_json_field tch_baseline_fields[];

/** Writes the path DIR/BENCH/CLASS.json. Returns TACHO_ELIMIT if it is too long. */
int tch_baseline_path(char path[PATH_MAX], const char *dir, const char *bench,
                      const char *machine_class, tacho_error *err);

/** Parses a baseline. The caller releases b in any case. Returns 0, TACHO_EPARSE or
    TACHO_ENOMEM. */
int tch_baseline_parse(struct tch_baseline *b, const char *text, size_t len, tacho_error *err);

/** Reads a baseline from a file, as tch_baseline_parse() does. Returns TACHO_EIO with system_errno
    ENOENT if there is no file. */
int tch_baseline_read(struct tch_baseline *b, const char *path, tacho_error *err);
void tch_baseline_release(struct tch_baseline *b);

void tch_baseline_format(struct tch_buf *out, const struct tch_baseline *b);

/** Replaces the file atomically and makes missing folders. */
int tch_baseline_write(const struct tch_baseline *b, const char *path, tacho_error *err);

/** Checks that a file is the baseline of the bench and machine class that its path names. Returns 0
    or TACHO_EINVAL. */
int tch_baseline_check(const struct tch_baseline *b, const char *bench, const char *machine_class,
                       tacho_error *err);

/** Checks that the reference, if there is one, was measured with this command line, whose secrets
    are masked except the variables in keep_env (may be NULL). Returns 0, TACHO_EINVAL with both
    lines, or TACHO_ENOMEM. */
int tch_baseline_check_command(const struct tch_baseline *b, const char *line,
                               const char *const *keep_env, tacho_error *err);

/**
 * Locks the folder of a baseline, which must exist, until *fd is closed. A process that changes a
 * baseline holds the lock from reading it to writing it. Waits up to a minute for other processes.
 * Creates no lock file.
 *
 * @return 0 or TACHO_EIO
 */
int tch_baseline_lock(const char *path, int *fd, tacho_error *err);

/** How a run is saved. */
struct tch_baseline_save {
    const char *bench;
    const char *machine_class;
    size_t keep;
    bool promote; /**< make the new occasion the reference */
    bool replace; /**< drop the previous contents of the file, which need not be readable */
};

/** Adds a run to the baseline in a file, under its lock. Releases b first and fills it with the new
    contents of the file. Refuses a run of another command than that of the reference, unless it
    replaces the file. Several processes may save at once without losing an occasion. */
int tch_baseline_save(struct tch_baseline *b, const char *path, const struct tch_result *r,
                      const struct tch_baseline_save *how, tacho_error *err);

/** Adds a run as the newest occasion. Drops the oldest occasions beyond `keep`, but never the
    reference. The first occasion becomes the reference. */
int tch_baseline_add(struct tch_baseline *b, const struct tch_result *r, size_t keep,
                     tacho_error *err);

/** Makes an empty baseline. @return 0 or TACHO_ENOMEM */
int tch_baseline_init(struct tch_baseline *b, const char *bench, const char *machine_class,
                      tacho_error *err);

/** Returns the occasion with that id, or NULL. id may be "latest", "reference" or the start of an
    id. */
const struct tch_occasion *tch_baseline_find(const struct tch_baseline *b, const char *id);

/** Makes an occasion the reference. Returns 0 or TACHO_ENOMEM. */
int tch_baseline_promote(struct tch_baseline *b, const struct tch_occasion *occasion,
                         tacho_error *err);

/** Converts "2026-11-15T23:05:11Z" to seconds; -1 if it is not a time. */
int64_t tch_occasion_time(const char *at);

/** Returns the age of an occasion in seconds; below 0 if its time is in the future. */
int64_t tch_occasion_age(const struct tch_occasion *o);

/** Writes the name under which a quantity is kept: "wall", "latency:p95". */
void tch_kept_name(char *out, size_t size, const char *name, double quantile);

/** Returns the values of a quantity on an occasion, or NULL. */
const struct tch_kept *tch_occasion_values(const struct tch_occasion *o, const char *name,
                                           double quantile);

/** Writes the commit for display: its first digits, and "-dirty" if files differed from it. */
void tch_occasion_commit(const struct tch_occasion *o, char *out, size_t size);

/** Returns the median; NAN if there are no values, or no memory. */
double tch_kept_median(const struct tch_kept *kept);

/** Returns how many occasions there are. Saves of one day (TCH_OCCASION_SECONDS) are one. */
size_t tch_baseline_occasions(const struct tch_baseline *b);

/**
 * Returns how much two occasions differ with nothing changed: the standard deviation of the
 * logarithm of their ratio. It comes from the median of the steps between neighbouring occasions,
 * each represented by its first save. A change of the program is a single step, so it does not
 * count as spread. The spread assumed if nothing is known (a quantity's `spread`) weighs as much as
 * two steps. From TCH_SPREAD_DAYS occasions on it never lowers what was seen.
 */
double tch_baseline_spread(const struct tch_baseline *b, const char *name, double quantile,
                           double assumed);

/** The level of a quantity at one time: a save of a baseline, or a calibration. */
struct tch_level {
    int64_t at;        /**< seconds; -1: not known */
    double log_median; /**< NAN: has no values of this quantity */
};

/** Writes one level per save of a baseline to out, which has room for them. Returns how many. */
size_t tch_baseline_levels(const struct tch_baseline *b, const char *name, double quantile,
                           struct tch_level *out);

/**
 * Computes what tch_baseline_spread() does from levels in the order of their times.
 *
 * @param levels     changed; may be NULL if count is 0
 * @param occasions  set to the number of occasions that have a level; or NULL
 */
double tch_levels_spread(struct tch_level *levels, size_t count, double assumed, size_t *occasions);

/* Write tacho.baseline.list.v1: begin, each baseline with the path of its file, end. */
void tch_baseline_list_json_begin(struct tch_buf *b);
void tch_baseline_list_json_add(struct tch_buf *b, const struct tch_baseline *baseline,
                                const char *path);
void tch_baseline_list_json_end(struct tch_buf *b);

#endif
