/*
 * Calibrations: the smallest changes of a bench that a machine can see, measured by running it
 * against itself.
 *
 * There is one file per bench and machine class, DIR/BENCH/MACHINE_CLASS.json, schema
 * tacho.calibration.v1, meant to be committed. It keeps the latest occasions. Each is sealed: its
 * SHA-256 covers the environment and all numbers, so an edited occasion is refused.
 *
 * `tacho gate` and `tacho compare` read it. The newest occasion says which changes are too small to
 * see. The medians of all occasions, with those of a baseline, say how much sessions differ.
 */
#ifndef TCH_CALIBRATION_H
#define TCH_CALIBRATION_H

#include <tacho/fingerprint.h>

#include "baseline.h"
#include "kit/stats/sight.h"
#include "verdict_rule.h"

#define TCH_CALIBRATION_SCHEMA "tacho.calibration.v1"
#define TCH_CALIBRATIONS       ".tacho/calibration"
#define TCH_CALIBRATION_POWER  0.9

enum {
    TCH_CALIBRATION_MAX = 16 << 20, /* size limit of a file in bytes */
    TCH_CALIBRATION_KEEP = 10,      /* occasions per file */
    TCH_CALIBRATION_METRICS = 64,   /* metrics per occasion */
    TCH_CALIBRATION_SIZES = 4,
    TCH_CALIBRATION_LEAST = 10, /* minimum number of pairs */
    TCH_CALIBRATION_REPORTS =
        2000,                   /* reports of the program against itself, drawn from the pairs */
    TCH_CALIBRATION_BLOCK = 20, /* pairs of each of these reports */
};

/** The numbers of runs in the table: 10, 20, 40 and 80. */
extern const size_t tch_calibration_sizes[TCH_CALIBRATION_SIZES];

/** The noise of one metric, as shares: 0.02 is 2 %. */
struct tch_calibrated {
    char name[TCH_METRIC_TEXT + 16]; /**< "wall", or "latency:p95" */
    double median;
    double noise; /**< standard deviation of log(b / a) */
    double lag1;  /**< correlation of a run with the one before */
    double
        drift; /**< median of the last third of the runs divided by that of the first third, - 1 */
    double session_spread; /**< how much sessions differ, from all occasions known at that time */
    double sees[TCH_CALIBRATION_SIZES]; /**< smallest change beyond the tolerance that 9 of 10
                                           gates with this many runs see; NAN: they see none */
};

