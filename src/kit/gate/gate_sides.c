/* Checks out the other commit as a git worktree, and builds both sides. */
#include "gate_sides.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "kit/vcs/git.h"
#include "process/exit_text.h"
#include "process/keeper.h"
#include "process/spawn.h"

enum { LOG_TAIL = 4096, LOG_LINES = 12 };

/* The arguments of tch_gate_prepare(). */
struct job {
    struct tch_gate_sides *sides;
    const struct tch_gate_ask *ask;
    const struct tch_gate_watch *watch;
};

/* Complains, and keeps the sentence for the report. */
static int fail(const struct job *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int fail(const struct job *j, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(j->sides->problem, sizeof j->sides->problem, fmt, args);
    va_end(args);
    j->watch->complain(j->watch->ctx, NULL, j->sides->problem);
    return TACHO_EIO;
}

/* --- The other commit --- */

static int check_out(const struct job *j)
{
    struct tch_gate_sides *s = j->sides;
    const struct tch_gate_ask *ask = j->ask;
    const struct tch_gate_commit *c = &s->commit;
    char path[PATH_MAX];
    tacho_error err;

    if (tch_gate_commit_find(&s->commit, ask->root, ask->against, ask->exact, s->problem) < 0) {
        j->watch->complain(j->watch->ctx, NULL, s->problem);
        return TACHO_EIO;
    }
    if (ask->plan_only) {
        snprintf(s->root, sizeof s->root, "%s", ask->root);
        return 0;
    }
    if (tch_mkdirs(ask->out, &err) < 0)
        return fail(j, "%.300s", err.message);
    if (tch_worktree_add(&s->tree, ask->root, ask->out, c->hash, j->watch->run.stop, &err) < 0)
        return fail(j, "cannot check %.150s out into '%.150s': %.180s", c->name, ask->out,
                    err.message);
    snprintf(s->root, sizeof s->root, "%.3500s%s%.500s", s->tree.path, c->prefix[0] ? "/" : "",
             c->prefix);
    /* The settings of that commit may be of another version. If they cannot be read, they are
       ignored. */
    snprintf(path, sizeof path, "%.3900s/%.150s", s->root, tch_base_name(ask->config));
    if (tch_settings_read(&s->settings, path, true, NULL) < 0)
        tch_settings_release(&s->settings);
    return 0;
}

/* --- Builds --- */

/* Quotes the last lines of a log, for readers who cannot open it, as in CI. */
static void quote_tail(const char *path, const struct tch_gate_watch *watch)
{
    char text[LOG_TAIL + 1];
    unsigned lines = LOG_LINES;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    ssize_t n = size > 0 ? pread(fd, text, LOG_TAIL, size > LOG_TAIL ? size - LOG_TAIL : 0) : 0;
    size_t from;

    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    n -= text[n - 1] == '\n';
    for (from = (size_t)n; from > 0; from--)
        if (text[from - 1] == '\n' && --lines == 0)
            break;
    for (size_t i = from; i < (size_t)n; i++) /* so that build output cannot control the terminal */
        if (text[i] != '\n' && text[i] != '\t' && tch_utf8_is_control(text[i]))
            text[i] = '?';
    text[n] = '\0';
    watch->quote(watch->ctx, text + from);
}

/* Runs the build in a process group of its own, which is killed with us. */
static int run_build(const struct tch_spawn *spec, const volatile sig_atomic_t *stop,
                     struct tch_spawn_end *end, tacho_error *err)
{
    struct tch_keeper keeper;
    int status = tch_keep(&keeper, spec, err);

    if (status == 0)
        status = tch_keeper_wait_or_stop(&keeper, stop, end, err);
    tch_keeper_close_at_exit(&keeper);
    return status;
}

/* Builds one side, `which`, in a folder, if there is a build command. */
static int build(const struct job *j, const char *folder, const char *which, const char *log_name)
{
    const volatile sig_atomic_t *stop = j->watch->run.stop;
    const struct tch_gate_ask *ask = j->ask;
    const char *argv[] = {"sh", "-c", ask->build, NULL};
    char log[PATH_MAX];
    struct tch_spawn spec = {
        .argv = argv,
        .cwd = folder,
        .io = {{.kind = TCH_IO_NULL},
               {.kind = TCH_IO_WRITE, .path = log},
               {.kind = TCH_IO_APPEND, .path = log}},
        .new_group = true,
    };
    struct tch_spawn_end end = {0};
    char how[TCH_EXIT_TEXT];
    tacho_error err;

    if (!ask->build)
        return 0;
    if (tch_mkdirs(ask->out, &err) < 0)
        return fail(j, "%.300s", err.message);
    j->watch->build(j->watch->ctx, which, ask->build_shown);
    snprintf(log, sizeof log, "%.4000s/%s", ask->out, log_name);
    unlink(log); /* never write through a link */
    if (!*stop && run_build(&spec, stop, &end, &err) < 0)
        return fail(j, "cannot build %.150s: %.200s", which, err.message);
    if (*stop)
        return fail(j, "interrupted while building %.150s", which);
    if (end.status == 0)
        return 0;
    fail(j, "cannot build %.150s: '%.120s' %s; its output is in '%.120s'", which, ask->build_shown,
         tch_exit_text(end.status, "was killed by", "exited with", how), log);
    quote_tail(log, j->watch);
    return TACHO_EIO;
}

int tch_gate_prepare(struct tch_gate_sides *s, const struct tch_gate_ask *ask,
                     const struct tch_gate_watch *watch)
{
    const struct job j = {s, ask, watch};
    int status;

    *s = (struct tch_gate_sides){0};
    tch_git_clear_environment(); /* a build or bench in a git hook must not use the hook's index */
    status = ask->against ? check_out(&j) : 0;
    if (status == 0 && !ask->plan_only)
        status = build(&j, ask->root, "the working tree", "build-now.log");
    s->lacks_own = status < 0;
    if (status == 0 && ask->against && !ask->plan_only) {
        status = build(&j, s->root, s->commit.name, "build-before.log");
        s->lacks_other = status < 0;
    }
    return status;
}

void tch_gate_sides_remove(struct tch_gate_sides *s, const char *root,
                           const struct tch_gate_watch *watch)
{
    char text[PATH_MAX + 100];

    snprintf(text, sizeof text,
             "cannot remove all files of the worktree '%s'; the next gate tries again, or remove "
             "them yourself",
             s->tree.path);
    if (tch_worktree_remove(&s->tree, root) < 0)
        watch->warn(watch->ctx, text);
    tch_settings_release(&s->settings);
}
