/*
 * What the spawner and we say to each other. Included by spawner*.c only.
 */
#ifndef TCH_SPAWNER_TALK_H
#define TCH_SPAWNER_TALK_H

#include <stdatomic.h>

#include "spawner.h"

/** What both processes see. */
struct tch_spawner_shared {
    _Atomic pid_t child;
    _Atomic uint64_t began_ns; /* of the child's run */
    _Atomic uint64_t cpu_ns;
    _Atomic pid_t polled_pid; /* the child that the next two are of */
    _Atomic uint64_t polled_tree_bytes;
    _Atomic uint64_t polled_peak_bytes;
    _Atomic pid_t server;  /* its process group, ended with us; 0: none */
    _Atomic uint32_t done; /* runs of the request that have ended, as many of `samples` are set */
    struct tch_run_sample samples[TCH_JOBS_MAX];
};

struct tch_spawner_request {
    size_t count;
    struct tch_job jobs[TCH_JOBS_MAX];
};

/** Once it is ready, then one a request, after its last run. */
struct tch_spawner_reply {
    int code;
    tacho_error err;
};

/** The small process: serves until the socket is closed. */
_Noreturn void tch_spawner_serve(int fd, pid_t parent, struct tch_spawner_shared *shared,
                                 const struct tch_run_plan *plan, const struct tch_target *targets);

#endif
