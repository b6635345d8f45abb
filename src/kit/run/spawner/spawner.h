/*
 * A small process that starts commands and waits for them.
 *
 * Until a child calls execve(), the kernel counts the memory of the process that spawned it as the
 * child's own: from a process of 300 MB, `true` "used" 308 MB. Commands are therefore spawned by a
 * process that was forked while tacho was small. The spawner also reads the clock, right around the
 * spawn and wait4(), so what tacho does at the same time does not count.
 *
 * It adopts the orphaned descendants of the commands. When tacho exits or dies, the spawner kills
 * the command and exits.
 */
#ifndef TCH_SPAWNER_H
#define TCH_SPAWNER_H

#include <sys/types.h>

#include "kit/result/result.h"
#include "kit/run/plan/run_plan.h"

/** One run of a command as it was measured: what the kernel and polls report. */
struct tch_run_sample {
    struct tch_result_run run;
    double field[TCH_FIELDS]; /**< NAN: not measured */
};

/** A command and where its files are. */
struct tch_target {
    const struct tch_run_command *command;
    const char *env_hash; /**< values of TACHO_PROFILE_ENV_HASH, _COMMIT_SHA and so on, unless the
                               user set them; NULL or "": not set */
    const char *commit;
    const char *model;
    const char *concurrency;
    const char *runtime_flags; /**< a JSON object */
    const char *folder;        /**< the run folder, absolute, for TACHO_RUN_DIR; NULL: not set */
    int out_fd;                /**< standard output; -1: as the plan says */
    int err_fd;                /**< standard error; -1: as standard output */
    int log_fd; /**< samples.jsonl, when the spawner writes the line of each counted run; -1: the
                     caller does, because it has something to add */
};

struct tch_spawner;

/**
 * Forks the spawner, which uses plan and targets in their current state. Call it early: our memory
 * at this moment is the smallest peak that any command can show.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO (also if an affinity or a folder is refused)
 */
int tch_spawner_open(const struct tch_run_plan *plan, const struct tch_target *targets,
                     struct tch_spawner **ret, tacho_error *err);

/** Stops the spawner and waits for it. Accepts NULL. */
void tch_spawner_close(struct tch_spawner *s);

enum { TCH_JOBS_MAX = 128 };

/** A run of targets[index]: run number `run` of round `pair`. Run number 0 is a warm-up run and
    does not count. */
struct tch_job {
    uint32_t index;
    uint32_t run;
    uint64_t pair;
};

/** Starts up to TCH_JOBS_MAX runs, one after the other, without waiting for us in between. Each is
    in its log before the next starts, so none is lost if we are killed. A failed run is the last
    one unless the plan allows failures. Returns 0 or TACHO_EIO. */
int tch_spawner_begin(struct tch_spawner *s, const struct tch_job *jobs, size_t count,
                      tacho_error *err);

/** Gives the next runs of targets[index] new files for standard output and standard error, in place
    of those of the target. A process that an earlier run left running keeps the old files. -1: no
    new file. Returns 0 or TACHO_EIO. */
int tch_spawner_renew(struct tch_spawner *s, uint32_t index, int out_fd, int err_fd,
                      tacho_error *err);

/**
 * Waits for the next of these runs, at most timeout_ns (UINT64_MAX: no limit). Returns early only
 * after the last one, because waking us between two runs would disturb the second.
 *
 * @return 1 with the sample set; 0 if the run is not complete yet; TACHO_EIO if
 * the program cannot be started, if the run was aborted (system_errno is ECANCELED), or if a signal
 * arrived (EINTR), after which the caller calls again
 */
int tch_spawner_wait(struct tch_spawner *s, uint64_t timeout_ns, struct tch_run_sample *ret,
                     tacho_error *err);

/** Returns the pid of the command that runs now, 0 if there is none. */
pid_t tch_spawner_child(const struct tch_spawner *s);

/** Returns when the current or next run began: CLOCK_MONOTONIC. */
uint64_t tch_spawner_began_ns(const struct tch_spawner *s);

/**
 * Adds the memory that a poll saw to the sample of the command that runs now.
 *
 * @param tree_bytes  memory of its tree; the largest value counts
 * @param peak_bytes  peak of the process itself; 0: not known
 */
void tch_spawner_note_memory(struct tch_spawner *s, pid_t pid, uint64_t tree_bytes,
                             uint64_t peak_bytes);

/** Returns a descriptor that becomes readable when the requested runs are complete. */
int tch_spawner_fd(const struct tch_spawner *s);

/** Sends SIGTERM to the command's process group, SIGKILL after the grace time. No run follows. */
void tch_spawner_abort(struct tch_spawner *s);

/** Does the same, waits until the current run is over, and discards samples that were not waited
    for. */
void tch_spawner_cancel(struct tch_spawner *s);

/** Stops the spawner and returns its own CPU time, without that of the commands. */
uint64_t tch_spawner_cpu_ns(struct tch_spawner *s);

#endif
