/* Starts programs by posix_spawn(), with errors that name what was missing. */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/utf8.h"

/* The environment. */

static size_t count_strings(const char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

static bool named_in(const char *const *list, const char *entry)
{
    size_t len = strcspn(entry, "=");

    for (; *list; list++)
        if (strcspn(*list, "=") == len && memcmp(*list, entry, len) == 0)
            return true;
    return false;
}

static int merge_env(struct tch_spawn_ready *p, tacho_error *err)
{
    const char *const *extra = p->spec->extra_env;
    const char *const *base = p->spec->env ? p->spec->env : (const char *const *)environ;
    size_t n = 0;

    if (!extra)
        return 0;
    p->env = malloc((count_strings(base) + count_strings(extra) + 1) * sizeof *p->env);
    if (!p->env)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the environment of '%s'",
                        p->spec->argv[0]);
    for (; base && *base; base++)
        if (!named_in(extra, *base))
            p->env[n++] = *base;
    for (; *extra; extra++)
        if (strchr(*extra, '=') && !named_in(extra + 1, *extra))
            p->env[n++] = *extra;
    p->env[n] = NULL;
    return 0;
}

/* Redirections. */

static const char *const stream_names[3] = {"standard input", "standard output", "standard error"};

/* Returns the descriptor that becomes `target`: one of our own above 2, because setting up one
   stream could otherwise overwrite the source of another, as when output and error are swapped. */
static int source_fd(const struct tch_io *io, const char *path, int target)
{
    int flags[] = {
        [TCH_IO_NULL] = target == STDIN_FILENO ? O_RDONLY : O_WRONLY,
        [TCH_IO_READ] = O_RDONLY,
        [TCH_IO_WRITE] = O_WRONLY | O_CREAT | O_TRUNC,
        [TCH_IO_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
    };
    int low;
    int fd;

    if (io->kind == TCH_IO_FD)
        return fcntl(io->fd, F_DUPFD_CLOEXEC, 3);
    low = open(path, flags[io->kind] | O_CLOEXEC | O_NOCTTY, 0666);
    if (low < 0 || low > 2)
        return low;
    fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
    close(low);
    return fd;
}

static int redirect(struct tch_spawn_ready *p, int target, tacho_error *err)
{
    const struct tch_io *io = &p->spec->io[target];
    const char *path = io->kind == TCH_IO_NULL ? "/dev/null" : io->path;
    int number;
    int fd;

    if (io->kind == TCH_IO_INHERIT)
        return 0;
    fd = source_fd(io, path, target);
    p->fds[target] = fd;
    if (fd < 0 && io->kind == TCH_IO_FD)
        return tch_fail_errno(err, errno, "cannot pass descriptor %d as %s to '%s'", io->fd,
                              stream_names[target], p->spec->argv[0]);
    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot open '%s', %s of '%s'", path,
                              stream_names[target], p->spec->argv[0]);
    number = posix_spawn_file_actions_adddup2(&p->actions, fd, target);
    if (number != 0)
        return tch_fail_errno(err, number, "cannot redirect %s", stream_names[target]);
    return 0;
}

/* Opens the folder here instead of naming it to the child, so that a missing folder is
   distinguished from a missing program. */
static int enter_cwd(struct tch_spawn_ready *p, tacho_error *err)
{
    const char *cwd = p->spec->cwd;
    int number;

    if (!cwd)
        return 0;
    p->cwd = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->cwd < 0 || faccessat(AT_FDCWD, cwd, X_OK, AT_EACCESS) < 0)
        return tch_fail_errno(err, errno, "cannot run '%s' in folder '%s'", p->spec->argv[0], cwd);
    number = posix_spawn_file_actions_addfchdir_np(&p->actions, p->cwd);
    if (number != 0)
        return tch_fail_errno(err, number, "cannot run '%s' in folder '%s'", p->spec->argv[0], cwd);
    return 0;
}

/* Attributes. */

static int set_attributes(struct tch_spawn_ready *p)
{
    int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    sigset_t all;
    sigset_t none;
    int number;

    struct sigaction hangup;

    sigfillset(&all);
    sigemptyset(&none);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
        sigdelset(&all, SIGHUP); /* nohup is meant for the child, too */
    if (p->spec->new_group)
        flags |= POSIX_SPAWN_SETPGROUP; /* the attribute's default, 0, means a new group */
    number = posix_spawnattr_setsigdefault(&p->attr, &all);
    if (number == 0)
        number = posix_spawnattr_setsigmask(&p->attr, &none);
    if (number == 0)
        number = posix_spawnattr_setflags(&p->attr, (short)flags);
    return number;
}

