/*
 * Calibrations: what a machine can see of a bench, measured by running it against itself.
 *
 * One file per bench and machine class, DIR/BENCH/MACHINE_CLASS.json, schema tacho.calibration.v1,
 * made to be committed. It keeps the last occasions. Each is sealed: its SHA-256 covers the
 * environment and all numbers, so an occasion that was edited is refused.
 *
 * The gate and compare read it: the newest occasion says which changes are too small to see, and
 * the medians of all of them, with those of a baseline, say how much sessions differ.
 */
#ifndef TCH_CALIBRATION_H
#define TCH_CALIBRATION_H

#include <tacho/fingerprint.h>

#include "baseline.h"
#include "kit/stats/sight.h"

#define TCH_CALIBRATION_SCHEMA "tacho.calibration.v1"
#define TCH_CALIBRATIONS       ".tacho/calibration"
#define TCH_CALIBRATION_POWER  0.9

enum {
    TCH_CALIBRATION_MAX = 16 << 20, /* bytes of a file */
    TCH_CALIBRATION_KEEP = 10,      /* occasions of a file */
    TCH_CALIBRATION_METRICS = 64,   /* of an occasion */
    TCH_CALIBRATION_SIZES = 4,
    TCH_CALIBRATION_LEAST = 10,     /* pairs */
    TCH_CALIBRATION_REPORTS = 2000, /* of the program against itself, drawn from the pairs */
    TCH_CALIBRATION_BLOCK = 20,     /* pairs of each of them */
};

/** 10, 20, 40 and 80 runs. */
extern const size_t tch_calibration_sizes[TCH_CALIBRATION_SIZES];

/** The noise of one metric. Shares: 0.02 is 2 %. */
struct tch_calibrated {
    char name[TCH_QUANTITY_TEXT + 16]; /**< "wall", or "latency:p95" */
    double median;
    double noise; /**< standard deviation of log(b / a) */
    double lag1;  /**< correlation of a run with the one before */
    double drift; /**< the median of the last third of the runs by that of the first, - 1 */
    double session_spread; /**< by which sessions differ, from all occasions known then */
    double sees[TCH_CALIBRATION_SIZES]; /**< the smallest change seen in 9 of 10 gates of so many
                                             runs; NAN: none is */
};

struct tch_calibration_occasion {
    char *id;          /**< of the first run */
    char *at;          /**< "2026-11-15T23:05:11Z" */
    char *commit;      /**< "" when not known */
    char *command;     /**< the line */
    char *environment; /**< JSON, or "null" */
    uint64_t pairs;
    double pair_seconds; /**< from the start of a pair to that of the next */
    double alpha;        /**< chance of a wrong FAIL that the gates have */
    double false_fails;  /**< share of TCH_CALIBRATION_REPORTS */
    uint64_t occasions;  /**< that session_spread comes from, this one included */
    struct tch_calibrated *metrics;
    size_t count;
};

struct tch_calibration {
    char *bench;
    char *machine_class;
    struct tch_calibration_occasion *occasions; /**< oldest first */
    size_t count;
};

void tch_calibration_release(struct tch_calibration *c);
void tch_calibration_occasion_release(struct tch_calibration_occasion *o);

/** c is released by the caller in any case. 0, TACHO_EPARSE, TACHO_ENOMEM. */
int tch_calibration_parse(struct tch_calibration *c, const char *text, size_t len,
                          tacho_error *err);

/** Reads the file of a bench and class; checks that it is theirs. As above; TACHO_EIO with
    system_errno ENOENT where there is none; TACHO_EINVAL when it is of something else. */
int tch_calibration_read(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, tacho_error *err);

/** Writes the document of occasions `from` and later. */
void tch_calibration_format(struct tch_buf *out, const struct tch_calibration *c, size_t from);

/**
 * Adds an occasion to a file, under the lock of its folder, and keeps the last
 * TCH_CALIBRATION_KEEP. Several processes at once lose nothing.
 *
 * @param c         holds what is in the file then; the caller releases it in any case
 * @param o         taken over, also on failure. Its session spreads are set here
 * @param baseline  whose occasions count for the spread of sessions, too; or NULL
 */
int tch_calibration_save(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, struct tch_calibration_occasion *o,
                         const struct tch_baseline *baseline, tacho_error *err);

/** Returns the newest occasion of a command; NULL: there is none. */
const struct tch_calibration_occasion *tch_calibration_latest(const struct tch_calibration *c,
                                                              const char *command);

/** Returns what is known of a metric on an occasion; NULL: nothing. */
const struct tch_calibrated *tch_calibrated_find(const struct tch_calibration_occasion *o,
                                                 const char *name, double quantile);

/**
 * Returns the smallest change of a metric that is seen with so many runs; NAN: not known. Between
 * and beyond the sizes that were calibrated it falls with the square root of the runs.
 */
double tch_calibrated_sees(const struct tch_calibrated *m, uint64_t runs);

/** Returns with how many runs a change is seen; 0: not known, or more than TCH_RUNS_MAX. */
uint64_t tch_calibrated_runs(const struct tch_calibrated *m, double change);

/**
 * Returns by how much two sessions differ, from the occasions of a baseline and those calibrations
 * that are of the same command, in the order of their times: see tch_baseline_spread().
 *
 * @param baseline     or NULL
 * @param calibration  or NULL
 * @param command      of the calibrations that count
 * @param occasions    set to how many are known, saves within one hour being one; or NULL
 */
double tch_sessions_spread(const struct tch_baseline *baseline,
                           const struct tch_calibration *calibration, const char *command,
                           const char *name, double quantile, double assumed, size_t *occasions);

/* --- Measuring (calibration_measure.c) --- */

/** A metric while it is calibrated: with the whole curve. */
struct tch_calibrating {
    struct tch_quantity quantity;
    double quantile; /**< of the values within a run */
    double *first;   /**< of each pair, the run that was made first */
    double *second;
    double *d; /**< log(second / first) */
    size_t pairs;
    struct tch_sight sight[TCH_CALIBRATION_SIZES];
    struct tch_calibrated result;
};

/**
 * Measures one metric of two runs of the same command that were made in turns.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: no such metric, values of 0, too few pairs;
 *         tch_calibrating_release() in any case
 */
int tch_calibrating_init(struct tch_calibrating *m, const struct tch_receipt *a,
                         const struct tch_receipt *b, const char *name, double quantile,
                         double alpha, tacho_error *err);
void tch_calibrating_release(struct tch_calibrating *m);

/** Draws TCH_CALIBRATION_REPORTS reports of all metrics in which nothing changed, and counts those
    with a FAIL. @return 0 or TACHO_ENOMEM */
int tch_calibrating_false_fails(const struct tch_calibrating *metrics, size_t count, double alpha,
                                double *share, tacho_error *err);

/** Makes the occasion of what was measured. @return 0 or TACHO_ENOMEM */
int tch_calibration_occasion_init(struct tch_calibration_occasion *o, const struct tch_receipt *a,
                                  const struct tch_calibrating *metrics, size_t count,
                                  tacho_error *err);

#endif
