/*
 * Naming places in a thread of its own while the command runs, so that little is left to do when
 * it ends.
 */
#ifndef TCH_SYMBOL_WORKER_H
#define TCH_SYMBOL_WORKER_H

#include <pthread.h>
#include <stdbool.h>

#include "kit/flame/sample/collect_records.h"
#include "symbol.h"

/** A place, and the object it is of, which stays where it is. */
struct tch_symbol_job {
    struct tch_place place;
    const struct tch_object *object;
};

/** Not to be touched between start and finish. */
struct tch_symbol_worker {
    struct tch_symbols *symbols;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t more;
    const struct tch_object *kernel; /* to be read, or NULL */
    struct tch_symbol_job *jobs;     /* from number fed - job_count on */
    size_t job_count;
    size_t job_cap;
    size_t fed; /* places handed over so far */
    bool end;
    int status;
    tacho_error error;
};

/** symbols is the worker's until tch_symbol_worker_finish(), which is called in any case after a
    start that returned 0. */
int tch_symbol_worker_start(struct tch_symbol_worker *w, struct tch_symbols *symbols,
                            tacho_error *err);

/** The kernel's names will be needed. */
void tch_symbol_worker_kernel(struct tch_symbol_worker *w, const struct tch_object *kernel);

/** Hands over the places that are new since the last call. 0 or TACHO_ENOMEM. */
int tch_symbol_worker_feed(struct tch_symbol_worker *w, const struct tch_collect *c,
                           tacho_error *err);

/** Waits until all are named. */
int tch_symbol_worker_finish(struct tch_symbol_worker *w, tacho_error *err);

#endif
