/*
 * The report of a sweep: pictures in figs/, and report.html with all of them and all cells.
 */
#ifndef TCH_SWEEP_PAGE_H
#define TCH_SWEEP_PAGE_H

#include "base/buf.h"
#include "kit/sweep/sweep_results.h"

enum { TCH_SWEEP_PAGES = 256 }; /* maximum number of cells that get a report.html each */

/** Writes the pictures and report.html into the sweep's folder. */
int tch_sweep_report(const struct tch_results *r, tacho_error *err);

/** Adds each figure to `page`, and writes it to figs/ unless `folder` is NULL. */
int tch_sweep_figures(const struct tch_results *r, const char *folder, struct tch_buf *page,
                      tacho_error *err);

/** Returns whether a measure gets a figure and a column: the cost, the measures that the best
    are chosen by, peak memory, energy, and the user's metrics do. */
bool tch_sweep_is_shown(const struct tch_results *r, size_t measure);

/** The number of a cell that a heat map shows. */
enum tch_heat { TCH_HEAT_MEDIAN, TCH_HEAT_RATIO };

/** The cells of a heat map. Rows and columns are parameters (row -1: one row); the other parameters
    have the values of cell `first`. */
struct tch_heat_axes {
    int row, column;
    size_t first;
};

void tch_heat_map(const struct tch_results *r, size_t measure, enum tch_heat kind,
                  const struct tch_heat_axes *axes, const char *title, struct tch_buf *b);

/** Returns whether a heat map has a cell that is the best, which is framed. */
bool tch_heat_map_frames(const struct tch_results *r, const struct tch_heat_axes *axes);

#endif
