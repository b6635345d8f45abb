/*
 * Names places in a thread while the command runs, so that little is left to do when the command
 * exits.
 *
 *     tch_symbols_init(&symbols, &options, &names);
 *     tch_symbol_worker_start(&worker, &symbols, &err);
 *     while (running)
 *         tch_symbol_worker_feed(&worker, &places, &objects, &err);
 *     tch_symbol_worker_finish(&worker, &err);
 *     ... symbols.list ...
 *     tch_symbols_release(&symbols);
 */
#ifndef TCH_SYMBOL_WORKER_H
#define TCH_SYMBOL_WORKER_H

#include <pthread.h>

#include "symbol.h"

/** The thread that names places. Use it through the functions only. */
struct tch_symbol_worker {
    struct tch_symbols *symbols;
    pthread_t thread;
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t more;
    pthread_cond_t waits;                 /* `ready` is set */
    bool ready;                           /* the thread waits for its first job */
    const struct tch_code_object *kernel; /* kernel object whose symbols to read, or NULL */
    struct tch_symbol_job *jobs;          /* places from number fed - job_count on */
    size_t job_count;
    size_t job_cap;
    size_t fed; /* number of places passed so far */
    bool end;
    int status;
    tacho_error error;
};

/** Starts the thread, which owns `symbols` until tch_symbol_worker_finish(). Call that function
    after every successful start. Returns when the thread waits for its first job, so the caller may
    fork() before it passes one: the thread holds no lock that the child would need. */
int tch_symbol_worker_start(struct tch_symbol_worker *w, struct tch_symbols *symbols,
                            tacho_error *err);

/** Asks the thread to read the kernel's symbols. Do not fork() afterwards. */
void tch_symbol_worker_kernel(struct tch_symbol_worker *w, const struct tch_code_object *kernel);

/** Passes the places that are new since the last call to the thread. @return 0 or TACHO_ENOMEM */
int tch_symbol_worker_feed(struct tch_symbol_worker *w, const struct tch_code_places *places,
                           const struct tch_code_objects *objects, tacho_error *err);

/** Waits until all places are named and stops the thread. */
int tch_symbol_worker_finish(struct tch_symbol_worker *w, tacho_error *err);

#endif
