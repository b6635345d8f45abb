/*
 * What the command line asks for.
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
    size_t min_len; /* of a sequence */
    size_t max_len;
    bool doubling; /* min_len, 2 min_len, 4 min_len ... */
    size_t heads;
    size_t dim;
    uint64_t seed;
    float lambda;
    uint64_t tau;
    float eps;
    const char *csv; /* files; NULL: none */
    const char *witness;
    const char *power; /* "auto", "none", or what tacho_power_open() takes */
    bool check;
    bool quiet;
    bool help;
};

/** 0 and *ret, defaults filled in; or -1 after saying on stderr what is wrong. */
int options_parse(int argc, char **argv, struct options *ret);

void options_usage(FILE *to);

#endif
