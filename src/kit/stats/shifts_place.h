/*
 * The place and the size of one change of a series, for shifts.c.
 */
#ifndef TCH_SHIFTS_PLACE_H
#define TCH_SHIFTS_PLACE_H

#include "shifts.h"

/**
 * Finds the split of the values from … to - 1 with the least sum of absolute deviations from the
 * medians of its two sides.
 *
 * @param at    set to the first value after the split; unchanged if there are too few values
 * @param first, last  set to the places that the data do not rule out, with 95 % confidence; NULL:
 *              not needed
 * @return 0 or TACHO_ENOMEM
 */
int tch_shift_place(const double *y, size_t from, size_t to, size_t *at, size_t *first,
                    size_t *last);

/** Returns the difference of the medians after and before a split; NAN without memory. */
double tch_shift_change(const double *y, size_t from, size_t at, size_t to);

/** Fills in the medians, the difference and its interval. inflation: of the variance, because
   values depend on each other. Returns 0 or TACHO_ENOMEM. */
int tch_shift_size(const double *y, size_t from, size_t at, size_t to, double inflation,
                   struct tch_shift *ret);

/** Decides whether a line describes the series better than levels between the cuts, by Schwarz's
    criterion with absolute deviations. Returns 0 or TACHO_ENOMEM. */
int tch_shift_drift(const double *y, size_t n, const size_t *cuts, size_t cut_count, bool *drift);

#endif
