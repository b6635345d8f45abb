/*
 * Finds the git commit that a program was built from, by its folder.
 */
#ifndef TCH_VCS_H
#define TCH_VCS_H

#include "base/clock.h"
#include "base/json_fields.h"

enum { TCH_VCS_HASH = 72, TCH_VCS_BRANCH = 256, TCH_VCS_REMOTE = 1024 };

/** The commit of a folder. Texts are "" if git does not report them. */
struct tch_vcs {
    char sha[TCH_VCS_HASH]; /**< "": not in a repository, or one without a commit */
    char tree[TCH_VCS_HASH];
    char parent[TCH_VCS_HASH]; /**< the first parent */
    char committed_at[TCH_TIME_TEXT];
    char branch[TCH_VCS_BRANCH]; /**< "": detached */
    char remote[TCH_VCS_REMOTE]; /**< URL of origin, without credentials */
    int dirty; /**< 1: tracked files differ from the commit, or those of a submodule
                    from its commit; -1: not known, see vcs_state.h */
};

/** Asks git about a folder; NULL is the current one. Without git or a repository all texts are
    "". */
void tch_vcs_find(struct tch_vcs *vcs, const char *folder);

/** Returns whether a commit is the current one of a folder or an ancestor of it: 1, 0, or -1 if git
    does not know, as in a shallow clone. */
int tch_vcs_is_ancestor(const char *folder, const char *commit);

/** Copies a URL without user, password, query and fragment, because any of them may contain a
    token. */
void tch_vcs_plain_url(char *out, size_t size, const char *url);

/** The members of its JSON object. */
extern const struct tch_json_field tch_vcs_fields[];

#endif
