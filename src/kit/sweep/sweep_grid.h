/*
 * The grid of a sweep: the parameters, their values, and the cells that they form.
 *
 * Cells are numbered from 0, and the last parameter changes fastest. Nothing is stored per cell,
 * because a cell's values follow from its number.
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
    TCH_GRID_NAME = 64, /* maximum bytes of a parameter's name, including the NUL */
    TCH_GRID_VALUE = 4096,
    TCH_CELL_NAME = 128,
};

struct tch_param {
    char name[TCH_GRID_NAME];
    char **text; /**< as inserted into the command */
    double *number;
    size_t count;
    bool numeric; /**< every value is a number; otherwise `number` is meaningless */
};

struct tch_grid {
    struct tch_param param[TCH_GRID_PARAMS];
    size_t count;
};

/** A set of parameters: one bit each, the lowest bit for the first. */
typedef uint32_t tch_params;

void tch_grid_release(struct tch_grid *grid);

/**
 * Adds one parameter and its values, such as "lambda=0.3,0.5,0.7". A value may contain anything but
 * a comma.
 *
 * @return 0, TACHO_ENOMEM, TACHO_ELIMIT, or TACHO_EINVAL: no name, no value, or a value given twice
 */
int tch_grid_add(struct tch_grid *grid, const char *spec, tacho_error *err);

/**
 * Adds one parameter with a range of values. "n=1:1000:log10" starts at 1 and multiplies by 10 up
 * to 1000. "n=1:9:2" adds 2 each time, "n=1:9" adds 1. A logarithmic range between whole numbers
 * has whole numbers only.
 */
int tch_grid_add_range(struct tch_grid *grid, const char *spec, tacho_error *err);

/** Adds one value that the caller already has, such as one of a configuration file. The value is
    borrowed. */
int tch_grid_add_value(struct tch_grid *grid, const char *name, const char *value,
                       tacho_error *err);

/** Returns the set of all parameters of a grid. */
tch_params tch_grid_all(const struct tch_grid *grid);

/** Returns the number of cells; 0 without parameters. */
size_t tch_grid_cells(const struct tch_grid *grid);

/** Returns the index of the value that a parameter has in a cell. */
size_t tch_grid_index(const struct tch_grid *grid, size_t cell, size_t param);
const char *tch_grid_text(const struct tch_grid *grid, size_t cell, size_t param);

/** Returns the difference between the numbers of two cells with neighbouring values of a
    parameter. */
size_t tch_grid_step(const struct tch_grid *grid, size_t param);

/** Writes a cell's name, "lambda=0.3_tau=2", which is valid as a folder name. The name begins with
    `prefix`, unless that is "cell". If the values do not make a valid folder name, the name has a
    hash of them: "cell-3f2a1c905be7". */
void tch_grid_name(const struct tch_grid *grid, size_t cell, tch_params which, const char *prefix,
                   char name[TCH_CELL_NAME]);

/** Adds the parameters as JSON, {"lambda":0.3,"tau":2}, which is what gets fingerprinted. */
void tch_grid_json(const struct tch_grid *grid, size_t cell, tch_params which, struct tch_buf *b);

/** Returns the parameters that occur as {name} in a text. */
tch_params tch_grid_used(const struct tch_grid *grid, const char *text);

/** Returns the text with {name} replaced by the cell's value, or by "baseline" if the parameter is
    not in `which`. Other braces are kept. The caller frees the text; NULL without memory. */
char *tch_grid_fill(const struct tch_grid *grid, size_t cell, tch_params which, const char *text);

#endif
