/*
 * The report of a sweep: pictures in figs, and report.html with all of them and of the cells.
 */
#ifndef TCH_SWEEP_PAGE_H
#define TCH_SWEEP_PAGE_H

#include "base/buf.h"
#include "kit/sweep/sweep_results.h"

enum { TCH_SWEEP_PAGES = 256 }; /* cells up to which each has a report.html of its own */

/** Writes both into the sweep's folder. */
int tch_sweep_report(const struct tch_results *r, tacho_error *err);

/** The figures: each is added to `page`, and written to figs/ unless `folder` is NULL. */
int tch_sweep_figures(const struct tch_results *r, const char *folder, struct tch_buf *page,
                      tacho_error *err);

/** Is it worth a figure and a column? The cost, peak memory, energy, and what the user defined. */
bool tch_sweep_is_shown(const struct tch_results *r, size_t measure);

/** Which number of a cell a heat map shows. */
enum tch_heat { TCH_HEAT_MEDIAN, TCH_HEAT_RATIO };

/** One heat map: rows and columns are parameters (row -1: one row), the other parameters as in
    cell `first`. */
void tch_heat_map(const struct tch_results *r, size_t measure, enum tch_heat kind, int row,
                  int column, size_t first, const char *title, struct tch_buf *b);

#endif
