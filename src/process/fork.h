/*
 * A copy of this process that works for it. Programs are started by tch_spawn() or, if they must
 * not outlive this process, by tch_keep().
 */
#ifndef TCH_FORK_H
#define TCH_FORK_H

#include <sys/types.h>

/** Forks a child that the kernel kills when the calling thread exits or this process dies. Returns
    like fork(). */
pid_t tch_fork(void);

/** Gives every signal its default action and blocks none, as a program expects when it starts. An
    ignored SIGHUP stays ignored: nohup is meant for the program, too. */
void tch_reset_signals(void);

#endif
