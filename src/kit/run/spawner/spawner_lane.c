/* The environment of a command, and the folders of its runs. */
#include "spawner_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"

enum { ENV_FACTS = 5 };

static const char *const file_names[TCH_SPAWNER_LANE_FILES][2] = {
    {"TACHO_RUN_DIR=", ""},
    {"TACHO_PROFILE_JSONL=", "/profile.jsonl"},
    {"TACHO_TRACE_OUT=", "/trace.tacho"},
};

/*
 * Before the first run.
 */

/* Has the user set a variable TACHO_..., or the one of the same name that is read in its place? */
static bool is_set(const char *name)
{
    char other[64];

    snprintf(other, sizeof other, "FERRUM_%s", name + strlen("TACHO_"));
    return getenv(name) || getenv(other);
}

/* What programs are told of the run, where the user tells nothing. */
static int add_facts(struct tch_spawner_lane *lane, size_t n)
{
    const struct tch_target *t = lane->target;
    const char *facts[ENV_FACTS][2] = {{"TACHO_PROFILE_ENV_HASH", t->env_hash},
                                       {"TACHO_PROFILE_COMMIT_SHA", t->commit},
                                       {"TACHO_PROFILE_MODEL", t->model},
                                       {"TACHO_PROFILE_CONCURRENCY", t->concurrency},
                                       {"TACHO_PROFILE_RUNTIME_FLAGS_JSON", t->runtime_flags}};

    for (int i = 0; i < ENV_FACTS; i++) {
        char *fact = NULL;

        if (!facts[i][1] || !facts[i][1][0] || is_set(facts[i][0]))
            continue;
        if (asprintf(&fact, "%s=%s", facts[i][0], facts[i][1]) < 0)
            return TACHO_ENOMEM;
        lane->env[n++] = fact;
    }
    return 0;
}

/* The strings of `environ` and those that we add, each with room. */
int tch_spawner_lane_init(struct tch_spawner_lane *lane, const struct tch_target *target)
{
    size_t n = 0;

    lane->target = target;
    while (environ[n])
        n++;
    lane->env = calloc(n + TCH_SPAWNER_LANE_FILES + ENV_FACTS + 1, sizeof *lane->env);
    if (!lane->env)
        return TACHO_ENOMEM;
    n = 0;
    for (char **e = environ; *e; e++)
        if (strncmp(*e, file_names[0][0], strlen(file_names[0][0])) != 0)
            lane->env[n++] = *e;
    for (int i = 0; i < TCH_SPAWNER_LANE_FILES && lane->target->folder; i++) {
        char name[32];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(file_names[i][0], "="), file_names[i][0]);
        if (i > 0 && is_set(name))
            continue;
        lane->file[i] = malloc(TCH_SPAWNER_LANE_PATH + 64);
        if (!lane->file[i])
            return TACHO_ENOMEM;
        lane->env[n++] = lane->file[i];
    }
    return add_facts(lane, n);
}

/*
 * Folders.
 */

static char *put_folder(char *at, const struct tch_spawner_lane *lane, unsigned run)
{
    at = tch_spawner_put_text(tch_spawner_put_text(at, lane->target->folder), "/iter/");
    return tch_spawner_put_number(at, run, 4);
}

static void remove_folder(const struct tch_spawner_lane *lane)
{
    syscall(SYS_unlinkat, AT_FDCWD, lane->folder, AT_REMOVEDIR);
}

/* That of runs that do not count is removed with all that is in it: kept apart. Its time is set to
   1970: it is another once a name has come into it. */
int tch_spawner_lane_enter(struct tch_spawner_lane *lane, unsigned run)
{
    static const struct timespec long_ago[2];

    if (lane->empty && (lane->number == 0) == (run == 0))
        return 0;
    if (lane->empty)
        remove_folder(lane);
    lane->empty = false;
    put_folder(lane->folder, lane, run);
    lane->number = run;
    for (int i = 0; i < TCH_SPAWNER_LANE_FILES; i++)
        if (lane->file[i])
            tch_spawner_put_text(
                tch_spawner_put_text(tch_spawner_put_text(lane->file[i], file_names[i][0]),
                                     lane->folder),
                file_names[i][1]);
    if (syscall(SYS_mkdirat, AT_FDCWD, lane->folder, 0777) < 0 && errno != EEXIST)
        return -1;
    return (int)syscall(SYS_utimensat, AT_FDCWD, lane->folder, long_ago, 0);
}

void tch_spawner_lane_leave(struct tch_spawner_lane *lane, unsigned run)
{
    static char mine[TCH_SPAWNER_LANE_PATH];
    struct statx st;

    lane->empty = syscall(SYS_statx, AT_FDCWD, lane->folder, 0, STATX_MTIME, &st) == 0 &&
                  st.stx_mtime.tv_sec == 0 && st.stx_mtime.tv_nsec == 0;
    if (lane->empty || lane->number == run)
        return;
    put_folder(mine, lane, run);
    syscall(SYS_renameat2, AT_FDCWD, lane->folder, AT_FDCWD, mine, 0);
}

void tch_spawner_lane_close(const struct tch_spawner_lane *lane)
{
    if (lane->empty)
        remove_folder(lane);
}
