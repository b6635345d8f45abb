/*
 * Charts as SVG, one element each, with axes. The page's script adds tooltips and zooming.
 *
 *     struct tch_plot p = {.b = b, .title = "...", .x1 = 20, .y1 = 3e6, .yu = TCH_NS};
 *     tch_plot_begin(&p);
 *     tch_plot_dots(&p, xs, ys, n);
 *     tch_plot_end(&p);
 *
 * Dots are lines of no length with round ends, so they stay round when the chart is stretched.
 */
#ifndef TCH_PLOT_H
#define TCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "kit/result/result.h"

enum { TCH_PLOT_POINTS = 2000 }; /* points of a line; longer lines are thinned out, keeping peaks */

struct tch_plot {
    struct tch_buf *b;
    const char *title; /**< shown above the chart, and its accessible name */
    const char *x_name;
    const char *y_name;
    bool y_shown; /**< write y_name beside the axis, which must have short numbers */
    double x0, x1, y0, y1;
    enum tch_unit xu, yu;
    double x_first;          /**< first tick, such as 1 for runs; 0: anywhere */
    bool x_log, y_log;       /**< logarithmic axis; its range is above 0 */
    const char *const *keys; /**< names of the lines "a", "b", ..., shown below the data */
    size_t key_count;
    int left; /**< start of the data in pixels; set by tch_plot_begin() */
};

/** Sets the range of y to that of the values, with some margin; from 0 if `zero`. */
void tch_plot_range_y(struct tch_plot *p, const double *values, size_t n, bool zero);

/** Sets the range of x from low to high, with some margin on both sides. */
void tch_plot_range_x(struct tch_plot *p, double low, double high);

void tch_plot_begin(struct tch_plot *p);
void tch_plot_dots(struct tch_plot *p, const double *x, const double *y, size_t n);

/** Adds dots in another colour: "a" to "h", or "ring", which is larger, to go
    below other dots. */
void tch_plot_marks(struct tch_plot *p, const char *kind, const double *x, const double *y,
                    size_t n);

/** Adds a line. A y that is NAN interrupts it. */
void tch_plot_line(struct tch_plot *p, const char *kind, const double *x, const double *y, size_t n,
                   bool area);

/** Adds the steps of a cumulative distribution, from 0 at the left to 1 at the right. share[i] is
    the share of the data up to sorted[i]; NULL: each value counts the same. */
void tch_plot_ecdf(struct tch_plot *p, const char *kind, const double *sorted, const double *share,
                   size_t n);

/** Adds vertical lines from low[i] to high[i]. */
void tch_plot_whiskers(struct tch_plot *p, const char *kind, const double *x, const double *low,
                       const double *high, size_t n);

/** Fills the area between two lines. */
void tch_plot_band(struct tch_plot *p, const double *x, const double *low, const double *high,
                   size_t n);

/** Adds a dashed line for values that are not data, such as a fit. */
void tch_plot_fit(struct tch_plot *p, const char *kind, const double *x, const double *y, size_t n);

/** Adds bars from edge[i] to edge[i + 1]. */
void tch_plot_bars(struct tch_plot *p, const double *edge, const double *height, size_t n);

/** Adds a horizontal line, and a strip between two values. */
void tch_plot_level(struct tch_plot *p, double y);
void tch_plot_strip(struct tch_plot *p, double low, double high);
void tch_plot_end(struct tch_plot *p);

/** Ends the picture but leaves the figure open for text below it. The caller closes the figure. */
void tch_plot_end_picture(struct tch_plot *p);

/** Writes the SVG of the chart that begins at offset `from` of `chart`, as a file of its own. */
void tch_plot_file(const struct tch_buf *chart, size_t from, const char *title, struct tch_buf *b);

#endif
