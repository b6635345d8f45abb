/*
 * What the spawner and we say to each other. Included by spawner*.c only.
 */
#ifndef TCH_RUN_SPAWNER_TALK_H
#define TCH_RUN_SPAWNER_TALK_H

#include <stdatomic.h>
#include <sys/resource.h>

#include "spawner.h"

/** What both processes see. */
struct tch_spawner_shared {
    _Atomic pid_t child;
    _Atomic uint64_t cpu_ns;
    _Atomic pid_t server; /* its process group, ended with us; 0: none */
};

struct tch_spawner_request {
    size_t count;
    struct tch_job jobs[TCH_JOBS_MAX];
};

struct tch_spawner_reply {
    int code;
    tacho_error err;
    uint64_t start_ns;
    uint64_t wall_ns;
    int status;
    bool timed_out;
    bool left_running;
    struct rusage usage;
    double counters[TCH_FIELDS]; /* NAN: not counted */
};

/** The small process: serves until the socket is closed. */
_Noreturn void tch_spawner_serve(int fd, pid_t parent, struct tch_spawner_shared *shared,
                                 const struct tch_run_plan *plan, const struct tch_target *targets);

#endif
