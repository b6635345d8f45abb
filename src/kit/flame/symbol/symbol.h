/*
 * Places in code become the names that a flamegraph shows: the function, and the functions inlined
 * there. A thread of its own names places while the command runs, so that little is left to do
 * when it exits.
 *
 *     tch_symbols_init(&symbols, &options, &stacks.names);
 *     tch_symbol_worker_start(&worker, &symbols, &err);
 *     while (running)
 *         tch_symbol_worker_feed(&worker, &collect, &err);
 *     tch_symbol_worker_finish(&worker, &err);
 *     tch_symbols_stacks(&symbols, &collect, &stacks, &err);
 *     tch_symbols_release(&symbols);
 */
#ifndef TCH_SYMBOL_H
#define TCH_SYMBOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "kit/flame/stacks.h"
#include "kit/flame/unwind/code_object.h"
#include "symbol_table.h"

struct tch_collect;

/** The name of code that was compiled at run time and has none. */
#define TCH_NAME_ANONYMOUS "[anonymous]"

struct tch_symbol_options {
    bool no_inline;  /**< leave out inlined functions */
    bool source;     /**< add ":file:line" to each name */
    bool debuginfod; /**< ask servers for debug files that are not on this machine */
};

/** The names of one place, outermost first: numbers in `frames`. */
struct tch_naming {
    uint32_t at;
    uint32_t count;
};

struct tch_symbol_object;
struct tch_dwarf_child;

/** All zero but options and names. */
struct tch_symbols {
    struct tch_symbol_options options;
    struct tch_intern *names; /**< where the names go; borrowed */
    struct tch_naming *list;  /**< by the number of the place */
    size_t count;
    uint32_t *frames;
    struct tch_perf_maps perf_maps;
    struct tch_dwarf_child *dwarf; /**< for inlined functions, lines, and names that grow; NULL: it
                                      cannot be started */

    size_t cap;
    size_t frame_count;
    size_t frame_cap;
    struct tch_symbol_object **objects; /* by their number */
    size_t object_count;
    size_t object_cap;
    struct tch_buf text;
};

/** Forks, so call it before there is much memory, and before there are events to inherit. */
void tch_symbols_init(struct tch_symbols *s, const struct tch_symbol_options *options,
                      struct tch_intern *names);
void tch_symbols_release(struct tch_symbols *s);

/** A place and its object, which does not move. */
struct tch_symbol_job {
    struct tch_code_place place;
    const struct tch_code_object *object;
};

/** Names the next places, from number 0 on. @return 0 or TACHO_ENOMEM */
int tch_symbols_add(struct tch_symbols *s, const struct tch_symbol_job *jobs, size_t count,
                    tacho_error *err);

/** Adds a line, ended by '\0', for each kind of names that could not be used. */
void tch_symbols_explain(const struct tch_symbols *s, struct tch_buf *lines);

/** Names a place again when more is known: the code of a JIT, once its map is written. */
int tch_symbols_again(struct tch_symbols *s, uint32_t id, const struct tch_code_place *place,
                      const struct tch_code_object *object, tacho_error *err);

/** Reads the kernel's names before the first place asks for them. */
int tch_symbols_prepare_kernel(struct tch_symbols *s, const struct tch_code_object *kernel,
                               tacho_error *err);

/** Adds every stack of c with its names to ret, whose names are those of s. All places are named.
    Counts in the programs of c which code of a JIT has names. */
int tch_symbols_stacks(struct tch_symbols *s, struct tch_collect *c, struct tch_stacks *ret,
                       tacho_error *err);

/** Use the functions only. */
struct tch_symbol_worker {
    struct tch_symbols *symbols;
    pthread_t thread;
    pthread_mutex_t lock; /* of the fields below */
    pthread_cond_t more;
    const struct tch_code_object *kernel; /* whose names are to be read, or NULL */
    struct tch_symbol_job *jobs;          /* from number fed - job_count on */
    size_t job_count;
    size_t job_cap;
    size_t fed; /* places handed over so far */
    bool end;
    int status;
    tacho_error error;
};

/** Starts the thread, which owns symbols until tch_symbol_worker_finish(). Call that in any case
    after a start that returned 0. */
int tch_symbol_worker_start(struct tch_symbol_worker *w, struct tch_symbols *symbols,
                            tacho_error *err);

/** Lets the thread read the kernel's names. */
void tch_symbol_worker_kernel(struct tch_symbol_worker *w, const struct tch_code_object *kernel);

/** Hands over the places that are new since the last call. @return 0 or TACHO_ENOMEM */
int tch_symbol_worker_feed(struct tch_symbol_worker *w, const struct tch_collect *c,
                           tacho_error *err);

/** Waits until all places are named. */
int tch_symbol_worker_finish(struct tch_symbol_worker *w, tacho_error *err);

#endif