struct tch_calibration_occasion {
    char *id;          /**< id of the first run */
    char *at;          /**< "2026-11-15T23:05:11Z" */
    char *commit;      /**< "" if not known */
    char *command;     /**< the command line */
    char *environment; /**< JSON, or "null" */
    uint64_t pairs;
    double pair_seconds; /**< from the start of a pair to the start of the next */
    double alpha;        /**< probability of a wrong FAIL of the gates */
    double false_fails;  /**< share of TCH_CALIBRATION_REPORTS that FAIL */
    uint64_t occasions;  /**< occasions used for session_spread, including this one */
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

/** Parses a calibration. The caller releases c in any case. Returns 0, TACHO_EPARSE or
    TACHO_ENOMEM. */
int tch_calibration_parse(struct tch_calibration *c, const char *text, size_t len,
                          tacho_error *err);

/** Reads the file of a bench and machine class, as tch_calibration_parse() does. Returns TACHO_EIO
    with system_errno ENOENT if there is no file, TACHO_EINVAL if it belongs to another bench or
    class. */
int tch_calibration_read(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, tacho_error *err);

/** Writes the document of occasion `from` and all later ones. */
void tch_calibration_format(struct tch_buf *out, const struct tch_calibration *c, size_t from);

/**
 * Adds an occasion to a file, under the lock of its folder, and keeps the last
 * TCH_CALIBRATION_KEEP. Several processes may save at once without losing an occasion.
 *
 * @param c         filled with the new contents of the file; the caller releases it in any case
 * @param o         taken over, also on failure; its session spreads are set here
 * @param baseline  its occasions count for the session spread, too; or NULL
 */
int tch_calibration_save(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, struct tch_calibration_occasion *o,
                         const struct tch_baseline *baseline, tacho_error *err);

/** Returns the newest occasion of a command, or NULL. */
const struct tch_calibration_occasion *tch_calibration_latest(const struct tch_calibration *c,
                                                              const char *command);

/** Returns the numbers of a metric on an occasion, or NULL. */
const struct tch_calibrated *tch_calibrated_find(const struct tch_calibration_occasion *o,
                                                 const char *name, double quantile);

/**
 * Returns the smallest change of a metric that `runs` runs see; NAN: not known. Between and beyond
 * the calibrated sizes it falls with the square root of the runs.
 */
double tch_calibrated_sees(const struct tch_calibrated *m, uint64_t runs);

/** Returns how many runs see a change; 0: not known, or more than TCH_RUNS_MAX. */
uint64_t tch_calibrated_runs(const struct tch_calibrated *m, double change);

/** Tolerances of interleaved runs that are smaller than the smallest change that they can see. */
struct tch_unseen {
    size_t count;
    const char *bench; /**< bench of the first such tolerance, borrowed; "": none */
    char title[TCH_METRIC_TEXT];
    double tolerance;
    uint64_t runs;
    double sees;     /**< smallest change that this number of runs can see */
    uint64_t needed; /**< runs that would see the tolerance; 0: too many */
};

enum { TCH_UNSEEN_TEXT = 512 };

/** Counts a tolerance if `runs` runs do not see it according to a calibration, and describes the
    first. */
void tch_unseen_add(struct tch_unseen *u, const struct tch_calibration_occasion *o,
                    const char *bench, const struct tch_metric *q, const struct tch_budget *budget,
                    uint64_t runs);

/** Writes the sentence about the first of them. option: the option that sets the number of runs. */
void tch_unseen_describe(const struct tch_unseen *u, const char *option,
                         char text[TCH_UNSEEN_TEXT]);

/**
 * Returns how much two sessions differ, from the occasions of a baseline and the calibrations of
 * the same command, in the order of their times: see tch_baseline_spread().
 *
 * @param baseline     or NULL
 * @param calibration  or NULL
 * @param command      command of the calibrations that count
 * @param occasions    set to the number of occasions, saves within one hour being one; or NULL
 */
double tch_sessions_spread(const struct tch_baseline *baseline,
                           const struct tch_calibration *calibration, const char *command,
                           const char *name, double quantile, double assumed, size_t *occasions);

/* --- Measuring (calibration_measure.c) --- */

/** A metric during its calibration, with the whole curve. */
struct tch_calibrating {
    struct tch_metric metric;
    double quantile; /**< quantile of the values within a run */
    double *first;   /**< the run of each pair that was made first */
    double *second;
    double *d; /**< log(second / first) */
    size_t pairs;
    struct tch_noise noise;
    struct tch_sight_rule rule[TCH_CALIBRATION_SIZES]; /**< gates of this many runs */
    struct tch_calibrated result;
};

/** How a gate would judge a metric. */
struct tch_calibrating_how {
    double quantile; /**< quantile of the values within a run */
    double alpha;
    const struct tch_budget *budget; /**< NULL: the default */
    size_t metrics;                  /**< number of metrics that the gate judges */
};

/**
 * Measures one metric of two interleaved runs of the same command.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: no such metric, values of 0, too few pairs; call
 * tch_calibrating_release() in any case
 */
int tch_calibrating_init(struct tch_calibrating *m, const struct tch_result *a,
                         const struct tch_result *b, const char *name,
                         const struct tch_calibrating_how *how, tacho_error *err);
void tch_calibrating_release(struct tch_calibrating *m);

/** Draws TCH_CALIBRATION_REPORTS reports of all metrics in which nothing changed, and counts those
    with a FAIL. @return 0 or TACHO_ENOMEM */
int tch_calibrating_false_fails(const struct tch_calibrating *metrics, size_t count, double alpha,
                                double *share, tacho_error *err);

/** Makes an occasion from the measured metrics. @return 0 or TACHO_ENOMEM */
int tch_calibration_occasion_init(struct tch_calibration_occasion *o, const struct tch_result *a,
                                  const struct tch_calibrating *metrics, size_t count,
                                  tacho_error *err);

#endif
