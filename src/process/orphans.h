/*
 * Kills descendants whose parents have exited. The kernel makes them children of the next ancestor
 * that is a subreaper (PR_SET_CHILD_SUBREAPER). A process that adopts them can therefore find them,
 * even if they have a session of their own.
 */
#ifndef TCH_ORPHANS_H
#define TCH_ORPHANS_H

#include <sys/types.h>

/** Makes this process adopt orphaned descendants until it exits. Has no effect in a process that
    already has children, as after a shell's "job & exec ...", because their orphans could not be
    distinguished from ours. */
void tch_orphans_adopt(void);

/** Marks a child of this process as not an orphan, until tch_orphans_forget() is called. */
void tch_orphans_except(pid_t child);
void tch_orphans_forget(pid_t child);

/** Kills all adopted orphans and their descendants. Has no effect before tch_orphans_adopt(). */
void tch_orphans_kill(void);

/** Kills and reaps all children of this process and their descendants, except for the child
    `spared` (0: none). For a subreaper of one thread. It is the last step of tch_tree_end(). */
void tch_children_kill(pid_t spared);

#endif
