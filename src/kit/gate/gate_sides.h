/*
 * The two sides of a gate: builds the working tree, and checks out and builds another commit.
 */
#ifndef TCH_GATE_SIDES_H
#define TCH_GATE_SIDES_H

#include "gate_commit.h"
#include "gate_loop.h"
#include "kit/vcs/worktree.h"

/** Where the sides come from. */
struct tch_gate_ask {
    const char *root;        /**< the folder of tacho.yaml, absolute */
    const char *config;      /**< the path of tacho.yaml, whose name the other commit shares */
    const char *out;         /**< folder of the worktree and of the logs */
    const char *against;     /**< commit as git knows it; NULL: there is one side */
    bool exact;              /**< compare with this commit itself, not with the merge base */
    const char *build;       /**< run by sh -c on each side; NULL: there is nothing to build */
    const char *build_shown; /**< the same with secrets masked */
    bool plan_only;          /**< find the other commit; check nothing out and build nothing */
};

/** The other commit, checked out beside ours, and what failed. All 0: nothing was prepared. */
struct tch_gate_sides {
    struct tch_worktree tree;
    char root[PATH_MAX]; /**< folder of tacho.yaml in it, whether or not the file exists */
    struct tch_gate_commit commit;
    struct tch_settings settings;   /**< its own tacho.yaml; empty: it cannot be read */
    bool lacks_own;                 /**< there is nothing to measure: no checkout, or no build */
    bool lacks_other;               /**< the other commit cannot be built: measure our side alone */
    char problem[TCH_GATE_PROBLEM]; /**< what failed; "": nothing did */
};

/**
 * Finds the other commit, if there is one, checks it out, and builds each side. From then on builds
 * and benches of a gate in a git hook cannot use the index of the hook. Stops at the first failure,
 * complains of it to `watch`, and quotes the last lines of a failed build.
 *
 * @return 0, or TACHO_EIO if anything failed; then s->problem says what. Call
 * tch_gate_sides_remove() in any case.
 */
int tch_gate_prepare(struct tch_gate_sides *s, const struct tch_gate_ask *ask,
                     const struct tch_gate_watch *watch);

/**
 * Runs what looks worse than a baseline in pairs with the baseline's commit, and replaces the
 * verdicts of g by those of the pairs, if `confirm` of the settings asks for it; call it after
 * tch_gate_judge(). Complains of what cannot be built or run: the verdicts then remain.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_gate_confirm_commit(struct tch_gate *g, const struct tch_gate_ask *ask,
                            const struct tch_gate_watch *watch);

/** Removes the worktree. Warns `watch` if files of it remain. */
void tch_gate_sides_remove(struct tch_gate_sides *s, const char *root,
                           const struct tch_gate_watch *watch);

#endif
