/*
 * Finds a process and all its descendants in /proc, signals them and ends them.
 *
 * tch_tree_end() is the one way to end processes that may have descendants. It is what a keeper
 * does when it is stopped (keeper.h), what tch_spawn_read() does after a timeout, and what a
 * capture does with its command. Its last step, which kills the children of this process at once,
 * is tch_children_kill() in orphans.h.
 *
 * The parents decide which processes belong to a tree, not a process group: a command in a group of
 * its own could not read from the terminal. A process whose parent has exited has left the tree,
 * unless the command has a keeper, which adopts such orphans, or a group of its own:
 *
 *     struct tch_tree tree = {.keeper = k.keeper};
 *     tch_tree_find(&tree, k.pid);                 the command, its descendants, and orphans
 *     tch_tree_end(&tree, 0, TCH_TREE_GRACE_MS);
 *     tch_tree_release(&tree);
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
    pid_t root;   /* set by tch_tree_find() */
    pid_t keeper; /**< its descendants belong to the tree, but not the keeper itself; 0: none; may
                     be this process */
    pid_t group;  /**< a process group that is killed with the tree; 0: none */
};

/** Finds the process and its descendants at this moment. Another call adds new ones. Leaves out
    processes that cannot be examined, or for which there is no memory.
    @param root  0: only the keeper's descendants */
void tch_tree_find(struct tch_tree *t, pid_t root);

/** Sends a signal to all members that still run. */
void tch_tree_signal(const struct tch_tree *t, int number, bool with_root);

/**
 * Ends all members and the descendants that they start before they exit. Waits patience_ms for them
 * to exit by themselves, then sends SIGTERM, and after grace_ms SIGKILL. Then kills the group.
 *
 * If the keeper is this process, at last kills and reaps all its children, except for the root,
 * whose status is left to the caller.
 *
 * @param grace_ms  0: no SIGTERM
 */
void tch_tree_end(struct tch_tree *t, int patience_ms, int grace_ms);

/** Returns the pid of member `at`. */
pid_t tch_tree_pid(const struct tch_tree *t, size_t at);

void tch_tree_release(struct tch_tree *t);

#endif
