/*
 * Places to the names that a flamegraph shows: what was inlined there, and in which function.
 */
#ifndef TCH_SYMBOL_H
#define TCH_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "kit/flame/frame_names.h"
#include "kit/flame/unwind/code_object.h"
#include "kit/flame/unwind/code_place.h"

struct tch_symbol_options {
    bool no_inline;  /**< functions only, as the linker knows them */
    bool source;     /**< ":file:line" behind each name */
    bool debuginfod; /**< ask servers for debug files that are not here */
};

/** The names of one place, outermost first: numbers in `frames`. */
struct tch_naming {
    uint32_t at;
    uint32_t count;
};

struct tch_symbol_object;

/** All zero but options and names. */
struct tch_symbols {
    struct tch_symbol_options options;
    struct tch_names *names; /**< where the names go; borrowed */
    struct tch_naming *list; /**< by the number of the place */
    size_t count;
    uint32_t *frames;

    size_t cap;
    size_t frame_count;
    size_t frame_cap;
    struct tch_symbol_object **objects; /* by their number */
    size_t object_count;
    size_t object_cap;
    struct tch_buf text;
};

void tch_symbols_init(struct tch_symbols *s, const struct tch_symbol_options *options,
                      struct tch_names *names);
void tch_symbols_release(struct tch_symbols *s);

/** Names the place that comes next, from number 0 on. 0 or TACHO_ENOMEM. */
int tch_symbols_add(struct tch_symbols *s, const struct tch_place *place,
                    const struct tch_object *object, tacho_error *err);

/** Names a place anew, once more is known: the code of a JIT, when its map is written. */
int tch_symbols_again(struct tch_symbols *s, uint32_t id, const struct tch_place *place,
                      const struct tch_object *object, tacho_error *err);

/** Reads what will be needed anyway, while there is time. */
int tch_symbols_prepare_kernel(struct tch_symbols *s, const struct tch_object *kernel,
                               tacho_error *err);

#endif
