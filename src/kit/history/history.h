/*
 * Analyses a series of a store: its points in the order of commits, and where its level changed.
 * This is the face of src/kit/history/ together with commit_order.h.
 */
#ifndef TCH_HISTORY_H
#define TCH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "commit_order.h"
#include "kit/stats/shifts.h"
#include "kit/store/store.h"

#define TCH_HISTORY_SCHEMA "tacho.history.v1"

/** Share of unchanged series in which a shift is found when a whole history is analysed once. */
#define TCH_HISTORY_ALPHA 0.01

/** Smallest ratio of two levels, less 1, that is reported. */
#define TCH_HISTORY_MIN_CHANGE 0.02

struct tch_history_options {
    bool dirty; /**< use runs whose files differed from their commit, too */
};

/** One series, analysed. */
struct tch_history {
    const struct tch_store_series *series;
    struct tch_store_points points; /**< in the order of commits, or of time without a repository */
    size_t off_branch;              /**< points left out: their commit is not on the branch */
    size_t dirty;                   /**< points left out: files differed from the commit */
    bool by_commit;                 /**< the order is that of commits */
    bool ratios;                    /**< shifts are of logarithms: every value is above 0 */
    struct tch_shifts shifts;       /**< indices are those of points */
};

/** Reads and analyses a series. The order and the series are borrowed. Returns 0, or the code of
    what failed. Call tch_history_release() in any case. */
int tch_history_read(struct tch_history *h, struct tch_store *store,
                     const struct tch_store_series *series, const struct tch_commit_order *order,
                     const struct tch_history_options *options, tacho_error *err);
void tch_history_release(struct tch_history *h);

/** Signs that a shift has another cause than the code. */
struct tch_history_cause {
    bool environment;  /**< the environment changed at the same point */
    bool same_program; /**< the program's hash is equal before and after, so it is not the code */
};

struct tch_history_cause tch_history_cause(const struct tch_history *h, const struct tch_shift *s);

/** Returns whether the shift is for the worse: 1 worse, -1 better, 0 not known. */
int tch_history_direction(const struct tch_history *h, const struct tch_shift *s);

/** Adds the size of a shift: "+12.3 % [+11.0 % .. +13.9 %]", or a difference if there are values of
    0. */
void tch_history_add_size(struct tch_buf *b, const struct tch_history *h,
                          const struct tch_shift *s);

/** Adds the commits of a shift: "a1b2c3d..d4e5f6a", or the time of its first point if no commit is
    known. */
void tch_history_add_place(struct tch_buf *b, const struct tch_history *h,
                           const struct tch_shift *s);

/** Writes a series as an element of "series" in tacho.history.v1. points: with all its points. */
void tch_history_write(struct tch_buf *b, const struct tch_history *h,
                       const struct tch_commit_order *order, bool points);

#endif
