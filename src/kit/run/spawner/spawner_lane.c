/* Builds the environment of a command and creates the folders of its runs. */
#include "kit/recorded/recorded.h"
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

enum { ENV_FACTS = 6 };

/* Names of the files for TACHO_ and FERRUM_ variables. They differ, because a program that reads
   FERRUM_ variables writes Chrome JSON and does not write each event at once. */
static const char *const file_names[TCH_SPAWNER_LANE_FILES][2] = {
    {"TACHO_RUN_DIR=", ""},
    {"TACHO_PROFILE_JSONL=", "/profile.jsonl"},
    {"TACHO_TRACE_OUT=", "/trace.tacho"},
    {"FERRUM_PROFILE_JSONL=", "/profile-ferrum.jsonl"},
    {"FERRUM_TRACE_OUT=", "/" TCH_CHROME_PART},
};

/*
 * Before the first run.
 */

/* Returns the value that the user set for TACHO_name or, if that is not set, for FERRUM_name; or
   NULL. */
static const char *value_set(const char *name)
{
    char full[64];
    const char *value;

    snprintf(full, sizeof full, "TACHO_%s", name);
    value = getenv(full);
    snprintf(full, sizeof full, "FERRUM_%s", name);
    return value ? value : getenv(full);
}

/* Adds a variable under its two names, unless the user has set it under that name. */
static int add_fact(struct tch_spawner_lane *lane, size_t *n, const char *name, const char *value)
{
    static const char *const prefixes[] = {"TACHO", "FERRUM"};

    for (int i = 0; i < 2; i++) {
        char full[64];
        char *fact;

        snprintf(full, sizeof full, "%s_%s", prefixes[i], name);
        if (getenv(full))
            continue;
        if (asprintf(&fact, "%s=%s", full, value) < 0)
            return TACHO_ENOMEM;
        lane->env[(*n)++] = fact;
    }
    return 0;
}

/* Adds the variables that describe the run, unless the user set them. A value that the user set
   under one prefix is added under the other, too. */
static int add_facts(struct tch_spawner_lane *lane, size_t n)
{
    const struct tch_target *t = lane->target;
    const char *facts[ENV_FACTS][2] = {{"PROFILE_ENV_HASH", t->env_hash},
                                       {"PROFILE_COMMIT_SHA", t->commit},
                                       {"PROFILE_MODEL", t->model},
                                       {"PROFILE_CONCURRENCY", t->concurrency},
                                       {"PROFILE_RUNTIME_FLAGS_JSON", t->runtime_flags},
                                       {"PROFILE_JSONL", NULL}};
    int status = 0;

    for (int i = 0; i < ENV_FACTS && status == 0; i++) {
        const char *own = value_set(facts[i][0]);
        const char *value = own ? own : facts[i][1];

        if (value && value[0])
            status = add_fact(lane, &n, facts[i][0], value);
    }
    return status;
}

/* The environment is a list of the strings of `environ` and of ours. Ours have room for changes. */
int tch_spawner_lane_init(struct tch_spawner_lane *lane, const struct tch_target *target)
{
    size_t n = 0;

    lane->target = target;
    while (environ[n])
        n++;
    lane->env = calloc(n + TCH_SPAWNER_LANE_FILES + 2 * ENV_FACTS + 1, sizeof *lane->env);
    if (!lane->env)
        return TACHO_ENOMEM;
    n = 0;
    for (char **e = environ; *e; e++)
        if (strncmp(*e, file_names[0][0], strlen(file_names[0][0])) != 0)
            lane->env[n++] = *e;
    for (int i = 0; i < TCH_SPAWNER_LANE_FILES && lane->target->folder; i++) {
        char name[32]; /* name without its prefix */

        snprintf(name, sizeof name, "%s", strchr(file_names[i][0], '_') + 1);
        name[strlen(name) - 1] = '\0';
        if (i > 0 && value_set(name))
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

/* Runs that do not count have a folder of their own, which is removed with its content. The time of
   a folder is set to 1970. It changes when a file is created in the folder. */
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
