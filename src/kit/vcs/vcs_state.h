/*
 * Finds whether files differ from their commit, without starting a program of the repository.
 *
 * The content of a file that has a filter, as for Git LFS, is compared by running that filter, a
 * program that the repository configures. A measurement in a folder of somebody else must not start
 * it. So all filters are switched off, and a file is
 *
 *     unchanged    if its size and times are those that git noted when it last read the file, or
 *                  its bytes are those of the commit
 *     changed      if it has no filter, or was removed, staged, or changed its kind or permissions
 *     not known    if it has a filter and was written since
 *
 * Untracked files do not count, because run folders are such files. Files of submodules count.
 */
#ifndef TCH_VCS_STATE_H
#define TCH_VCS_STATE_H

#include "vcs.h"

/** Returns 1 if a tracked file differs from the current commit, 0 if none does, or -1 if that is
    not known. folder: NULL is the current one. branch: set to the branch, or "" if detached. */
int tch_vcs_state(const char *folder, char branch[TCH_VCS_BRANCH]);

#endif
