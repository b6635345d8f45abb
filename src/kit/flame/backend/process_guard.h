/*
 * A process that kills a command when we are killed. Nothing of ours can run then, and the kernel
 * tells only the command itself (PR_SET_PDEATHSIG), not its descendants.
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
    int fd; /* our end of a socket: the guard sees when it is closed; -1: there is no guard */
    pid_t pid;
};

/** A guard that was not opened. */
#define TCH_NO_GUARD ((struct tch_guard){-1, 0})

/** Forks the guard. Where that fails there is none. */
void tch_guard_open(struct tch_guard *g);

/** Sets the process to kill, with all its descendants, if we are killed. */
void tch_guard_watch(const struct tch_guard *g, pid_t root);

/** Releases the guard and waits for it. Does nothing the second time. */
void tch_guard_close(struct tch_guard *g);

#endif
