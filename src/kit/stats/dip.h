/*
 * Dip test: tests whether a distribution has more than one mode.
 *
 * Method: J. A. Hartigan and P. M. Hartigan (1985). The dip is the distance between the values and
 * the nearest distribution with one mode. Assumption: the values are independent.
 */
#ifndef TCH_DIP_H
#define TCH_DIP_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

/**
 * Computes the dip: the largest distance between the distribution of the values and the nearest
 * unimodal one, from 1 / 2n to 1/4.
 *
 * @param sorted   ascending, without NaN; n > 0
 * @param scratch  room for 2 n entries
 */
double tch_dip(const double *sorted, size_t n, size_t *scratch);

/**
 * Tests for more than one mode at the 5 % level. A coarse clock gives tied values, which the test
 * would take for modes. Therefore they are first spread over one step of the clock, with a fixed
 * seed.
 *
 * @param sorted  ascending, without NaN
 * @param ret     set on success only; false for fewer than ten values
 * @return 0 or TACHO_ENOMEM
 */
int tch_dip_test(const double *sorted, size_t n, bool *ret, tacho_error *err);

#endif
