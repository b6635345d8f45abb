/* The other commit, as a git worktree beside ours, and the builds of both. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/spawn.h"
#include "cli/core/stop.h"
#include "cmd_gate_parts.h"

enum { GIT_TEXT = 1 << 16, LOG_TAIL = 4096, LOG_LINES = 12 };

#define GIT_NS 120000000000u

/* What git prints, without the line feed; -1 after a complaint. */
static int git(const char *root, const char *const *words, char *out, size_t size)
{
    const char *argv[16] = {"git", "-C", root};
    struct tch_spawn spec = {.argv = argv};
    struct tch_spawn_end end = {0};
    struct tch_buf b;
    tacho_error err;
    int status;
    size_t n = 3;

    while (*words && n < 15)
        argv[n++] = *words++;
    tch_buf_init(&b, GIT_TEXT);
    status = tch_spawn_read(&spec, GIT_NS, &b, &end, &err);
    if (status < 0)
        cli_complain(&err, "cannot run git");
    else if (end.status != 0)
        status = -1; /* it has said why */
    if (status == 0 && out)
        snprintf(out, size, "%.*s", (int)strcspn(b.data, "\n"), b.data);
    tch_buf_release(&b);
    return status;
}

static int make_tree(struct against *a, const struct gate_options *o)
{
    char out[PATH_MAX];
    char ref[512];
    char prefix[PATH_MAX];
    char tree[PATH_MAX];
    tacho_error err;

    snprintf(ref, sizeof ref, "%s^{commit}", o->against);
    if (git(o->root, (const char *[]){"rev-parse", "--verify", "--quiet", ref, NULL}, a->commit,
            sizeof a->commit) < 0) {
        cli_complain(NULL,
                     "'%s' is no commit of the git repository in '%s'; in CI fetch it first: "
                     "git fetch origin %s",
                     o->against, o->root, o->against);
        return EXIT_WORK;
    }
    if (git(o->root, (const char *[]){"rev-parse", "--show-prefix", NULL}, prefix, sizeof prefix) <
        0)
        return EXIT_WORK;
    if (tch_mkdirs(o->out, &err) < 0 || !realpath(o->out, out)) {
        cli_complain(NULL, "cannot make the folder '%s'", o->out);
        return EXIT_WORK;
    }
    if (snprintf(tree, sizeof tree, "%.3000s/.against-%.12s", out, a->commit) >= PATH_MAX)
        return EXIT_WORK;
    if (access(tree, F_OK) == 0) /* left behind by a kill */
        (void)git(o->root, (const char *[]){"worktree", "remove", "--force", tree, NULL}, NULL, 0);
    if (git(o->root,
            (const char *[]){"worktree", "add", "--quiet", "--force", "--detach", tree, a->commit,
                             NULL},
            NULL, 0) < 0) {
        cli_complain(NULL, "cannot check '%s' out into '%s'", o->against, tree);
        return EXIT_WORK;
    }
    memcpy(a->tree, tree, sizeof a->tree);
    snprintf(a->root, sizeof a->root, "%.3500s%s%.500s", tree, prefix[0] ? "/" : "", prefix);
    return EXIT_OK;
}

void cli_against_remove(struct against *a, const char *root)
{
    if (a->tree[0])
        (void)git(root, (const char *[]){"worktree", "remove", "--force", a->tree, NULL}, NULL, 0);
    a->tree[0] = '\0';
}

/* The last lines of a log, for who cannot open it, as in CI. */
static void show_tail(const char *path)
{
    char text[LOG_TAIL];
    unsigned lines = LOG_LINES;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    ssize_t n = size > 0 ? pread(fd, text, sizeof text, size > LOG_TAIL ? size - LOG_TAIL : 0) : 0;
    size_t from;

    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    n -= text[n - 1] == '\n';
    for (from = (size_t)n; from > 0; from--)
        if (text[from - 1] == '\n' && --lines == 0)
            break;
    fprintf(stderr, "%.*s\n", (int)((size_t)n - from), text + from);
}

static int build(const char *line, const char *folder, const char *log, const char *which,
                 const volatile sig_atomic_t *stop)
{
    const char *argv[] = {"sh", "-c", line, NULL};
    struct tch_spawn spec = {
        .argv = argv,
        .cwd = folder,
        .io = {{.kind = TCH_IO_NULL},
               {.kind = TCH_IO_WRITE, .path = log},
               {.kind = TCH_IO_APPEND, .path = log}},
        .new_group = true,
    };
    struct tch_spawn_end end;
    tacho_error err;
    pid_t pid;

    if (!*stop && (tch_spawn(&spec, &pid, &err) < 0 ||
                   tch_spawn_wait_or_stop(pid, stop, TCH_RUN_GRACE_NS, &end, &err) < 0)) {
        cli_complain(&err, "cannot build %s", which);
        return EXIT_WORK;
    }
    if (*stop) {
        cli_complain(NULL, "interrupted while building %s", which);
        return EXIT_WORK;
    }
    if (end.status == 0)
        return EXIT_OK;
    cli_complain(NULL, "cannot build %s: '%s' ended with %s %d; all it said is in '%s'", which,
                 line, WIFSIGNALED(end.status) ? "signal" : "status",
                 WIFSIGNALED(end.status) ? WTERMSIG(end.status) : WEXITSTATUS(end.status), log);
    show_tail(log);
    return EXIT_WORK;
}

int cli_gate_build(const struct gate_options *o, const struct args *args)
{
    const char *line = o->build ? o->build : o->settings.build;
    char log[PATH_MAX];
    tacho_error err;

    if (!line)
        return EXIT_OK;
    if (tch_mkdirs(o->out, &err) < 0) {
        cli_complain(&err, "cannot make the folder '%s'", o->out);
        return EXIT_WORK;
    }
    if (!args->quiet)
        fprintf(stderr, "building the working tree: %s\n", line);
    snprintf(log, sizeof log, "%.4000s/build-now.log", o->out);
    return build(line, o->root, log, "the working tree", cli_catch_stop());
}

int cli_against_checkout(struct against *a, const struct gate_options *o, const struct args *args)
{
    const char *line = o->build ? o->build : o->settings.build;
    char log[PATH_MAX];
    int status;

    *a = (struct against){0};
    status = make_tree(a, o);
    if (status != EXIT_OK)
        return status;
    if (!args->quiet)
        fprintf(stderr, "building %s (%.12s): %s\n", o->against, a->commit, line);
    snprintf(log, sizeof log, "%.4000s/build-before.log", o->out);
    return build(line, a->root, log, o->against, cli_catch_stop());
}
