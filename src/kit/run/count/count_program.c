/*
 * Describes the command for counted runs.
 *
 * Its environment always has the same variables. Each further variable changes the number of
 * instructions by some hundreds, and LD_LIBRARY_PATH alone adds system calls. The variables of
 * --env are added.
 */
#include "count_program.h"

#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fail.h"
#include "kit/run/plan/run_plan.h"
#include "kit/run/preload/allocations_shared.h"

/* The fixed variables. NULL: as in our own environment. Back ends set the last two. */
static const struct {
    const char *name;
    const char *value;
} fixed[] = {
    {"PATH", NULL},
    {"HOME", NULL},
    {"LANG", "C.UTF-8"},
    {"TZ", "UTC"},
    {"TERM", "dumb"},
    {"ASAN_OPTIONS", "verify_asan_link_order=0"}, /* otherwise it refuses preloaded objects */
    {"LD_LIBRARY_PATH", ""},
    {"LD_PRELOAD", ""},
    {TCH_ALLOCATIONS_INTO, ""},
};

enum { FIXED = sizeof fixed / sizeof fixed[0] };

static char *pair_of(const char *name, const char *value)
{
    char *pair;

    return asprintf(&pair, "%s=%s", name, value) < 0 ? NULL : pair;
}

/* Sets "K=V" in a list that has room for it. Returns false if memory runs out. */
static bool set_pair(char **env, const char *pair)
{
    size_t len = strcspn(pair, "=") + 1;
    char *copy = strdup(pair);

    while (*env && strncmp(*env, pair, len) != 0)
        env++;
    free(*env);
    *env = copy;
    return copy != NULL;
}

static int make_env(struct tch_count_target *t, tacho_error *err)
{
    size_t more = 0;

    while (t->plan->env && t->plan->env[more])
        more++;
    t->env = calloc(FIXED + more + 1, sizeof *t->env);
    for (size_t i = 0; t->env && i < FIXED; i++) {
        const char *value = fixed[i].value ? fixed[i].value : getenv(fixed[i].name);

        t->env[i] = pair_of(fixed[i].name, value ? value : "");
        if (!t->env[i])
            return tch_fail_memory(err);
    }
    for (size_t i = 0; t->env && i < more; i++)
        if (!set_pair(t->env, t->plan->env[i]))
            return tch_fail_memory(err);
    return t->env ? 0 : tch_fail_memory(err);
}

static void free_env(char **env)
{
    for (char **pair = env; pair && *pair; pair++)
        free(*pair);
    free(env);
}

char **tch_count_env_with(const struct tch_count_target *t, const char *name, const char *value)
{
    size_t count = 0;
    char **env;
    char *pair = pair_of(name, value);
    bool fine;

    while (t->env[count])
        count++;
    env = calloc(count + 2, sizeof *env);
    fine = env && pair;
    for (size_t i = 0; fine && i < count; i++)
        fine = (env[i] = strdup(t->env[i])) != NULL;
    fine = fine && set_pair(env, pair);
    free(pair);
    if (!fine)
        free_env(env);
    return fine ? env : NULL;
}

int tch_count_target_init(struct tch_count_target *t, const struct tch_run_plan *plan, size_t index,
                          tacho_error *err)
{
    const struct tch_run_command *command = &plan->commands[index];
    char *file = NULL;

    *t = (struct tch_count_target){
        .plan = plan,
        .argv = command->argv,
        .path = command->path ? command->path : command->argv[0],
        .cwd = command->cwd ? command->cwd : plan->cwd,
    };
    if (t->cwd && t->path[0] != '/') {
        if (asprintf(&file, "%s/%s", t->cwd, t->path) < 0)
            file = NULL;
    } else {
        file = strdup(t->path);
    }
    t->file = file;
    return file ? make_env(t, err) : tch_fail_memory(err);
}

void tch_count_target_release(struct tch_count_target *t)
{
    free_env(t->env);
    free((char *)t->file);
}

bool tch_program_gains_rights(const char *file, char why[TCH_COUNT_TEXT])
{
    struct stat st;
    bool id;
    bool capability;

    if (stat(file, &st) < 0)
        return false; /* the run itself will report the error */
    id = ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
         ((st.st_mode & S_ISGID) && st.st_gid != getegid());
    capability = geteuid() != 0 && getxattr(file, "security.capability", NULL, 0) > 0;
    if (id || capability)
        snprintf(why, TCH_COUNT_TEXT,
                 "the program is %s and would lose these rights while it is counted",
                 id ? "set-uid or set-gid" : "given capabilities");
    return id || capability;
}

void tch_count_key(const struct tch_count_backend *backend, const char *source,
                   char key[TCH_COUNT_TEXT])
{
    struct utsname name;
    char cpu[80] = "";

    if (backend->by_cpu)
        tch_cpu_class(cpu, sizeof cpu);
    if (uname(&name) < 0)
        name = (struct utsname){.machine = "unknown"};
    snprintf(key, TCH_COUNT_TEXT, "%.80s%s%s%sglibc %s %s", backend->by_cpu ? source : "",
             backend->by_cpu ? ", " : "", cpu, cpu[0] ? ", " : "", gnu_get_libc_version(),
             name.machine);
}
