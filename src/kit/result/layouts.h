/*
 * Layouts: runs of a program that was linked again for every block of runs (kit/run/run_layout.c).
 */
#ifndef TCH_LAYOUTS_H
#define TCH_LAYOUTS_H

#include <stddef.h>

#include "base/buf.h"
#include "result.h"

/** The spread of runs within a layout, and between layouts: standard deviations of the
    logarithm. */
struct tch_layout_spread {
    size_t layouts; /**< 0: the program was not linked again */
    size_t runs;
    double within;  /**< NAN: not known */
    double between; /**< beyond what `within` explains */
};

void tch_layout_spread(const struct tch_result *r, enum tch_field field,
                       struct tch_layout_spread *ret);

/** Writes the "layouts" of run.json. */
void tch_layout_spread_write(struct tch_buf *b, const struct tch_layout_spread *s);

/** Adds a text such as "30 layouts, 90 runs; wall time differs by 2% within a layout and by 5%
    between layouts". */
void tch_layout_spread_describe(struct tch_buf *b, const struct tch_layout_spread *s);

#endif
