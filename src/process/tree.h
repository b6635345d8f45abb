/*
 * Finds a process and all its descendants in /proc, signals them and waits for them.
 *
 * The process tree decides which processes belong to the tree, not a process group: a command in
 * a group of its own could not read from the terminal. A process whose parent has exited has
 * left the tree, unless the command has a keeper (keeper.h), which adopts such orphans:
 *
 *     struct tch_tree f = {.keeper = k.keeper};
 *     tch_tree_find(&f, k.pid);                  the command, its descendants, and orphans
 *     tch_tree_end(&f, 0);
 *     tch_tree_release(&f);
 */
#ifndef TCH_TREE_H
#define TCH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TCH_TREE_GRACE_MS = 2000 }; /**< time to exit after SIGTERM */

/** A process and its descendants. All zero is empty. */
struct tch_tree {
    struct tch_member *list;
    size_t count;
    size_t cap;
    pid_t keeper; /**< its descendants belong to the tree, but not the keeper itself; 0: none */
};

/** Finds the process and its descendants at this moment. Another call adds new ones. Leaves out
    processes that cannot be examined, or for which there is no memory. */
void tch_tree_find(struct tch_tree *f, pid_t root);

/** Sends a signal to all members that still run. */
void tch_tree_signal(const struct tch_tree *f, int number, bool with_root);

/** Waits patience_ms for all members to exit by themselves, then sends SIGTERM, then SIGKILL. */
void tch_tree_end(struct tch_tree *f, int patience_ms);

/** Returns the pid of member `at`; member 0 is the root. */
pid_t tch_tree_pid(const struct tch_tree *f, size_t at);

void tch_tree_release(struct tch_tree *f);

#endif
