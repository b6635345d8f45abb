/* The thread that names places. The caller adds jobs under the lock and signals; the thread
   takes all jobs at once and works without the lock. Only the thread uses w->symbols until it is
   joined. */
#include "symbol_worker.h"

#include <signal.h>

#include "base/array.h"
#include "base/fail.h"
#include "dwarf_child.h"

static void *name_places(void *arg)
{
    struct tch_symbol_worker *w = arg;

    for (;;) {
        struct tch_symbol_job *jobs;
        const struct tch_code_object *kernel;
        size_t count;

        /* Waits for jobs and takes all of them. */
        pthread_mutex_lock(&w->lock);
        w->ready = true;
        pthread_cond_signal(&w->waits);
        while (w->job_count == 0 && !w->kernel && !w->end)
            pthread_cond_wait(&w->more, &w->lock);
        jobs = w->jobs;
        count = w->job_count;
        kernel = w->kernel;
        w->jobs = NULL;
        w->job_count = 0;
        w->job_cap = 0;
        w->kernel = NULL;
        pthread_mutex_unlock(&w->lock);
        if (count == 0 && !kernel)
            return NULL;
        if (kernel && w->status == 0)
            w->status = tch_symbols_prepare_kernel(w->symbols, kernel, &w->error);
        if (w->status == 0)
            w->status = tch_symbols_add(w->symbols, jobs, count, &w->error);
        free(jobs);
    }
}

static void release(struct tch_symbol_worker *w)
{
    pthread_cond_destroy(&w->waits);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
}

int tch_symbol_worker_start(struct tch_symbol_worker *w, struct tch_symbols *symbols,
                            tacho_error *err)
{
    sigset_t all;
    sigset_t before;
    int number;

    *w = (struct tch_symbol_worker){.symbols = symbols};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    pthread_cond_init(&w->waits, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are delivered to the caller's threads */
    number = pthread_create(&w->thread, NULL, name_places, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number != 0) {
        release(w);
        return tch_fail_errno(err, number, "cannot start a thread");
    }
    pthread_mutex_lock(&w->lock);
    while (!w->ready)
        pthread_cond_wait(&w->waits, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return 0;
}

void tch_symbol_worker_kernel(struct tch_symbol_worker *w, const struct tch_code_object *kernel)
{
    pthread_mutex_lock(&w->lock);
    w->kernel = kernel;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
}

int tch_symbol_worker_feed(struct tch_symbol_worker *w, const struct tch_code_places *places,
                           const struct tch_code_objects *objects, tacho_error *err)
{
    size_t fresh = places->count - w->fed;
    bool ok;

    if (fresh == 0)
        return 0;
    pthread_mutex_lock(&w->lock);
    ok = tch_array_reserve(&w->jobs, &w->job_cap, w->job_count + fresh) == 0;
    for (; ok && w->fed < places->count; w->fed++) {
        const struct tch_code_place *place = &places->list[w->fed];

        w->jobs[w->job_count++] = (struct tch_symbol_job){*place, objects->list[place->object]};
    }
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    return ok ? 0 : tch_fail_memory(err);
}

int tch_symbol_worker_finish(struct tch_symbol_worker *w, tacho_error *err)
{
    pthread_mutex_lock(&w->lock);
    w->end = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    release(w);
    free(w->jobs);
    if (w->symbols->dwarf) /* stops the child now, because it would be taken for an orphan of the
                              command */
        tch_dwarf_child_end(w->symbols->dwarf);
    if (w->status < 0 && err)
        *err = w->error;
    return w->status;
}
