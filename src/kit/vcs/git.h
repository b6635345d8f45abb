/*
 * Runs git. All git commands of the project are started here.
 *
 * The repository is the one that contains the folder. In a hook, git passes the path of a
 * repository and of an index that is about to be committed in variables (GIT_DIR, GIT_INDEX_FILE).
 * They would apply to every folder, and a checkout elsewhere would overwrite that index, so git is
 * run without them. Settings of the user stay, including those of `git -c` (GIT_CONFIG_PARAMETERS,
 * GIT_CONFIG_COUNT): git itself passes them from one repository to another, and in CI they may
 * contain the safe.directory without which git refuses to work.
 *
 * No hook and no fsmonitor of the repository is started, and git asks nobody for a password.
 */
#ifndef TCH_GIT_H
#define TCH_GIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"

struct tch_git {
    const char *folder;  /**< NULL: the current one */
    uint64_t timeout_ns; /**< 0: no limit */
    bool quiet;          /**< discard git's messages; otherwise they go to standard error */
};

/**
 * Runs a git command that only reads, such as `log`, and sets `out` to its output. It takes no lock
 * and fetches no missing object. It starts no program that the repository configures, unless the
 * command filters files of the working tree, as `status` does: see vcs_state.c.
 *
 * @param words  the command and its arguments, also `-c NAME=VALUE` before it; ends with NULL
 * @return the exit status, which is 128 + the number of a signal; or a negative code, also when
 * git printed more than fits in `out`, which then contains the beginning
 */
int tch_git_read(const struct tch_git *g, const char *const *words, struct tch_buf *out,
                 tacho_error *err);

/**
 * Runs a git command that may change the repository, such as `worktree add`. It starts the
 * repository's filters, as for Git LFS. The command is killed when this process is killed. The
 * timeout does not apply.
 *
 * @param stop  may be NULL; once *stop is not 0, git is stopped
 * @return as tch_git_read()
 */
int tch_git_write(const struct tch_git *g, const char *const *words,
                  const volatile sig_atomic_t *stop, tacho_error *err);

/** Removes the variables that name a repository or an index from our environment, so that programs
    that we start do not use those of a hook. Only for a process with one thread. */
void tch_git_clear_environment(void);

#endif
