/*
 * A process and all that came of it: found in /proc, told to end, waited for.
 *
 * By the tree, not by a process group: a command in a group of its own could not read from the
 * terminal. What outlives its parent leaves the tree, unless this process takes such orphans over:
 *
 *     struct tch_orphans orphans;
 *
 *     tch_orphans_take(&orphans);                  before the command is started
 *     struct tch_family f = {.orphans = &orphans};
 *     tch_family_find(&f, pid);                    the command, what came of it, and orphans
 *     tch_family_end(&f, 0);
 *     tch_orphans_leave(&orphans);
 */
#ifndef TCH_PROCESS_FAMILY_H
#define TCH_PROCESS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TCH_FAMILY_GRACE_MS = 2000 }; /**< for who is told to end */

struct tch_orphans;

/** All zero is empty. */
struct tch_family {
    struct tch_member *list;
    size_t count;
    size_t cap;
    const struct tch_orphans *orphans; /**< that belong to it; NULL: none do */
};

/** Who comes to this process when its parent ends. All zero: nobody does. */
struct tch_orphans {
    bool taken;
    bool before;             /**< they came to us anyway */
    struct tch_family older; /**< children that we had already */
};

/** From now on orphans come to this process, which is to have no other children of its own. Where
   it has some already, as after a shell's "job & exec ...", nobody comes. */
void tch_orphans_take(struct tch_orphans *o);

/** Those that run go on, and are somebody else's when we end. */
void tch_orphans_leave(struct tch_orphans *o);

/** The process and its descendants, as they are now; again: those that are new, too. What cannot be
   found out, or finds no memory, is left out. */
void tch_family_find(struct tch_family *f, pid_t root);

/** To all that still run; without the root where that has a part to play yet. */
void tch_family_signal(const struct tch_family *f, int number, bool with_root);

/** Lets them end by themselves for that time, then asks them to (SIGTERM), then makes them. */
void tch_family_end(struct tch_family *f, int patience_ms);

/** The number of the at-th; the first is the root. */
pid_t tch_family_pid(const struct tch_family *f, size_t at);

void tch_family_release(struct tch_family *f);

#endif
