/* Adds and removes worktrees, each with a lock that the kernel releases when its process dies. */
#include "worktree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "git.h"
#include "process/spawn.h"

#define PREFIX      ".against-"
#define LOCK_SUFFIX ".lock"

enum { AT_ONCE = 99, LOCK_TRIES = 100, REMOVE_TRIES = 30 };

/* --- Locks --- */

/* Locks the worktree. Returns the descriptor, or -1 if another process has locked it, or anything
   but a regular file has the name of the lock. */
static int take_lock(const char *tree)
{
    char path[PATH_MAX];
    struct stat mine;
    struct stat now;
    int fd;

    if ((size_t)snprintf(path, sizeof path, "%s" LOCK_SUFFIX, tree) >= sizeof path)
        return -1;
    for (int i = 0; i < LOCK_TRIES; i++) {
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (fd < 0)
            return -1;
        if (fstat(fd, &mine) < 0 || !S_ISREG(mine.st_mode) || flock(fd, LOCK_EX | LOCK_NB) < 0)
            break;
        if (lstat(path, &now) == 0 && now.st_ino == mine.st_ino && now.st_dev == mine.st_dev)
            return fd;
        close(fd); /* its owner removed the file between open() and flock(): make a new one */
        fd = -1;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Removes the lock, before another process can take it. */
static void drop_lock(const char *tree, int fd)
{
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof path, "%s" LOCK_SUFFIX, tree) < sizeof path)
        unlink(path);
    close(fd);
}

/* --- Removing --- */

static void delete_files(const char *tree)
{
    const char *argv[] = {"rm", "-rf", "--", tree, NULL};
    struct tch_spawn spec = {
        .argv = argv, .io = {{.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}, {.kind = TCH_IO_NULL}}};
    struct tch_spawn_end end;
    pid_t pid;

    if (tch_spawn(&spec, &pid, NULL) == 0)
        (void)tch_spawn_wait(pid, &end, NULL);
}

/* Removes the files first: then `git worktree remove` removes its own notes in any state in which a
   kill can leave a worktree. Returns 0, or -1 if files remain. */
static int remove_tree(const char *tree, const char *folder)
{
    struct tch_git how = {.folder = folder, .quiet = true};
    struct stat st;
    bool there = lstat(tree, &st) == 0;

    /* Programs of a gate that was killed may still be writing until they are killed, too. */
    for (int i = 0; there && i < REMOVE_TRIES; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        delete_files(tree);
        there = lstat(tree, &st) == 0;
    }
    if (there)
        return -1;
    (void)tch_git_write(
        &how, (const char *[]){"worktree", "remove", "--force", "--force", tree, NULL}, NULL, NULL);
    return 0;
}

/* Returns whether a name is that of a lock of ours. */
static bool is_lock(const char *name)
{
    size_t len = strlen(name);
    size_t from = strlen(PREFIX);
    size_t suffix = strlen(LOCK_SUFFIX);

    return len > from + suffix && strncmp(name, PREFIX, from) == 0 &&
           strcmp(name + len - suffix, LOCK_SUFFIX) == 0 &&
           strspn(name + from, "0123456789abcdef-") == len - from - suffix;
}

/* Removes the worktrees of processes that were killed. */
static void remove_dead(const char *out, const char *folder)
{
    DIR *dir = opendir(out);
    struct dirent *entry;
    char tree[PATH_MAX];

    while (dir && (entry = readdir(dir))) {
        int fd = -1;

        if (is_lock(entry->d_name) &&
            (size_t)snprintf(tree, sizeof tree, "%s/%.*s", out,
                             (int)(strlen(entry->d_name) - strlen(LOCK_SUFFIX)),
                             entry->d_name) < sizeof tree)
            fd = take_lock(tree);
        if (fd >= 0 && remove_tree(tree, folder) == 0)
            drop_lock(tree, fd);
        else if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
}

int tch_worktree_remove(struct tch_worktree *w, const char *folder)
{
    int status = 0;

    if (!w->path[0])
        return 0;
    status = remove_tree(w->path, folder);
    if (status == 0)
        drop_lock(w->path, w->lock);
    else
        close(w->lock);
    w->path[0] = '\0';
    return status;
}

/* --- Adding --- */

/* Finds a free name and locks it. */
static int take_name(struct tch_worktree *w, const char *folder, const char *out,
                     const char *commit, tacho_error *err)
{
    char path[PATH_MAX];

    for (unsigned i = 1; i <= AT_ONCE; i++) {
        char number[16] = "";

        if (i > 1)
            snprintf(number, sizeof number, "-%u", i);
        if ((size_t)snprintf(path, sizeof path, "%s/" PREFIX "%.12s%s", out, commit, number) >=
            sizeof path - sizeof LOCK_SUFFIX)
            return tch_fail(err, TACHO_ELIMIT, 0, "the path of the folder '%.100s' is too long",
                            out);
        w->lock = take_lock(path);
        if (w->lock >= 0 && remove_tree(path, folder) == 0) {
            memcpy(w->path, path, sizeof path);
            return 0;
        }
        if (w->lock >= 0)
            close(w->lock);
    }
    return tch_fail(err, TACHO_EIO, 0,
                    "cannot create a file '" PREFIX "%.12s" LOCK_SUFFIX
                    "' in '%.100s'; may you write there?",
                    commit, out);
}

int tch_worktree_add(struct tch_worktree *w, const char *folder, const char *out,
                     const char *commit, const volatile sig_atomic_t *stop, tacho_error *err)
{
    struct tch_git how = {.folder = folder};
    char real[PATH_MAX];
    int status;

    *w = (struct tch_worktree){.lock = -1};
    if (!realpath(out, real))
        return tch_fail_errno(err, errno, "cannot use the folder '%.100s'", out);
    remove_dead(real, folder);
    if (take_name(w, folder, real, commit, err) < 0)
        return TACHO_EIO;
    status = tch_git_write(&how,
                           (const char *[]){"worktree", "add", "--quiet", "--force", "--detach",
                                            w->path, commit, NULL},
                           stop, err);
    if (status < 0)
        return status;
    if (stop && *stop)
        return tch_fail(err, TACHO_EIO, 0, "interrupted");
    if (status > 0)
        return tch_fail(err, TACHO_EIO, 0, "git exited with status %d; see its message above",
                        status);
    return 0;
}
