/*
 * Finds a process and all its descendants in /proc, signals them and waits for them.
 *
 * The process tree decides who belongs to the family, not a process group: a command in a group of
 * its own could not read from the terminal. A process whose parent has exited is no longer in the
 * tree, unless this process adopts such orphans:
 *
 *     struct tch_orphans orphans;
 *
 *     tch_orphans_adopt(&orphans);                 before the command is started
 *     struct tch_family f = {.orphans = &orphans};
 *     tch_family_find(&f, pid);                    the command, its descendants, and orphans
 *     tch_family_terminate(&f, 0);
 *     tch_orphans_release(&orphans);
 */
#ifndef TCH_PROCESS_FAMILY_H
#define TCH_PROCESS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TCH_FAMILY_GRACE_MS = 2000 }; /**< time to exit after SIGTERM */

struct tch_orphans;

/** A process and its descendants. All zero is empty. */
struct tch_family {
    struct tch_member *list;
    size_t count;
    size_t cap;
    const struct tch_orphans *orphans; /**< orphans that belong to the family, or NULL */
};

/** The orphans that this process adopts. All zero: none. */
struct tch_orphans {
    bool taken;
    bool before;             /**< this process was a subreaper already */
    struct tch_family older; /**< children that this process had already */
};

/** Makes this process adopt orphaned descendants (PR_SET_CHILD_SUBREAPER). It must not start other
    children until the release. Adopts none if it has children already, as after a shell's "job &
    exec ...". */
void tch_orphans_adopt(struct tch_orphans *o);

/** Marks a child started after tch_orphans_adopt() as not an orphan. */
void tch_orphans_except(struct tch_orphans *o, pid_t child);

/** Stops adopting. Orphans that still run get another parent when this process exits. */
void tch_orphans_release(struct tch_orphans *o);

/** Finds the process and its descendants at this moment. Another call adds new ones. Leaves out
    processes that cannot be examined, or for which there is no memory. */
void tch_family_find(struct tch_family *f, pid_t root);

/** Sends a signal to all members that still run. */
void tch_family_signal(const struct tch_family *f, int number, bool with_root);

/** Waits patience_ms for all members to exit by themselves, then sends SIGTERM, then SIGKILL. */
void tch_family_terminate(struct tch_family *f, int patience_ms);

/** Returns the pid of member `at`; member 0 is the root. */
pid_t tch_family_pid(const struct tch_family *f, size_t at);

void tch_family_release(struct tch_family *f);

#endif
