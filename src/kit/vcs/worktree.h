/*
 * Checks a commit out into a git worktree that belongs to this process alone.
 *
 *     OUT/.against-0123456789ab        the worktree
 *     OUT/.against-0123456789ab.lock   locked (flock) while its process lives
 *
 * Another process that needs the same commit at the same time gets .against-0123456789ab-2, and so
 * on. The names are not random, because compiler caches depend on the path. A worktree whose lock
 * is free was left by a process that was killed. The next one removes it.
 */
#ifndef TCH_WORKTREE_H
#define TCH_WORKTREE_H

#include <limits.h>
#include <signal.h>

#include <tacho/error.h>

struct tch_worktree {
    char path[PATH_MAX]; /**< absolute; "": there is none */
    int lock;            /* valid if there is a path */
};

/**
 * Checks out a commit. First removes worktrees in `out` that were left by killed processes.
 *
 * @param folder  in the repository
 * @param out     the folder for the worktree, which exists
 * @param commit  all digits of its hash
 * @param stop    may be NULL; once *stop is not 0, git is stopped, and the function fails
 * @return 0 or a negative code. Call tch_worktree_remove() in any case.
 */
int tch_worktree_add(struct tch_worktree *w, const char *folder, const char *out,
                     const char *commit, const volatile sig_atomic_t *stop, tacho_error *err);

/** Removes the worktree, from the disk and from the repository. A second call has no effect.
    Returns 0, or -1 if files of it remain; then the next process tries again. */
int tch_worktree_remove(struct tch_worktree *w, const char *folder);

#endif
