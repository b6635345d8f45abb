/*
 * Runs a program below a small process, its keeper, which outlives this process if that is killed,
 * and then kills the program with all its descendants.
 *
 *     struct tch_keeper k;
 *     tch_keep(&k, &spawn, err);
 *     tch_keeper_wait(&k, UINT64_MAX, &end, err);
 *     tch_keeper_close(&k);
 *
 * The keeper is the parent of the program and a subreaper. A descendant that has a session of its
 * own, and whose parent has exited, becomes a child of the keeper, so no descendant can hide.
 *
 *     this process dies    The keeper reads end of file, sends SIGTERM to all descendants, then
 *                          SIGKILL, and exits.
 *     the keeper is killed The kernel kills the program (PR_SET_PDEATHSIG). This process kills the
 *                          orphans if it adopts them (orphans.h).
 *     both are killed      The kernel kills the program. Its descendants survive.
 */
#ifndef TCH_KEEPER_H
#define TCH_KEEPER_H

#include "spawn.h"

struct tch_keeper {
    pid_t keeper; /**< pid of the keeper; 0: there is none, or it has exited */
    pid_t pid;    /**< the program; 0: the keeper is not open */
    int fd;       /**< our end of a socket, readable when the program has exited */
    bool ended;
    bool left;                /* descendants were still running when the program exited */
    struct tch_spawn_end end; /* how the program ended; valid if `ended` is set */
};

/** A keeper that was not opened. */
#define TCH_NO_KEEPER ((struct tch_keeper){.fd = -1})

/** Starts a program as tch_spawn() does, below a keeper. Sets *k also on failure, to
    TCH_NO_KEEPER. */
int tch_keep(struct tch_keeper *k, const struct tch_spawn *s, tacho_error *err);

/**
 * Starts a process below a keeper that calls `child`. That function never returns. To report a
 * failure, it writes a tacho_error to `report`. Closing `report`, also by an exec, means that it
 * has started.
 */
int tch_keep_call(struct tch_keeper *k, void (*child)(const void *ctx, int report), const void *ctx,
                  tacho_error *err);

/** Returns whether the program has exited or the keeper was killed. The program stays a zombie
   until it is waited for. */
bool tch_keeper_ended(const struct tch_keeper *k);

/**
 * Waits at most limit_ns until the program has exited, despite signals.
 *
 * @param limit_ns  UINT64_MAX: no limit
 * @return 1, 0 when it is still running, or a negative code, as when the keeper was killed
 */
int tch_keeper_wait(struct tch_keeper *k, uint64_t limit_ns, struct tch_spawn_end *ret,
                    tacho_error *err);

/**
 * Waits until the program has exited. Once *stop is not 0, kills it and all its descendants:
 * SIGTERM, then SIGKILL.
 *
 * @param stop  may be NULL
 * @return 0 also when it was stopped: the caller checks *stop
 */
int tch_keeper_wait_or_stop(struct tch_keeper *k, const volatile sig_atomic_t *stop,
                            struct tch_spawn_end *ret, tacho_error *err);

/** Kills the program and all its descendants, and closes the keeper. A second call has no
    effect. */
void tch_keeper_stop(struct tch_keeper *k);

/** Closes the keeper. Descendants that are still running continue to run. A second call has no
    effect. */
void tch_keeper_close(struct tch_keeper *k);

/** Closes the keeper at once if the program left no descendant running. Otherwise closes it when
   this process calls exit(), and until then it kills those descendants if this process is killed.
   Only for the main thread. */
void tch_keeper_close_at_exit(struct tch_keeper *k);

#endif
