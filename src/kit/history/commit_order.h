/*
 * The order of the commits of a branch: its first parents, from git.
 */
#ifndef TCH_COMMIT_ORDER_H
#define TCH_COMMIT_ORDER_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/intern.h"

struct tch_commit_order {
    struct tch_intern shas; /**< all commits, newest first; count 0: there is no repository */
    size_t *subjects;       /* offset in `text`, for each commit */
    struct tch_buf text;
};

/**
 * Asks git for the first parents of a branch.
 *
 * @param folder  in the repository; NULL: the working directory
 * @param branch  NULL: that of the working directory, where a repository may be missing
 * @return 0, TACHO_EINVAL if there is no such branch, or the code of what failed. Call
 *         tch_commit_order_release() in any case
 */
int tch_commit_order_read(struct tch_commit_order *o, const char *folder, const char *branch,
                          tacho_error *err);
void tch_commit_order_release(struct tch_commit_order *o);

/** Returns the place of a commit, the oldest at 0, or -1 if it is not on the branch. */
long tch_commit_place(const struct tch_commit_order *o, const char *sha);

/** Returns the subject of a commit; "" if it is not on the branch. Valid until the release. */
const char *tch_commit_subject(const struct tch_commit_order *o, const char *sha);

#endif
