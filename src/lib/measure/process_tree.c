/*
 * A process tree from outside: who belongs to it, and what all of them hold.
 *
 * Where the kernel lists the children of a thread, only members are read: some tens of
 * microseconds each. Elsewhere every process there is, to find who is whose child: a millisecond
 * and more.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include <tacho/memory.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "proc_text.h"
#include "timestamp.h"

enum { TEXT_MAX = 1 << 20, PROCESSES_MAX = 1 << 22 };

/* A process seen at the last look; where children are not listed all there are, since anyone may
   turn out to be a member. */
struct process {
    uint64_t pid;
    struct tch_stat stat;
    bool member;
};

/* A member, by number and start: numbers are used again. */
struct member {
    uint64_t pid;
    uint64_t start;
};

struct tacho_tree {
    char root[PATH_MAX];
    struct tch_stamp stamp;
    uint64_t tick_ns;
    bool lists_children;      /* the kernel does */
    struct tch_buf processes; /* struct process, this look's */
    struct tch_buf members;   /* struct member, the last look's */
    struct tch_buf children;  /* uint64_t, of one thread */
    struct tch_buf text;
    bool no_memory;
    tacho_tree_sample last;
};

static bool read_of(tacho_tree *t, uint64_t pid, const char *name)
{
    char path[PATH_MAX + 128];
    int status;

    snprintf(path, sizeof path, "%s/proc/%llu/%s", t->root, (unsigned long long)pid, name);
    tch_buf_clear(&t->text);
    status = tch_file_read(path, TEXT_MAX, &t->text, NULL);
    t->no_memory = t->no_memory || status == TACHO_ENOMEM;
    return status == 0;
}

static struct process *all(const tacho_tree *t, size_t *count)
{
    *count = t->processes.len / sizeof(struct process);
    return (struct process *)(void *)t->processes.data;
}

/* One that ended between the listing and here is gone; that is no error. */
static bool read_process(tacho_tree *t, uint64_t pid, struct process *ret)
{
    *ret = (struct process){.pid = pid};
    return read_of(t, pid, "stat") && tch_stat_parse(t->text.data, &ret->stat);
}

/* Calls `each` for every number that a folder of /proc has: processes, or threads. */
static int for_each_number(tacho_tree *t, const char *folder, uint64_t pid,
                           void (*each)(tacho_tree *t, uint64_t pid, uint64_t number),
                           tacho_error *err)
{
    char path[PATH_MAX + 64];
    struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof path, "%s/proc%s", t->root, folder);
    dir = opendir(path);
    if (!dir)
        return tch_fail_errno(err, errno, "cannot read '%s'", path);
    while ((entry = readdir(dir))) {
        uint64_t number;

        if (tch_parse_u64(entry->d_name, INT32_MAX, &number) == 0)
            each(t, pid, number);
    }
    closedir(dir);
    return 0;
}

static bool was_member(const tacho_tree *t, const struct process *p)
{
    const struct member *m = (const struct member *)(const void *)t->members.data;
    size_t count = t->members.len / sizeof *m;

    for (size_t i = 0; i < count; i++)
        if (m[i].pid == p->pid && m[i].start == p->stat.start)
            return true;
    return false;
}

static bool is_member(const tacho_tree *t, uint64_t pid)
{
    size_t count;
    const struct process *p = all(t, &count);

    for (size_t i = 0; i < count; i++)
        if (p[i].pid == pid)
            return p[i].member;
    return false;
}

/*
 * By reading every process.
 */

static void note(tacho_tree *t, uint64_t ignored, uint64_t pid)
{
    struct process p;

    (void)ignored;
    if (read_process(t, pid, &p))
        tch_buf_add(&t->processes, &p, sizeof p);
}

/* Those of the last look, then children of members until there are no more. A child can have a
   smaller number than its parent, so once through the list is not enough. */
static int find_among_all(tacho_tree *t, tacho_error *err)
{
    int status = for_each_number(t, "", 0, note, err);
    size_t count;
    struct process *p = all(t, &count);
    bool found = true;

    for (size_t i = 0; i < count; i++)
        p[i].member = was_member(t, &p[i]);
    while (found) {
        found = false;
        for (size_t i = 0; i < count; i++)
            if (!p[i].member && p[i].stat.ppid > 0 && is_member(t, p[i].stat.ppid))
                found = p[i].member = true;
    }
    return status;
}

/*
 * By the children that the kernel lists.
 */

/* "12 13 14 " */
static void note_children(tacho_tree *t, uint64_t pid, uint64_t tid)
{
    char name[64];
    char *at;

    snprintf(name, sizeof name, "task/%llu/children", (unsigned long long)tid);
    if (!read_of(t, pid, name))
        return;
    at = t->text.data;
    tch_buf_clear(&t->children);
    while (*at) {
        size_t len = strcspn(at, " \n");
        uint64_t child;

        if (tch_parse_u64_n(at, len, INT32_MAX, &child) == 0 && !is_member(t, child))
            tch_buf_add(&t->children, &child, sizeof child);
        at += len + (at[len] != '\0');
    }
    for (size_t i = 0; i < t->children.len / sizeof(uint64_t); i++) {
        struct process p;

        if (read_process(t, ((const uint64_t *)(const void *)t->children.data)[i], &p)) {
            p.member = true;
            tch_buf_add(&t->processes, &p, sizeof p);
        }
    }
}

