/* Starts git with an environment and settings that do not depend on who called us. */
#include "git.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"
#include "process/exit_text.h"
#include "process/keeper.h"
#include "process/spawn.h"

/* The variables that `git rev-parse --local-env-vars` lists in all versions, without the two
   with settings of `git -c`. GIT_NAMESPACE and GIT_QUARANTINE_PATH are set by git when it
   receives a push. GIT_CEILING_DIRECTORIES is not here: it limits the search for a repository, and
   the user set it. */
#define LOCAL_VARIABLES                                                                            \
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR",                 \
        "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", \
        "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",           \
        "GIT_QUARANTINE_PATH", "GIT_REFERENCE_BACKEND", "GIT_REPLACE_REF_BASE",                    \
        "GIT_SHALLOW_FILE", "GIT_WORK_TREE"

/* LC_ALL: messages are the same everywhere. GIT_EXTERNAL_DIFF would start a program of the user. */
#define COMMON_VARIABLES "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EXTERNAL_DIFF"

/* GIT_ALLOW_PROTOCOL: a repository may configure how its missing objects are fetched, by any
   program. An empty list of protocols prevents that in every version of git. An empty GIT_ASKPASS
   also overrides core.askPass and SSH_ASKPASS. */
static const char *const read_env[] = {LOCAL_VARIABLES,
                                       COMMON_VARIABLES,
                                       "GIT_OPTIONAL_LOCKS=0",
                                       "GIT_NO_LAZY_FETCH=1",
                                       "GIT_ALLOW_PROTOCOL=",
                                       "GIT_ASKPASS=",
                                       NULL};

/* A checkout may have to fetch, as of a partial clone or by Git LFS. A GIT_ASKPASS of the user
   stays, because that is how CI systems provide an access token; no other program may ask. */
static const char *const write_env[] = {LOCAL_VARIABLES, COMMON_VARIABLES, NULL};
static const char *const write_env_unasked[] = {LOCAL_VARIABLES, COMMON_VARIABLES,
                                                "GIT_ASKPASS=", NULL};

void tch_git_clear_environment(void)
{
    static const char *const names[] = {LOCAL_VARIABLES, NULL};

    for (const char *const *name = names; *name; name++)
        unsetenv(*name);
}

/* Returns the words of the command line, which the caller frees, or NULL. */
static const char **command_line(const char *const *words)
{
    /* An empty core.fsmonitor means none in all versions; for some of them, "false" is a program.
     */
    static const char *const first[] = {"git", "-c", "core.fsmonitor=", "-c",
                                        "core.hooksPath=/dev/null"};
    enum { FIRST = sizeof first / sizeof first[0] };
    size_t count = 0;
    const char **argv;

    while (words[count])
        count++;
    argv = malloc((FIRST + count + 1) * sizeof *argv);
    if (!argv)
        return NULL;
    memcpy(argv, first, sizeof first);
    memcpy(argv + FIRST, words, (count + 1) * sizeof *argv);
    return argv;
}

int tch_git_read(const struct tch_git *g, const char *const *words, struct tch_buf *out,
                 tacho_error *err)
{
    const char **argv = command_line(words);
    struct tch_spawn spec = {
        .argv = argv,
        .extra_env = read_env,
        .cwd = g->folder,
        .io =
            {[0] = {.kind = TCH_IO_NULL}, [2] = {.kind = g->quiet ? TCH_IO_NULL : TCH_IO_INHERIT}},
    };
    struct tch_spawn_end end = {0};
    int status;

    tch_buf_clear(out);
    status = argv ? tch_spawn_read(&spec, g->timeout_ns, out, &end, err) : tch_fail_memory(err);
    free(argv);
    return status < 0 ? status : tch_exit_code(end.status);
}

int tch_git_write(const struct tch_git *g, const char *const *words,
                  const volatile sig_atomic_t *stop, tacho_error *err)
{
    const char **argv = command_line(words);
    struct tch_io messages = {.kind = g->quiet ? TCH_IO_NULL : TCH_IO_FD, .fd = STDERR_FILENO};
    struct tch_spawn spec = {
        .argv = argv,
        .extra_env = getenv("GIT_ASKPASS") ? write_env : write_env_unasked,
        .cwd = g->folder,
        .io = {{.kind = TCH_IO_NULL}, messages, messages},
        .new_group = true, /* Ctrl-C is for us: we decide what it stops */
    };
    struct tch_spawn_end end = {0};
    struct tch_keeper keeper = TCH_NO_KEEPER;
    int status = argv ? tch_keep(&keeper, &spec, err) : tch_fail_memory(err);

    if (status == 0)
        status = tch_keeper_wait_or_stop(&keeper, stop, &end, err);
    tch_keeper_close_at_exit(&keeper);
    free(argv);
    return status < 0 ? status : tch_exit_code(end.status);
}