int tch_spawn_prepare(struct tch_spawn_ready *p, const struct tch_spawn *s, tacho_error *err)
{
    int number;
    int result = 0;

    *p = (struct tch_spawn_ready){.spec = s, .cwd = -1, .fds = {-1, -1, -1}};
    if (!s->argv || !s->argv[0])
        return tch_fail(err, TACHO_EINVAL, 0, "there is no program to run");
    number = posix_spawn_file_actions_init(&p->actions);
    p->has_actions = number == 0;
    if (number == 0)
        number = posix_spawnattr_init(&p->attr);
    p->has_attr = p->has_actions && number == 0;
    if (number == 0)
        number = set_attributes(p);
    if (number != 0)
        return tch_fail_errno(err, number, "cannot run '%s'", p->spec->argv[0]);
    for (int target = 0; target < 3 && result == 0; target++)
        result = redirect(p, target, err);
    if (result == 0)
        result = enter_cwd(p, err);
    if (result == 0)
        result = merge_env(p, err);
    return result;
}

void tch_spawn_release(struct tch_spawn_ready *p)
{
    for (int i = 0; i < 3; i++)
        if (p->fds[i] >= 0)
            close(p->fds[i]);
    if (p->cwd >= 0)
        close(p->cwd);
    if (p->has_attr)
        posix_spawnattr_destroy(&p->attr);
    if (p->has_actions)
        posix_spawn_file_actions_destroy(&p->actions);
    free(p->env);
}

/* Finding. */

/* Returns 0, or the errno that says why the program cannot be run. */
static int check_program(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return errno;
    if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
        return EACCES;
    return 0;
}

/* Writes the first executable on PATH to `path` and returns 0. Returns EACCES when there is only
   one that may not be run, else ENOENT, also where folders of PATH may not be read. */
static int search_path(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    int number = ENOENT;

    if (!folders)
        folders = "/bin:/usr/bin"; /* as posix_spawnp() does */
    for (;;) {
        size_t len = strcspn(folders, ":");
        /* An empty name means the current folder. */
        int n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, folders, len ? "/" : "./", name);
        int why = n < PATH_MAX ? check_program(path) : ENAMETOOLONG;

        if (why == 0)
            return 0;
        if (why == EACCES && access(path, F_OK) == 0)
            number = EACCES;
        if (folders[len] == '\0')
            return number;
        folders += len + 1;
    }
}

/* Returns advice for the user, or "" when there is none. */
static const char *advice(const char *name, int number)
{
    bool has_slash = strchr(name, '/') != NULL;

    if (number == ENOENT && !has_slash)
        return " (is it installed and on PATH?)";
    if (number == ENOENT && access(name, F_OK) == 0)
        return " (the interpreter that it asks for is missing)";
    if (number == EACCES)
        return " (is it a program, and may you run it?)";
    if (number == ENOEXEC)
        return " (no program for this machine; a script must begin with '#!')";
    return "";
}

int tch_spawn_failed(tacho_error *err, const char *name, int number)
{
    enum { NAME_SHOWN = 80 }; /* the advice must fit after it */
    size_t len = strlen(name);
    char why[80];

    if (number == ENOMEM || !err)
        return tch_fail_errno(err, number, "cannot run '%s'", name);
    if (len > NAME_SHOWN) /* truncate before a character, not inside */
        for (len = NAME_SHOWN; len > 0 && tch_utf8_is_tail(name[len]);)
            len--;
    tch_fail(err, TACHO_EIO, 0, "cannot run '%.*s': %s%s", (int)len, name,
             strerror_r(number, why, sizeof why), advice(name, number));
    err->system_errno = number;
    return TACHO_EIO;
}

int tch_spawn_start(const struct tch_spawn_ready *p, pid_t *ret, tacho_error *err)
{
    const struct tch_spawn *s = p->spec;
    const char *const *env = p->env ? p->env : s->env;
    char *const *argv = (char *const *)s->argv;
    char *const *envp = env ? (char *const *)env : environ;
    pid_t pid;
    int number;

    if (s->path)
        number = posix_spawn(&pid, s->path, &p->actions, &p->attr, argv, envp);
    else
        number = posix_spawnp(&pid, s->argv[0], &p->actions, &p->attr, argv, envp);
    /* posix_spawn() reports a folder on PATH that may not be read in the same way, and that is not
       the cause. */
    if (number == EACCES && !s->path && !strchr(s->argv[0], '/'))
        number = search_path(s->argv[0], (char[PATH_MAX]){0}) == ENOENT ? ENOENT : EACCES;
    if (number != 0)
        return tch_spawn_failed(err, s->argv[0], number);
    *ret = pid;
    return 0;
}

int tch_spawn(const struct tch_spawn *s, pid_t *ret, tacho_error *err)
{
    struct tch_spawn_ready p;
    int result = tch_spawn_prepare(&p, s, err);

    if (result == 0)
        result = tch_spawn_start(&p, ret, err);
    tch_spawn_release(&p);
    return result;
}

int tch_find_program(const char *name, char *path, size_t size, tacho_error *err)
{
    char on_path[PATH_MAX];
    bool has_slash = strchr(name, '/') != NULL;
    const char *found = has_slash ? name : on_path;
    int number = ENOENT;

    if (has_slash)
        number = check_program(name);
    else if (*name)
        number = search_path(name, on_path);
    if (number != 0)
        return tch_spawn_failed(err, name, number);
    if (strlen(found) >= size)
        return tch_fail(err, TACHO_ELIMIT, 0, "the path of '%s' is too long", name);
    memcpy(path, found, strlen(found) + 1);
    return 0;
}