/* Those of the last look that live, then the children of each, which come behind it in the list. */
static void follow_children(tacho_tree *t)
{
    const struct member *m = (const struct member *)(const void *)t->members.data;

    for (size_t i = 0; i < t->members.len / sizeof *m; i++) {
        struct process p;

        if (read_process(t, m[i].pid, &p) && p.stat.start == m[i].start) {
            p.member = true;
            tch_buf_add(&t->processes, &p, sizeof p);
        }
    }
    for (size_t i = 0; i < t->processes.len / sizeof(struct process); i++) {
        struct process p = ((struct process *)(void *)t->processes.data)[i];
        char folder[64];

        snprintf(folder, sizeof folder, "/%llu/task", (unsigned long long)p.pid);
        if (p.stat.threads == 1)
            note_children(t, p.pid, p.pid);
        else /* it may have ended since, and that is no error */
            (void)for_each_number(t, folder, p.pid, note_children, NULL);
    }
}

static int find_members(tacho_tree *t, tacho_error *err)
{
    size_t count;
    struct process *p;
    int status = 0;

    tch_buf_clear(&t->processes);
    if (t->lists_children)
        follow_children(t);
    else
        status = find_among_all(t, err);
    if (status == 0 && (t->processes.failed || t->children.failed || t->no_memory))
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the list of processes");
    if (status < 0)
        return status;
    p = all(t, &count);
    tch_buf_clear(&t->members);
    for (size_t i = 0; i < count; i++)
        if (p[i].member)
            tch_buf_add(&t->members, &(struct member){p[i].pid, p[i].stat.start},
                        sizeof(struct member));
    return 0;
}

static void add_memory(tacho_tree *t, uint64_t pid, tacho_tree_sample *s)
{
    struct tch_status status;

    if (!read_of(t, pid, "status"))
        return;
    tch_status_parse(t->text.data, &status);
    s->rss_bytes += status.rss;
    s->anon_bytes += status.anon;
    s->file_bytes += status.file;
    s->swap_bytes += status.swap;
    if (status.peak > s->peak_rss_bytes)
        s->peak_rss_bytes = status.peak;
}

/* A process that ended and was waited for has left its time and faults with its parent; one that
   was not takes them along: a sum never falls. */
static uint64_t not_less(uint64_t now, uint64_t before)
{
    return now > before ? now : before;
}

int tacho_tree_look(tacho_tree *t, tacho_tree_sample *ret, tacho_error *err)
{
    tacho_tree_sample s = {.peak_rss_bytes = t->last.peak_rss_bytes};
    size_t count;
    struct process *p;
    int status;

    t->no_memory = false;
    status = find_members(t, err);
    if (status < 0)
        return status;
    p = all(t, &count);
    for (size_t i = 0; i < count; i++) {
        if (!p[i].member)
            continue;
        s.processes += p[i].stat.state != 'Z' && p[i].stat.state != 'X';
        s.minor_faults += p[i].stat.minor_faults;
        s.major_faults += p[i].stat.major_faults;
        s.cpu_ns += p[i].stat.cpu_ticks * t->tick_ns;
        add_memory(t, p[i].pid, &s);
    }
    if (t->members.failed || t->no_memory)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the members of a process tree");
    s.timestamp_us = tch_stamp_us(&t->stamp);
    s.peak_rss_bytes = not_less(s.rss_bytes, s.peak_rss_bytes);
    s.cpu_ns = not_less(s.cpu_ns, t->last.cpu_ns);
    s.minor_faults = not_less(s.minor_faults, t->last.minor_faults);
    s.major_faults = not_less(s.major_faults, t->last.major_faults);
    t->last = s;
    *ret = s;
    return 0;
}

int tacho_tree_open(const char *root, pid_t pid, tacho_tree **ret, tacho_error *err)
{
    char children[64];
    struct tch_stat stat;
    tacho_tree *t;

    if (strlen(root) >= sizeof t->root)
        return tch_fail(err, TACHO_EINVAL, 0, "the root '%.40s...' is too long", root);
    t = calloc(1, sizeof *t);
    if (!t)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for a process tree");
    snprintf(t->root, sizeof t->root, "%s", root);
    t->stamp = tch_stamp_of_process();
    t->tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    tch_buf_init(&t->processes, PROCESSES_MAX * sizeof(struct process));
    tch_buf_init(&t->members, PROCESSES_MAX * sizeof(struct member));
    tch_buf_init(&t->children, PROCESSES_MAX * sizeof(uint64_t));
    tch_buf_init(&t->text, TEXT_MAX);
    if (pid <= 0 || !read_of(t, (uint64_t)pid, "stat") || !tch_stat_parse(t->text.data, &stat)) {
        bool no_memory = t->no_memory;

        tacho_tree_close(t);
        return no_memory ? tch_fail(err, TACHO_ENOMEM, 0, "out of memory for a process tree")
                         : tch_fail(err, TACHO_EINVAL, 0, "there is no process %ld", (long)pid);
    }
    tch_buf_add(&t->members, &(struct member){(uint64_t)pid, stat.start}, sizeof(struct member));
    if (t->members.failed) {
        tacho_tree_close(t);
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for a process tree");
    }
    snprintf(children, sizeof children, "task/%ld/children", (long)pid);
    t->lists_children = read_of(t, (uint64_t)pid, children);
    *ret = t;
    return 0;
}

void tacho_tree_close(tacho_tree *t)
{
    if (!t)
        return;
    tch_buf_release(&t->processes);
    tch_buf_release(&t->members);
    tch_buf_release(&t->children);
    tch_buf_release(&t->text);
    free(t);
}
