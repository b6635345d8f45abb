/*
 * The commit that a gate compares with.
 *
 * A branch must not be blamed for what its target did since the branch began. So
 * `--against REF` compares with the merge base of REF and HEAD, unless the tip itself is asked for:
 *
 *     main     A --- B --- C        REF is C, the merge base is B
 *                     \
 *     branch           X            HEAD: X contains what B contains, and nothing of C
 *
 * A CI system may check out a merge of both instead (GitHub: refs/pull/N/merge). Its first parent
 * is the tip of the target at that time, which is then the merge base, too.
 */
#ifndef TCH_GATE_COMMIT_H
#define TCH_GATE_COMMIT_H

#include <limits.h>
#include <stdbool.h>

enum { TCH_GATE_PROBLEM = 700 }; /* longer than a tacho_error can be: it contains commands */

struct tch_gate_commit {
    char hash[64];         /**< all digits; "": there is none */
    char prefix[PATH_MAX]; /**< path of the gate's folder in the repository; "": its top */
    char name[192];        /**< display name: "origin/main (0123456789ab)" */
    char note[400];        /**< how it differs from the tip of REF; "": it is the tip */
};

/**
 * Finds the commit. Changes nothing.
 *
 * @param root     the folder of tacho.yaml
 * @param ref      a commit as git knows it
 * @param exact    take this commit itself, not the merge base
 * @param problem  is set on failure: what failed, and the command that helps
 * @return 0 or TACHO_EIO
 */
int tch_gate_commit_find(struct tch_gate_commit *c, const char *root, const char *ref, bool exact,
                         char problem[TCH_GATE_PROBLEM]);

#endif
