/*
 * A list of numbers that grows.
 */
#ifndef TCH_VALUES_H
#define TCH_VALUES_H

#include <stddef.h>

#include <tacho/error.h>

/** Initialise it with zeros. */
struct tch_values {
    double *v;
    size_t n;
    size_t room;
};

/** Appends a number. Returns 0, or TACHO_ENOMEM, also beyond 2^24 numbers. */
int tch_values_add(struct tch_values *values, double value, tacho_error *err);
void tch_values_release(struct tch_values *values);

#endif
