/*
 * The grid of a sweep: parameters, their values, and the cells that these make.
 *
 * Cells are counted from 0, the last parameter changing fastest. Nothing is stored a cell: its
 * values follow from its number.
 */
#ifndef TCH_SWEEP_GRID_H
#define TCH_SWEEP_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"

enum {
    TCH_GRID_PARAMS = 16,
    TCH_GRID_CELLS = 10000,
    TCH_GRID_NAME = 64, /* bytes of a parameter's name at most, the NUL included */
    TCH_GRID_VALUE = 4096,
    TCH_CELL_NAME = 128,
};

struct tch_param {
    char name[TCH_GRID_NAME];
    char **text; /**< as it goes into the command */
    double *number;
    size_t count;
    bool numeric; /**< every value is a number; else `number` says nothing */
};

struct tch_grid {
    struct tch_param param[TCH_GRID_PARAMS];
    size_t count;
};

/** Some of the parameters: a bit each, the lowest for the first. */
typedef uint32_t tch_params;

void tch_grid_release(struct tch_grid *grid);

/**
 * "lambda=0.3,0.5,0.7": one parameter and its values. A value may hold anything but a comma.
 *
 * @return 0, TACHO_ENOMEM, TACHO_ELIMIT, or TACHO_EINVAL: no name, no value, one given twice
 */
int tch_grid_add(struct tch_grid *grid, const char *spec, tacho_error *err);

/**
 * "n=1:1000:log10": from 1, ten times as much each time, up to 1000. "n=1:9:2" adds 2 each time,
 * "n=1:9" adds 1. From whole numbers to whole numbers all of a logarithmic range are made whole.
 */
int tch_grid_add_range(struct tch_grid *grid, const char *spec, tacho_error *err);

/** The value is borrowed; for values that are there already, as those of a configuration file. */
int tch_grid_add_value(struct tch_grid *grid, const char *name, const char *value,
                       tacho_error *err);

/** All parameters of a grid. */
tch_params tch_grid_all(const struct tch_grid *grid);

/** How many cells there are; 0 without parameters. */
size_t tch_grid_cells(const struct tch_grid *grid);

/** Which of its values a parameter has in a cell. */
size_t tch_grid_index(const struct tch_grid *grid, size_t cell, size_t param);
const char *tch_grid_text(const struct tch_grid *grid, size_t cell, size_t param);

/** By how much a cell's number differs from that of the next value of a parameter. */
size_t tch_grid_step(const struct tch_grid *grid, size_t param);

/** "lambda=0.3_tau=2", fit for a folder, behind `prefix` ("cell": then without it); "cell-0007"
    where that would not be. */
void tch_grid_name(const struct tch_grid *grid, size_t cell, tch_params which, const char *prefix,
                   char name[TCH_CELL_NAME]);

/** {"lambda":0.3,"tau":2}: what is fingerprinted. */
void tch_grid_json(const struct tch_grid *grid, size_t cell, tch_params which, struct tch_buf *b);

/** Which parameters stand as {name} in a text. */
tch_params tch_grid_used(const struct tch_grid *grid, const char *text);

/** The text with {name} replaced by the cell's value, or by "baseline" when the parameter is not
    among `which`; the caller frees it. Other braces stay. NULL without memory. */
char *tch_grid_fill(const struct tch_grid *grid, size_t cell, tch_params which, const char *text);

#endif
