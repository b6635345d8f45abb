/*
 * Names places: finds the function at an address and the functions inlined there. symbol_worker.h
 * does this in a thread.
 */
#ifndef TCH_SYMBOL_H
#define TCH_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/intern.h"
#include "kit/symbol/object/code_place.h"
#include "perf_map.h"

/** The name of code that was compiled at run time and has no other name. */
#define TCH_NAME_ANONYMOUS "[anonymous]"

/** The name of the frame of a thread that could run and has no CPU. */
#define TCH_NAME_PREEMPTED "[waiting for a CPU]"

struct tch_symbol_options {
    bool no_inline;  /**< leave out inlined functions */
    bool source;     /**< add ":file:line" to each name */
    bool lines;      /**< find the source line of each name */
    bool debuginfod; /**< ask servers for debug files that are not on this machine */
};

/** The names of one place, outermost first, as a range of `frames`. */
struct tch_naming {
    uint32_t at;
    uint32_t count;
};

/** Where a name is in the source. */
struct tch_symbol_line {
    uint32_t source; /**< 1 + number of the path in `sources`; 0: unknown */
    uint32_t line;
};

struct tch_symbol_object;
struct tch_dwarf_child;

/** The names of all places. All zero except options and names is empty. */
struct tch_symbols {
    struct tch_symbol_options options;
    struct tch_intern *names; /**< table that names are added to; borrowed */
    struct tch_naming *list;  /**< indexed by the number of the place */
    size_t count;
    uint32_t *frames;
    struct tch_symbol_line *lines; /**< of each of the frames; NULL without that option */
    struct tch_intern sources;     /**< paths of source files */
    struct tch_perf_maps perf_maps;
    struct tch_dwarf_child *dwarf; /**< finds inlined functions and lines, and demangles names that
                                      may grow; NULL: it could not be started */

    size_t cap;
    size_t frame_count;
    size_t frame_cap;
    size_t line_cap;
    struct tch_symbol_object **objects; /* indexed by the number of the object */
    size_t object_count;
    size_t object_cap;
    struct tch_buf text;
};

/** Initialises s and forks the child processes. Call it before the process has much memory, and
    before it has events that they would inherit. */
void tch_symbols_init(struct tch_symbols *s, const struct tch_symbol_options *options,
                      struct tch_intern *names);
void tch_symbols_release(struct tch_symbols *s);

/** A place and its object. Objects never move. */
struct tch_symbol_job {
    struct tch_code_place place;
    const struct tch_code_object *object;
};

/** Names the next places; the first call begins with number 0. @return 0 or TACHO_ENOMEM */
int tch_symbols_add(struct tch_symbols *s, const struct tch_symbol_job *jobs, size_t count,
                    tacho_error *err);

/** Adds a warning, terminated by '\0', for each kind of names that could not be used. */
void tch_symbols_explain(const struct tch_symbols *s, struct tch_buf *lines);

/** Names a place again when more is known, such as the code of a JIT after its map was written. */
int tch_symbols_again(struct tch_symbols *s, uint32_t id, const struct tch_code_place *place,
                      const struct tch_code_object *object, tacho_error *err);

/** Reads the kernel's symbols before a place needs them. */
int tch_symbols_prepare_kernel(struct tch_symbols *s, const struct tch_code_object *kernel,
                               tacho_error *err);

#endif
