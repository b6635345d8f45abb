/*
 * A small process whose only work is to start commands and to wait for them.
 *
 * The kernel counts the memory of the process that spawns as the child's own until the child has
 * its program: from a process of 300 MB, `true` "used" 308 MB. So commands are spawned from here,
 * a fork made while we were small, and stay honest however large we grow. The clock is read here,
 * too, right around the spawn and wait4(): what we do meanwhile plays no part.
 *
 * It adopts what the commands leave behind, and ends, after ending the command, when we do.
 */
#ifndef TCH_SPAWNER_H
#define TCH_SPAWNER_H

#include <sys/types.h>

#include "kit/run/run_plan.h"
#include "kit/run/run_sample.h"

/** A command and where its files are. */
struct tch_target {
    const struct tch_run_command *command;
    const char *env_hash; /**< what TACHO_PROFILE_ENV_HASH, _COMMIT_SHA and so on say, when the
                               user does not; NULL or "": nothing */
    const char *commit;
    const char *model;
    const char *concurrency;
    const char *runtime_flags; /**< a JSON object */
    const char *folder;        /**< the run folder, absolute; NULL: the program is told of none */
    int out_fd;                /**< standard output; -1: as the plan says */
    int err_fd;                /**< standard error; -1: as standard output */
    int log_fd; /**< samples.jsonl, when the spawner writes the line of each counted run; -1: the
                     caller does, because it has something to add */
};

struct tch_spawner;

/**
 * Forks. plan and targets are used by the new process as they are now. Call it early: our memory
 * at this moment is what every command seems to use at least.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO (also when an affinity or a folder is refused)
 */
int tch_spawner_open(const struct tch_run_plan *plan, const struct tch_target *targets,
                     struct tch_spawner **ret, tacho_error *err);

/** Ends it and waits for it; accepts NULL. */
void tch_spawner_close(struct tch_spawner *s);

enum { TCH_JOBS_MAX = 128 };

/** A run of targets[index], which goes by number `run` of round `pair` (0: it does not count). */
struct tch_job {
    uint32_t index;
    uint32_t run;
    uint64_t pair;
};

/** Begins so many runs, one after the other, at most TCH_JOBS_MAX. They go on by themselves, so
    that nobody waits for us between two, and each is in its log before the next begins: should we
    be killed, none is lost. After one that failed they do not go on, unless the plan allows it.
    0 or TACHO_EIO. */
int tch_spawner_begin(struct tch_spawner *s, const struct tch_job *jobs, size_t count,
                      tacho_error *err);

/**
 * The next of them that has ended. Waits for it at most timeout_ns (UINT64_MAX: for ever); woken
 * early only when it was the last, as waking us between two would disturb the second.
 *
 * @return 1 with the sample set, but for its metrics; 0 when it has not ended yet; TACHO_EIO when
 *         the program cannot be started, when it was aborted (system_errno ECANCELED), or when a
 *         signal came (EINTR): then call again
 */
int tch_spawner_wait(struct tch_spawner *s, uint64_t timeout_ns, struct tch_run_sample *ret,
                     tacho_error *err);

/** The process that runs now, 0 when there is none. */
pid_t tch_spawner_child(const struct tch_spawner *s);

/** When the run that goes on, or is about to, began: CLOCK_MONOTONIC. */
uint64_t tch_spawner_began_ns(const struct tch_spawner *s);

/**
 * Adds to the sample of the process that runs now what a poll saw of its memory.
 *
 * @param tree_bytes  of its tree; the largest counts
 * @param peak_bytes  of the process itself; 0: not known
 */
void tch_spawner_note_memory(struct tch_spawner *s, pid_t pid, uint64_t tree_bytes,
                             uint64_t peak_bytes);

/** Readable when the runs asked for have ended: for who waits for other things, too. */
int tch_spawner_fd(const struct tch_spawner *s);

/** A process group that is to be ended should we be killed; 0: none any more. */
void tch_spawner_guard(struct tch_spawner *s, pid_t group);

/** TERM to the command's process group now, KILL after the grace time; nothing is run any more. */
void tch_spawner_abort(struct tch_spawner *s);

/** As that, and waits until what was begun has ended; what is not taken yet is left. */
void tch_spawner_cancel(struct tch_spawner *s);

/** CPU time that it has used itself, commands not counted; known once it is closed: so it closes
    it. */
uint64_t tch_spawner_cpu_ns(struct tch_spawner *s);

#endif
