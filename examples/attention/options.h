/*
 * The options of the command line.
 */
#ifndef EXAMPLE_OPTIONS_H
#define EXAMPLE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct options {
    const char *mode;
    bool gated; /* mode mincut */
    const char *input;
    bool clusters; /* input clusters */
    size_t samples;
    size_t min_len; /* shortest sequence */
    size_t max_len;
    uint64_t steps; /* samples of a sequence */
    bool doubling;  /* min_len, 2 min_len, 4 min_len ... */
    size_t heads;
    size_t dim;
    uint64_t seed;
    float lambda;
    uint64_t tau;
    float eps;
    const char *csv; /* files; NULL: none */
    const char *witness;
    const char *power; /* "auto", "none", or a source of tacho_power_open() */
    bool check;
    bool quiet;
    bool help;
};

/** Parses the options and fills in defaults. Returns 0, or -1 after a message on stderr. */
int options_parse(int argc, char **argv, struct options *ret);

void options_usage(FILE *to);

#endif
