/* Checks out the other commit as a git worktree, and builds both sides. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/keeper.h"
#include "base/spawn.h"
#include "base/utf8.h"
#include "cli/core/stop.h"
#include "cmd_gate_parts.h"
#include "kit/vcs/git.h"

/* Complains, and keeps the sentence for the report. */
static int fail(char problem[GATE_PROBLEM], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(char problem[GATE_PROBLEM], const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(problem, GATE_PROBLEM, fmt, args);
    va_end(args);
    cli_complain(NULL, "%s", problem);
    return EXIT_WORK;
}

enum { GIT_TEXT = 1 << 16, LOG_TAIL = 4096, LOG_LINES = 12 };

#define GIT_NS 120000000000u

/* Runs git, which prints its messages, and sets out to its output without the line feed. Returns
   its exit status; or -1 after a complaint if it could not be run. */
static int git(const char *root, const char *const *words, char *out, size_t size)
{
    struct tch_git how = {.folder = root, .timeout_ns = GIT_NS};
    struct tch_buf b;
    tacho_error err;
    int status;

    tch_buf_init(&b, GIT_TEXT);
    status = tch_git_read(&how, words, &b, &err);
    if (status < 0)
        cli_complain(&err, "cannot run git");
    else if (status == 0)
        snprintf(out, size, "%.*s", (int)strcspn(b.data, "\n"), b.data);
    tch_buf_release(&b);
    return status < 0 ? -1 : status;
}

/* Reads the settings of the other commit, which may be of another version. If they cannot be read,
   they are ignored. */
static void read_settings(struct against *a, const struct gate_options *o)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.3900s/%.150s", a->root,
             tch_base_name(o->config ? o->config : TCH_SETTINGS_FILE));
    if (tch_settings_read(&a->settings, path, true, NULL) < 0)
        tch_settings_release(&a->settings);
}

/* Finds the commit, and the path of the gate's folder in the repository. */
static int find_commit(struct against *a, const struct gate_options *o, char prefix[PATH_MAX],
                       char problem[GATE_PROBLEM])
{
    char ref[512];
    int status =
        git(o->root, (const char *[]){"rev-parse", "--show-prefix", NULL}, prefix, PATH_MAX);

    if (status < 0)
        return fail(problem, "--against needs git, which cannot be run");
    if (status > 0)
        return fail(problem,
                    "'%.200s' is not in a git repository that git can read, so --against has no "
                    "commit to compare "
                    "with; compare with a stored baseline instead: tacho baseline save",
                    o->root);
    snprintf(ref, sizeof ref, "%s^{commit}", o->against);
    status = git(o->root, (const char *[]){"rev-parse", "--verify", "--quiet", ref, NULL},
                 a->commit, sizeof a->commit);
    if (status > 1) /* it is 1 if there is no such commit */
        return fail(problem, "git cannot read the repository in '%.200s'; see its message above",
                    o->root);
    if (status != 0)
        return fail(problem,
                    "'%.100s' is not a commit of the git repository in '%.150s'; in CI fetch it "
                    "first: git fetch origin %.100s, or check out all of the history: "
                    "fetch-depth: 0",
                    o->against, o->root, o->against);
    return EXIT_OK;
}

int cli_against_checkout(struct against *a, const struct gate_options *o,
                         char problem[GATE_PROBLEM])
{
    const volatile sig_atomic_t *stop = cli_catch_stop(); /* a worktree is removed in any case */
    char prefix[PATH_MAX];
    tacho_error err;

    *a = (struct against){0};
    if (find_commit(a, o, prefix, problem) != EXIT_OK)
        return EXIT_WORK;
    if (tch_mkdirs(o->out, &err) < 0)
        return fail(problem, "%.300s", err.message);
    if (tch_worktree_add(&a->tree, o->root, o->out, a->commit, stop, &err) < 0)
        return fail(problem, "cannot check '%.100s' out into '%.150s': %.200s", o->against, o->out,
                    err.message);
    snprintf(a->root, sizeof a->root, "%.3500s%s%.500s", a->tree.path, prefix[0] ? "/" : "",
             prefix);
    read_settings(a, o);
    return EXIT_OK;
}

void cli_against_remove(struct against *a, const char *root)
{
    char path[PATH_MAX];

    memcpy(path, a->tree.path, sizeof path);
    if (tch_worktree_remove(&a->tree, root) < 0)
        cli_warn("cannot remove all files of the worktree '%s'; the next gate tries again, or "
                 "remove them yourself",
                 path);
    tch_settings_release(&a->settings);
}

/* Prints the last lines of a log, for readers who cannot open it, as in CI. */
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
    for (size_t i = from; i < (size_t)n; i++) /* so that build output cannot control the terminal */
        if (text[i] != '\n' && text[i] != '\t' && tch_utf8_is_control(text[i]))
            text[i] = '?';
    fprintf(stderr, "%.*s\n", (int)((size_t)n - from), text + from);
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

int cli_gate_build(const struct gate_options *o, const struct args *args, const char *folder,
                   const char *which, const char *log_name, char problem[GATE_PROBLEM])
{
    const volatile sig_atomic_t *stop = cli_catch_stop();
    const char *line = o->build ? o->build : o->settings.build;
    char log[PATH_MAX];
    const char *argv[] = {"sh", "-c", line, NULL};
    struct tch_spawn spec = {
        .argv = argv,
        .cwd = folder,
        .io = {{.kind = TCH_IO_NULL},
               {.kind = TCH_IO_WRITE, .path = log},
               {.kind = TCH_IO_APPEND, .path = log}},
        .new_group = true,
    };
    struct tch_spawn_end end = {0};
    tacho_error err;

    if (!line)
        return EXIT_OK;
    if (tch_mkdirs(o->out, &err) < 0)
        return fail(problem, "%.300s", err.message);
    if (!args->quiet)
        fprintf(stderr, "building %s: %s\n", which, o->build_shown);
    snprintf(log, sizeof log, "%.4000s/%s", o->out, log_name);
    unlink(log); /* never write through a link */
    if (!*stop && run_build(&spec, stop, &end, &err) < 0)
        return fail(problem, "cannot build %.100s: %.200s", which, err.message);
    if (*stop)
        return fail(problem, "interrupted while building %.100s", which);
    if (end.status == 0)
        return EXIT_OK;
    fail(problem, "cannot build %.100s: '%.120s' exited with %s %d; its output is in '%.120s'",
         which, o->build_shown, WIFSIGNALED(end.status) ? "signal" : "status",
         WIFSIGNALED(end.status) ? WTERMSIG(end.status) : WEXITSTATUS(end.status), log);
    show_tail(log);
    return EXIT_WORK;
}
