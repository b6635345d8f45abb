/* Becomes another program, as tch_spawn() would start it. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/fail.h"
#include "fork.h"
#include "spawn.h"

int tch_spawn_exec(const struct tch_spawn *s, tacho_error *err)
{
    struct tch_spawn_ready p;
    char path[PATH_MAX];
    int status = tch_spawn_prepare(&p, s, err);
    const char *const *env = p.env ? p.env : s->env;

    for (int i = 0; i < 3 && status == 0; i++)
        if (p.fds[i] >= 0 && dup2(p.fds[i], i) < 0)
            status = tch_fail_errno(err, errno, "cannot redirect descriptor %d", i);
    if (status == 0 && p.cwd >= 0 && fchdir(p.cwd) < 0)
        status = tch_fail_errno(err, errno, "cannot run '%s' in folder '%s'", s->argv[0], s->cwd);
    if (status == 0 && !s->path)
        status = tch_find_program(s->argv[0], path, sizeof path, err);
    if (status == 0) {
        if (s->new_group)
            setpgid(0, 0);
        tch_reset_signals();
        execve(s->path ? s->path : path, (char *const *)s->argv,
               env ? (char *const *)env : environ);
        status = tch_spawn_failed(err, s->argv[0], errno);
    }
    tch_spawn_release(&p);
    return status;
}
