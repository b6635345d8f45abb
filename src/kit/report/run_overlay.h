/*
 * Values over time of many runs in one chart: the runs lie over each other, aligned at their start.
 */
#ifndef TCH_RUN_OVERLAY_H
#define TCH_RUN_OVERLAY_H

#include <stddef.h>

#include <tacho/error.h>

enum { TCH_OVERLAY_POINTS = 240 };

/** The values of all runs at some times since their start. */
struct tch_overlay {
    double x[TCH_OVERLAY_POINTS];
    double median[TCH_OVERLAY_POINTS];
    double low[TCH_OVERLAY_POINTS]; /**< lower quartile */
    double high[TCH_OVERLAY_POINTS];
    size_t count; /**< points; the last one is where half of the runs have ended */
    size_t runs;
    size_t highest; /**< index of the first value of the run with the highest peak */
    size_t highest_count;
    double longest; /**< duration of the longest run */
    double peak;
};

/** Returns the number of runs in y, which NAN separates. */
size_t tch_overlay_runs(const double *y, size_t n);

/**
 * Computes the overlay. A run has at each time its last value before it, from its first to its last
 * sample.
 *
 * @param x  times since the start of the run
 * @param y  values; NAN separates the runs
 * @return 0 or TACHO_ENOMEM
 */
int tch_overlay_make(struct tch_overlay *o, const double *x, const double *y, size_t n,
                     tacho_error *err);

#endif
