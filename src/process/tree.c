/* Finds, signals and ends processes by pidfd, because a pid may be reused before it is
   signalled. */
#include "tree.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "orphans.h"

struct tch_member {
    pid_t pid;
    int fd; /* pidfd, readable when the process has exited */
};

/* A process in /proc. */
struct row {
    pid_t pid;
    pid_t parent;
};

/* Returns the parent of a process, the fourth field of "12 (a b) c) S 11 ...", or 0. The second
   field may contain any character. */
static pid_t parent_of(uint64_t pid)
{
    char path[64];
    struct tch_buf b;
    uint64_t parent = 0;
    const char *p;

    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)pid);
    tch_buf_init(&b, 4096);
    p = tch_file_read(path, 4000, &b, NULL) == 0 ? strrchr(b.data, ')') : NULL;
    if (p && strlen(p) > 4) {
        p += 4; /* ") S " */
        if (tch_parse_u64_n(p, strcspn(p, " "), INT32_MAX, &parent) < 0)
            parent = 0;
    }
    tch_buf_release(&b);
    return (pid_t)parent;
}

static bool is_member(const struct tch_tree *t, pid_t pid)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].pid == pid)
            return true;
    return false;
}

static void add_member(struct tch_tree *t, pid_t pid)
{
    int fd;

    if (is_member(t, pid))
        return;
    fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return;
    if (tch_array_reserve(&t->list, &t->cap, t->count + 1) == 0)
        t->list[t->count++] = (struct tch_member){pid, fd};
    else
        close(fd);
}

static bool has_exited(const struct tch_member *member)
{
    struct pollfd p = {.fd = member->fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

/* Adds children of the keeper, children of living members, their children, and so on. */
static void add_descendants(struct tch_tree *t)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    struct row *rows = NULL;
    size_t count = 0;
    size_t cap = 0;
    uint64_t pid;

    while (dir && (entry = readdir(dir))) {
        if (tch_parse_u64(entry->d_name, INT32_MAX, &pid) < 0)
            continue;
        if (tch_array_reserve(&rows, &cap, count + 1) < 0)
            break;
        rows[count++] = (struct row){(pid_t)pid, parent_of(pid)};
    }
    if (dir)
        closedir(dir);
    for (size_t i = 0; i < count && t->keeper > 0; i++)
        if (rows[i].parent == t->keeper)
            add_member(t, rows[i].pid);
    for (size_t known = 0; known < t->count; known++)
        for (size_t i = 0; i < count && !has_exited(&t->list[known]); i++)
            if (rows[i].parent == t->list[known].pid)
                add_member(t, rows[i].pid);
    free(rows);
}

void tch_tree_find(struct tch_tree *t, pid_t root)
{
    t->root = root;
    if (root > 0)
        add_member(t, root);
    add_descendants(t);
}

void tch_tree_signal(const struct tch_tree *t, int number, bool with_root)
{
    for (size_t i = 0; i < t->count; i++)
        if (with_root || t->list[i].pid != t->root)
            syscall(SYS_pidfd_send_signal, t->list[i].fd, number, NULL, 0);
}

/* Waits until all have exited. Returns false if time runs out. A signal to this process, such as a
   second Ctrl-C, ends the wait. */
static bool wait_for(const struct tch_tree *t, int ms)
{
    uint64_t until = tch_now_ns() + (uint64_t)ms * 1000000;

    for (size_t i = 0; i < t->count; i++) {
        struct pollfd p = {.fd = t->list[i].fd, .events = POLLIN};
        uint64_t now = tch_now_ns();

        if (poll(&p, 1, now < until ? (int)((until - now) / 1000000) : 0) <= 0)
            return false;
    }
    return true;
}

/* Returns whether new members were started while others exited. */
static bool more_live(struct tch_tree *t)
{
    add_descendants(t);
    return !wait_for(t, 0);
}

/* Limits the time for a process that keeps starting others. */
enum { ROUNDS = 5 };

/* Sends SIGTERM until no member is left. Returns false if one does not exit in time. */
static bool end_by_term(struct tch_tree *t, int grace_ms)
{
    for (int i = 0; i < ROUNDS; i++) {
        tch_tree_signal(t, SIGTERM, true);
        if (!wait_for(t, grace_ms))
            return false;
        if (!more_live(t))
            return true;
    }
    return false;
}

static void end_by_kill(struct tch_tree *t)
{
    for (int i = 0; i < ROUNDS && more_live(t); i++) {
        tch_tree_signal(t, SIGKILL, true);
        wait_for(t, TCH_TREE_GRACE_MS);
    }
}

void tch_tree_end(struct tch_tree *t, int patience_ms, int grace_ms)
{
    bool ended = wait_for(t, patience_ms) && !more_live(t);

    if (!ended && grace_ms > 0)
        ended = end_by_term(t, grace_ms);
    if (!ended)
        end_by_kill(t);
    if (t->group > 0)
        kill(-t->group, SIGKILL); /* orphans that no keeper has adopted */
    /* A process that starts its successor and exits is faster than a search of /proc. The list of
       our own children is short, and its processes are killed as soon as it is read. */
    if (t->keeper == getpid())
        tch_children_kill(t->root);
}

pid_t tch_tree_pid(const struct tch_tree *t, size_t at)
{
    return t->list[at].pid;
}

void tch_tree_release(struct tch_tree *t)
{
    for (size_t i = 0; i < t->count; i++)
        close(t->list[i].fd);
    free(t->list);
    *t = (struct tch_tree){0};
}
