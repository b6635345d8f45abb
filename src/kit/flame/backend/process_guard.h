/*
 * A process that kills the command when this process is killed. We cannot clean up then, and the
 * kernel signals only the command itself (PR_SET_PDEATHSIG), not its descendants.
 *
 *     struct tch_guard guard;
 *     tch_guard_open(&guard);              before the command is started
 *     tch_guard_watch(&guard, pid);
 *     ...
 *     tch_guard_close(&guard);             after it has exited
 */
#ifndef TCH_PROCESS_GUARD_H
#define TCH_PROCESS_GUARD_H

#include <sys/types.h>

struct tch_guard {
    int fd; /* our end of a socket, whose closing wakes the guard; -1: there is no guard */
    pid_t pid;
};

/** A guard that was not opened. */
#define TCH_NO_GUARD ((struct tch_guard){-1, 0})

/** Forks the guard. If that fails, there is no guard. */
void tch_guard_open(struct tch_guard *g);

/** Sets the process to kill, with all its descendants, if this process is killed. */
void tch_guard_watch(const struct tch_guard *g, pid_t root);

/** Dismisses the guard and waits for it. A second call has no effect. */
void tch_guard_close(struct tch_guard *g);

#endif
