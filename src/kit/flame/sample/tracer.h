/*
 * Samples by ptrace(2), where perf events are forbidden. A separate process, the tracer, starts the
 * command or attaches to a running process. At each tick it stops the threads that ran since the
 * last tick and are running now, copies their registers and stacks into a sample_ring.h, and lets
 * them continue.
 */
#ifndef TCH_TRACER_H
#define TCH_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "process/keeper.h"
#include "sample_ring.h"

struct tch_tracer_options {
    struct tch_ring_head *ring;    /**< shared memory */
    const struct tch_spawn *spawn; /**< the command; NULL: attach to pid */
    pid_t pid;
    bool tree; /**< also attach to the children that it has already */
};

/**
 * Starts the tracer, below a keeper if it starts a command, else as a child of the calling thread.
 * It exits after the command, whose status is then in the ring. Without a command it exits when the
 * ring says stop. It also exits when this process is killed. The calling thread must not exit
 * before the tracer.
 *
 * @param keeper  opened if there is a command
 * @param ret     pid of the tracer
 * @return 0; TACHO_EIO: the command cannot be run; TACHO_EUNSUPPORTED: tracing is not allowed;
 * TACHO_EINVAL: there is no such process; TACHO_ENOMEM
 */
int tch_tracer_start(const struct tch_tracer_options *o, struct tch_keeper *keeper, pid_t *ret,
                     tacho_error *err);

/** Tries to trace a child that does nothing. @return 0 or TACHO_EUNSUPPORTED */
int tch_tracer_probe(tacho_error *err);

/** Explains why a process could not be traced, with advice. `number` is the errno. */
int tch_tracer_refused(pid_t pid, int number, tacho_error *err);

/** PTRACE_O_* options of every traced thread. */
extern const long tch_tracer_flags;

#endif
