/* A helper process that lives slightly longer than this one, to kill the command. */
#include "process_guard.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spawn.h"
#include "process_family.h"

/* Reads pids from the socket until it is closed, then kills the last one with its descendants. 0
   means nothing to kill. */
_Noreturn static void guard(int fd)
{
    struct tch_family family = {0};
    pid_t root = 0, next;

    setpgid(0, 0); /* leaves the terminal's group, so that Ctrl-C does not reach it */
    prctl(PR_SET_NAME, "tacho-guard");
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_IGN);
    while (tch_read_some(fd, &next, sizeof next) == (ssize_t)sizeof next)
        root = next;
    if (root > 0) {
        tch_family_find(&family, root);
        tch_family_terminate(&family, 0);
    }
    _exit(0);
}

void tch_guard_open(struct tch_guard *g)
{
    int ends[2];

    *g = TCH_NO_GUARD;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    g->pid = fork();
    if (g->pid == 0) {
        close(ends[0]);
        guard(ends[1]);
    }
    close(ends[1]);
    if (g->pid > 0)
        g->fd = ends[0];
    else
        close(ends[0]);
}

void tch_guard_watch(const struct tch_guard *g, pid_t root)
{
    if (g->fd >= 0)
        (void)send(g->fd, &root, sizeof root, MSG_NOSIGNAL);
}

void tch_guard_close(struct tch_guard *g)
{
    struct tch_spawn_end end;

    if (g->fd < 0)
        return;
    tch_guard_watch(g, 0);
    close(g->fd);
    (void)tch_spawn_wait(g->pid, &end, NULL);
    *g = TCH_NO_GUARD;
}
