/*
 * What came out of a sweep: a row a cell with medians, intervals and the ratio to its baseline.
 *
 * Everything is made from the run folders, so that it can be made again.
 */
#ifndef TCH_SWEEP_RESULTS_H
#define TCH_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>
#include <tacho/fingerprint.h>

#include "base/buf.h"
#include "growth_fit.h"
#include "kit/judge/quantity.h"
#include "kit/run/run_summary.h"
#include "kit/stats/ratio.h"
#include "sweep_loop.h"

enum { TCH_OBJECTIVES = 8, TCH_SERIES_MAX = 256 };

/** What was measured, in any cell: "wall_ns", or a metric of the user's. */
struct tch_measure {
    char *name;
    char *title;
    enum tch_unit unit;
};

/** Of one measure in one cell. median is NAN where it was not measured. */
struct tch_cell_value {
    double median;
    double low, high;
    double level;                      /**< 0: low and high are the smallest and the largest */
    struct tch_ratio ratio;            /**< to the baseline; estimate is NAN without one */
    double p;                          /**< of the ratio, adjusted for all cells by Holm */
    struct tch_quantity_series series; /**< round by round; of cells only */
};

enum tch_best {
    TCH_BEST_NO,
    TCH_BEST_MAYBE, /**< not told apart from the best */
    TCH_BEST_YES,   /**< better than every other that may be best; in some objective, where there
                         are several */
};

struct tch_cell_result {
    char name[TCH_CELL_NAME];
    const char *state; /**< "complete", "failed", "partial", "pending" */
    size_t runs;
    char *failure;      /**< first line of failure.txt; NULL: none */
    const char *folder; /**< within the sweep's; "": none */
    char config_hash[TACHO_SHA256_TEXT];
    char fingerprint[TACHO_SHA256_TEXT]; /**< of its run; "": none yet */
    enum tch_best best;
    struct tch_cell_value *value; /**< one per measure */
    size_t value_count;
};

/** What the best cells are chosen by. */
struct tch_objective {
    size_t measure;
    bool more; /**< the larger, the better */
};

/** How the cost grows along one parameter, the others fixed. */
struct tch_growth_series {
    char name[TCH_CELL_NAME]; /**< of the others; "" when there are none */
    size_t first;             /**< its first cell */
    struct tch_fit fit;
};

/** How much of the differences between the cells one parameter makes, or two of them together. */
struct tch_effect {
    tch_params which; /**< one: a main effect; two: their interaction */
    double share;     /**< of the sum of squares of the logarithms of the costs, 0 to 1 */
    double p;         /**< noise alone would make it as large with this probability */
};

struct tch_results {
    const struct tch_sweep *sweep;
    struct tch_measure *measures;
    size_t measure_count;
    struct tch_cell_result *cells; /**< the cells, then the baselines: as the sweep's units */
    size_t failed;
    size_t pending;
    size_t warned; /**< cells and baselines with warnings */

    struct tch_objective objective[TCH_OBJECTIVES];
    size_t objective_count;
    size_t best_left;    /**< cells that are or may be best */
    size_t best_rounds;  /**< with fewer rounds no cell can be told apart from the best */
    tch_params best_per; /**< the best are chosen among cells with the same values of these */

    size_t cost; /**< the measure that figures and fits are of */
    int along;   /**< the parameter that fits are along; -1: none */
    struct tch_growth_series *series;
    size_t series_count;
    struct tch_expect expect; /**< what the user expects; text is NULL without */
    size_t unexpected;        /**< series that grow otherwise */

    struct tch_effect *effects; /**< the largest first; none with one parameter, or cells missing */
    size_t effect_count;
    double noise; /**< squared relative error of a cell's median */
};

/** What the user asks of the results. NULL where nothing was said. */
struct tch_sweep_asked {
    const char *pareto;   /**< measures that the best cells are chosen by: "wall,max:accuracy" */
    const char *best_per; /**< parameters of the workload: "kb", "kb,threads" */
    const char *cost;     /**< the measure of figures and fits */
    const char *along;    /**< the parameter that the cost is fitted to */
    const char *expect;   /**< "n log n", "<= n^2" */
    bool raw; /**< results.csv has names as they are, also those that look like formulas */
};

/** Checks before the first run that the names are known: measures by what the plan measures,
    parameters by its grid. 0 or TACHO_EINVAL. */
int tch_sweep_asked_check(const struct tch_sweep_asked *asked, const struct tch_sweep_plan *plan,
                          tacho_error *err);

/** Reads all run folders. tch_results_release() in any case. */
int tch_results_load(struct tch_results *r, const struct tch_sweep *sweep, tacho_error *err);
void tch_results_release(struct tch_results *r);

/** Finds a measure by its name in run.json or, where none is called so, by that of `tacho compare`:
    "wall" is "wall_ns". -1: there is none. */
int tch_results_measure(const struct tch_results *r, const char *name);

/** Marks the best cells, by the cost where no measures are named.
    0, or TACHO_EINVAL for a measure or a parameter that is not there. */
int tch_results_best(struct tch_results *r, const struct tch_sweep_asked *asked, tacho_error *err);

/** Fits how the cost, wall time by default, grows along the parameter that was named or is the only
    numeric one. 0, or TACHO_EINVAL: names that are not there, or what was asked cannot be said. */
int tch_results_growth(struct tch_results *r, const struct tch_sweep_asked *asked,
                       tacho_error *err);

/** Returns the relative standard error of a median, from its interval, or from the range where
   there were too few runs for one. */
double tch_cell_error(const struct tch_cell_value *v);

/** Finds the effects of the parameters on the cost, after tch_results_growth() has chosen it. */
int tch_results_effects(struct tch_results *r, tacho_error *err);

/** Returns the cost with one value of a parameter by the cost with all of them: a ratio of
   geometric means. */
double tch_effect_ratio(const struct tch_results *r, size_t param, size_t index);

/** Adds "a" or "a x b". */
void tch_effect_name(const struct tch_results *r, const struct tch_effect *e, struct tch_buf *b);

void tch_results_csv(const struct tch_results *r, bool raw, struct tch_buf *b);
void tch_results_json(const struct tch_results *r, struct tch_buf *b);

/** Writes results.csv and sweep.json into the sweep's folder. */
int tch_results_write(const struct tch_results *r, bool raw, tacho_error *err);

#endif
