/*
 * Captures with one of tacho's own samplers: samples are unwound and named while the command runs.
 * The samplers differ in the source of the samples; each is a table of functions.
 *
 *     backend_native.c    perf events of the kernel
 *     backend_preload.c   a sampler thread in each process of the command, by a preloaded object
 *     backend_ptrace.c    a process that stops the command's threads
 */
#ifndef TCH_OWN_SAMPLING_H
#define TCH_OWN_SAMPLING_H

#include <poll.h>
#include <sys/resource.h>

#include "backend.h"
#include "kit/flame/sample/collect_records.h"
#include "kit/flame/sample/ring_reader.h"
#include "kit/symbol/symbol_worker.h"

/** The state of one capture. */
struct tch_sampling {
    struct tch_capture *c;
    const struct tch_sampling_ops *ops;
    struct tch_flame_sampler perf; /**< used by the native sampler */
    struct tch_ring_reader ring;   /**< used by the other samplers */
    struct tch_collect collect;
    struct tch_symbols symbols;
    struct tch_symbol_worker worker;
    struct pollfd *polls; /* the rings of perf, then the command, then stop_fd */
    int drain_ms;         /**< time between two drains */
    uint32_t stack_bytes; /**< bytes to copy per stack; 0: none */
    pid_t pid;            /**< process to wait for; 0: there is none, or it has exited */
    int pidfd;
    uint64_t until; /* time when the capture ends, or UINT64_MAX */
    bool stopped;
};

/** A source of samples. */
struct tch_sampling_ops {
    const char *name;

    /** Opens the sampler, initialises n->collect and sets n->drain_ms and n->stack_bytes. */
    int (*open)(struct tch_sampling *n, tacho_error *err);

    /** Starts sampling running processes, or starts the command and sets n->pid. */
    int (*start)(struct tch_sampling *n, tacho_error *err);

    /** Passes the samples that are older than `until` to n->collect. */
    int (*drain)(struct tch_sampling *n, uint64_t until, tacho_error *err);
    void (*stop)(struct tch_sampling *n);

    /** Adds facts and warnings to the result after the last sample. */
    void (*finish)(struct tch_sampling *n);

    /** Sets c->used_ns and c->covered_ns if they can be compared. Called after finish() if the
        command exited by itself. NULL: never. */
    void (*compare)(struct tch_sampling *n, const struct rusage *usage);
    void (*close)(struct tch_sampling *n);
};

/** Captures with the given source of samples. */
int tch_sampling_capture(struct tch_capture *c, const struct tch_sampling_ops *ops,
                         tacho_error *err);

/** Returns whether the request has the flag. */
static inline bool tch_capture_has(const struct tch_capture *c, uint32_t flag)
{
    return (c->request.flags & flag) != 0;
}

/** Starts the command with `env` added to its environment; NULL: with the request's env. */
int tch_sampling_spawn(struct tch_sampling *n, const char *const *env, tacho_error *err);

/** Reads the maps of the request's process and of its descendants. */
int tch_sampling_read_tree(struct tch_sampling *n, tacho_error *err);

#endif
