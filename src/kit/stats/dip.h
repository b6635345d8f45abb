/*
 * Has a distribution two modes? The dip test (Hartigan and Hartigan 1985): how far the values are
 * from the nearest distribution with one mode.
 */
#ifndef TCH_DIP_H
#define TCH_DIP_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

/**
 * Computes the dip: the largest distance between the distribution of the values and the unimodal
 * one nearest to it, from 1 / 2n to 1/4.
 *
 * @param sorted   ascending, without NaN; n > 0
 * @param scratch  room for 2 n
 */
double tch_dip(const double *sorted, size_t n, size_t *scratch);

/**
 * Tests for more than one mode at the level 5 %. Values of a coarse clock are tied, which the test
 * would take for modes: they are spread over one step of that clock first, by a fixed seed.
 *
 * @param sorted  ascending, without NaN
 * @param ret     set on success only; false below ten values
 * @return 0 or TACHO_ENOMEM
 */
int tch_dip_test(const double *sorted, size_t n, bool *ret, tacho_error *err);

#endif
