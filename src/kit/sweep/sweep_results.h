/*
 * The results of a sweep: one row per cell with medians, intervals and the ratio to its baseline.
 *
 * Everything is computed from the run folders, so it can be computed again.
 */
#ifndef TCH_SWEEP_RESULTS_H
#define TCH_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>
#include <tacho/fingerprint.h>

#include "base/buf.h"
#include "growth_fit.h"
#include "kit/result/series.h"
#include "kit/result/summary.h"
#include "kit/stats/ratio.h"
#include "sweep_loop.h"

enum { TCH_OBJECTIVES = 8, TCH_SERIES_MAX = 256 };

/** A quantity that was measured in any cell: "wall_ns", or a metric of the user's. */
struct tch_measure {
    char *name;
    char *title;
    enum tch_unit unit;
};

/** One measure in one cell. median is NAN if it was not measured. */
struct tch_cell_value {
    double median;
    double low, high;
    double level;             /**< 0: low and high are the range of the values */
    struct tch_ratio ratio;   /**< ratio to the baseline; its estimate is NAN without a baseline */
    double p;                 /**< p-value of the ratio, adjusted over all cells (S. Holm, 1979) */
    struct tch_series series; /**< the values by round; cells only */
};

enum tch_best {
    TCH_BEST_NO,
    TCH_BEST_MAYBE, /**< candidate: cannot be distinguished from the best */
    TCH_BEST_YES, /**< better than every other candidate, in some objective if there are several */
};

struct tch_cell_result {
    char name[TCH_CELL_NAME];
    const char *state; /**< "complete", "failed", "partial", "pending" */
    size_t runs;
    char *failure;      /**< first line of failure.txt; NULL: none */
    const char *folder; /**< the newest, relative to the sweep's folder; "": none */
    size_t warnings;
    char config_hash[TACHO_SHA256_TEXT];
    char fingerprint[TACHO_SHA256_TEXT]; /**< fingerprint of its run; "": none yet */
    struct tch_power_origin power;       /**< origin of its energy; status "": not known */
    enum tch_best best;
    struct tch_cell_value *value; /**< one per measure */
    size_t value_count;
};

/** A measure by which the best cells are chosen. */
struct tch_objective {
    size_t measure;
    bool more; /**< larger is better */
};

/** How the cost grows along one parameter while the others are fixed. */
struct tch_growth_series {
    char name[TCH_CELL_NAME]; /**< values of the others; "" if there are none */
    size_t first;             /**< its first cell */
    struct tch_fit fit;
};

/** How much of the differences between cells is due to one parameter, or to two together. */
struct tch_effect {
    tch_params which; /**< one parameter: a main effect; two: their interaction */
    double share;     /**< share of the sum of squares of the logarithms of the costs, 0 to 1 */
    double p;         /**< probability that noise alone makes it as large */
};

struct tch_results {
    const struct tch_sweep *sweep;
    struct tch_measure *measures;
    size_t measure_count;
    struct tch_cell_result *cells; /**< the cells, then the baselines, as in the sweep's units */
    size_t failed;
    size_t pending;
    size_t warned; /**< cells and baselines with warnings */

    struct tch_objective objective[TCH_OBJECTIVES];
    size_t objective_count;
    size_t best_left;    /**< cells that are or may be best */
    size_t best_rounds;  /**< rounds needed to distinguish any cell from the best */
    tch_params best_per; /**< the best are chosen separately for each value of these */

    size_t cost; /**< the measure that is drawn and fitted */
    int along;   /**< the parameter that the cost is fitted to; -1: none */
    struct tch_growth_series *series;
    size_t series_count;
    struct tch_expect expect; /**< expected by the user; text is NULL without */
    size_t unexpected;        /**< series that contradict it */

    struct tch_effect *effects; /**< largest first; none with one parameter or missing cells */
    size_t effect_count;
    double noise; /**< squared relative error of a cell's median */
};

/** Options of the user about the results; NULL where an option was not given. */
struct tch_sweep_asked {
    const char *pareto;   /**< measures by which the best cells are chosen: "wall,max:accuracy" */
    const char *best_per; /**< parameters of the workload: "kb", "kb,threads" */
    const char *cost;     /**< the measure that is drawn and fitted */
    const char *along;    /**< the parameter that the cost is fitted to */
    const char *expect;   /**< "n log n", "<= n^2" */
    bool raw;             /**< do not escape names in results.csv that look like formulas */
};

/** Checks before the first run that the names are known: measures by the plan, parameters by its
    grid. Returns 0 or TACHO_EINVAL. */
int tch_sweep_asked_check(const struct tch_sweep_asked *asked, const struct tch_sweep_plan *plan,
                          tacho_error *err);

/** Reads all run folders. Call tch_results_release() even after a failure. */
int tch_results_load(struct tch_results *r, const struct tch_sweep *sweep, tacho_error *err);
void tch_results_release(struct tch_results *r);

/** Adds "3 cells, 5 of 6 runs, 1 cell failed". A failed cell has fewer runs than planned. */
void tch_results_describe(const struct tch_results *r, struct tch_buf *b);

/** Adds a sentence if not all cells were measured together, because the sweep was extended by
    values. */
void tch_results_describe_parts(const struct tch_results *r, struct tch_buf *b);

/** Finds a measure by its name in run.json or, failing that, by its name in `tacho compare`: "wall"
    is "wall_ns". Returns -1 if there is none. */
int tch_results_measure(const struct tch_results *r, const char *name);

/** Marks the best cells, by the cost if no measures are named. Returns 0, or TACHO_EINVAL for an
    unknown measure or parameter. */
int tch_results_best(struct tch_results *r, const struct tch_sweep_asked *asked, tacho_error *err);

/** Fits how the cost (by default the wall time) grows along the named parameter, or along the only
    numeric one. Returns 0, or TACHO_EINVAL: unknown names, or an expectation that cannot be
    checked. */
int tch_results_growth(struct tch_results *r, const struct tch_sweep_asked *asked,
                       tacho_error *err);

/** Returns the relative standard error of a median: from its interval, or from the range if there
    were too few runs for an interval. */
double tch_cell_error(const struct tch_cell_value *v);

/** Computes the effects of the parameters on the cost that tch_results_growth() has chosen. */
int tch_results_effects(struct tch_results *r, tacho_error *err);

/** Returns the cost with one value of a parameter divided by the cost over all its values, as a
    ratio of geometric means. */
double tch_effect_ratio(const struct tch_results *r, size_t param, size_t index);

/** Adds an effect's name: "a" or "a x b". */
void tch_effect_name(const struct tch_results *r, const struct tch_effect *e, struct tch_buf *b);

void tch_results_csv(const struct tch_results *r, bool raw, struct tch_buf *b);
void tch_results_json(const struct tch_results *r, struct tch_buf *b);

/** Writes results.csv and sweep.json into the sweep's folder. */
int tch_results_write(const struct tch_results *r, bool raw, tacho_error *err);

#endif
