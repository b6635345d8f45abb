/*
 * Samples a process tree: finds its members and sums up the memory, CPU time and page faults that
 * they use.
 *
 * Where the kernel lists the children of a thread, only members are read (some tens of microseconds
 * each). Elsewhere all processes of the machine are read to find the children (a millisecond and
 * more).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/no_cancel.h"
#include "base/number.h"
#include "base/sized.h"
#include "proc_text.h"
#include "timestamp.h"
#include "under_root.h"

enum { TEXT_MAX = 1 << 20 };

struct process {
    uint64_t pid;
    struct tch_stat stat;
    bool member;
};

/* A member is identified by process id and start time, because the kernel reuses process ids. */
struct member {
    uint64_t pid;
    uint64_t start;
};

struct tacho_tree {
    char root[PATH_MAX];
    struct tch_stamp stamp;
    uint64_t tick_ns;
    bool lists_children; /* the kernel lists the children of a thread */
    bool no_memory;
    tacho_error failed; /* why a file of a member could not be read; code 0: there was no failure */
    struct process *processes; /* in this sample: the members, or all processes of the machine */
    size_t process_count, process_room;
    struct member *members; /* the members in the last sample */
    size_t member_count, member_room;
    uint64_t *children; /* the children of one thread */
    size_t child_room;
    struct tch_buf text;
    tacho_tree_sample last;
};

/* Keeps the first failure. That a process has exited is not a failure; any other reason leaves
   the sample incomplete. */
static void note_failure(tacho_tree *t, int status, const tacho_error *err)
{
    if (status == TACHO_EIO && err->system_errno != ENOENT && err->system_errno != ESRCH &&
        t->failed.code == 0)
        t->failed = *err;
}

static bool read_of(tacho_tree *t, uint64_t pid, const char *name, bool member)
{
    char path[PATH_MAX + 128];
    tacho_error err;
    int status;

    snprintf(path, sizeof path, "%s/proc/%llu/%s", t->root, (unsigned long long)pid, name);
    tch_buf_clear(&t->text);
    status = tch_file_read(path, TEXT_MAX, &t->text, &err);
    if (member)
        note_failure(t, status, &err);
    t->no_memory = t->no_memory || status == TACHO_ENOMEM;
    return status == 0;
}

/* Reads a process, adds it to the list and returns it, or NULL when it has exited since it was
   listed. */
static struct process *add_process(tacho_tree *t, uint64_t pid, bool member)
{
    struct process p = {.pid = pid, .member = member};

    if (!read_of(t, pid, "stat", member) || !tch_stat_parse(t->text.data, &p.stat))
        return NULL;
    if (tch_array_reserve(&t->processes, &t->process_room, t->process_count + 1) < 0) {
        t->no_memory = true;
        return NULL;
    }
    t->processes[t->process_count++] = p;
    return &t->processes[t->process_count - 1];
}

/* Calls `each` for every number in a folder of /proc: process ids or thread ids. */
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
    for (size_t i = 0; i < t->member_count; i++)
        if (t->members[i].pid == p->pid && t->members[i].start == p->stat.start)
            return true;
    return false;
}

static bool is_member(const tacho_tree *t, uint64_t pid)
{
    for (size_t i = 0; i < t->process_count; i++)
        if (t->processes[i].pid == pid)
            return t->processes[i].member;
    return false;
}

/* Finding members among all processes of the machine. */

static void add_any(tacho_tree *t, uint64_t ignored, uint64_t pid)
{
    (void)ignored;
    add_process(t, pid, false);
}

/* Marks the members of the last sample, then children of members until there are no more. A
   child can have a smaller process id than its parent, so one pass over the list is not enough. */
static int find_among_all(tacho_tree *t, tacho_error *err)
{
    int status = for_each_number(t, "", 0, add_any, err);
    struct process *p = t->processes;
    bool found = true;

    for (size_t i = 0; i < t->process_count; i++)
        p[i].member = was_member(t, &p[i]);
    while (found) {
        found = false;
        for (size_t i = 0; i < t->process_count; i++)
            if (!p[i].member && p[i].stat.ppid > 0 && is_member(t, p[i].stat.ppid))
                found = p[i].member = true;
    }
    return status;
}

/* Finding members by the children that the kernel lists. */

/* Adds the children of a thread; the kernel lists them as "12 13 14 ". */
static void add_children(tacho_tree *t, uint64_t pid, uint64_t tid)
{
    char name[64];
    size_t count = 0;

    snprintf(name, sizeof name, "task/%llu/children", (unsigned long long)tid);
    if (!read_of(t, pid, name, true))
        return;
    for (const char *at = t->text.data; *at;) {
        size_t len = strcspn(at, " \n");
        uint64_t child;

        if (tch_parse_u64_n(at, len, INT32_MAX, &child) == 0 && !is_member(t, child)) {
            if (tch_array_reserve(&t->children, &t->child_room, count + 1) < 0) {
                t->no_memory = true;
                return;
            }
            t->children[count++] = child;
        }
        at += len + (at[len] != '\0');
    }
    for (size_t i = 0; i < count; i++)
        add_process(t, t->children[i], true);
}

/* Adds the members of the last sample that are alive, then the children of each. Children are
   appended to the list that is being walked, so theirs follow. */
static void follow_children(tacho_tree *t)
{
    for (size_t i = 0; i < t->member_count; i++) {
        struct process *p = add_process(t, t->members[i].pid, true);

        if (p && p->stat.start != t->members[i].start)
            t->process_count--; /* another process has its id now */
    }
    for (size_t i = 0; i < t->process_count; i++) {
        struct process p = t->processes[i];
        char folder[64];
        tacho_error err;

        snprintf(folder, sizeof folder, "/%llu/task", (unsigned long long)p.pid);
        if (p.stat.threads == 1)
            add_children(t, p.pid, p.pid);
        else
            note_failure(t, for_each_number(t, folder, p.pid, add_children, &err), &err);
    }
}

static int find_members(tacho_tree *t, tacho_error *err)
{
    int status = 0;

    t->no_memory = false;
    t->failed.code = 0;
    t->process_count = 0;
    if (t->lists_children)
        follow_children(t);
    else
        status = find_among_all(t, err);
    if (status < 0)
        return status;
    if (t->no_memory || tch_array_reserve(&t->members, &t->member_room, t->process_count) < 0)
        return tch_fail_memory(err);
    if (t->failed.code < 0) /* keep the members of the last sample */
        return 0;
    t->member_count = 0;
    for (size_t i = 0; i < t->process_count; i++)
        if (t->processes[i].member)
            t->members[t->member_count++] =
                (struct member){t->processes[i].pid, t->processes[i].stat.start};
    return 0;
}

static void add_memory(tacho_tree *t, uint64_t pid, tacho_tree_sample *s)
{
    struct tch_status status;

    if (!read_of(t, pid, "status", true))
        return;
    tch_status_parse(t->text.data, &status);
    s->rss_bytes += status.rss;
    s->anon_bytes += status.anon;
    s->file_bytes += status.file;
    s->swap_bytes += status.swap;
    if (status.peak > s->peak_rss_bytes)
        s->peak_rss_bytes = status.peak;
}

/* Returns the larger of two sums. The CPU time and faults of a process are added to those of the
   parent that waits for it. When nobody waits, they are lost, and the sums must not fall. */
static uint64_t not_less(uint64_t now, uint64_t before)
{
    return now > before ? now : before;
}

int tacho_tree_poll(tacho_tree *t, tacho_tree_sample *ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_tree_sample s = {.size = sizeof s, .peak_rss_bytes = t->last.peak_rss_bytes};
    int status = tch_sized_check(ret, sizeof s, "TACHO_TREE_SAMPLE_INIT", err);

    if (status == 0)
        status = find_members(t, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < t->process_count; i++) {
        const struct process *p = &t->processes[i];

        if (!p->member)
            continue;
        s.processes += p->stat.state != 'Z' && p->stat.state != 'X';
        s.minor_faults += p->stat.minor_faults;
        s.major_faults += p->stat.major_faults;
        s.cpu_ns += p->stat.cpu_ticks * t->tick_ns;
        add_memory(t, p->pid, &s);
    }
    if (t->no_memory)
        return tch_fail_memory(err);
    if (t->failed.code < 0) {
        if (err)
            *err = t->failed;
        return t->failed.code;
    }
    s.timestamp_us = tch_stamp_us(&t->stamp);
    s.peak_rss_bytes = not_less(s.rss_bytes, s.peak_rss_bytes);
    s.cpu_ns = not_less(s.cpu_ns, t->last.cpu_ns);
    s.minor_faults = not_less(s.minor_faults, t->last.minor_faults);
    s.major_faults = not_less(s.major_faults, t->last.major_faults);
    t->last = s;
    tch_sized_write(ret, &s, sizeof s);
    return 0;
}

int tch_tree_open(const char *root, pid_t pid, tacho_tree **ret, tacho_error *err)
{
    char children[64];
    struct process *first;
    tacho_tree *t;

    if (strlen(root) >= sizeof t->root)
        return tch_fail(err, TACHO_EINVAL, 0, "the root '%.40s...' is too long", root);
    t = calloc(1, sizeof *t);
    if (!t)
        return tch_fail_memory(err);
    snprintf(t->root, sizeof t->root, "%s", root);
    t->stamp = tch_stamp_of_process();
    t->tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    tch_buf_init(&t->text, TEXT_MAX);
    first = pid > 0 ? add_process(t, (uint64_t)pid, true) : NULL;
    if (!first || tch_array_reserve(&t->members, &t->member_room, 1) < 0) {
        tacho_error failed = t->failed;
        bool no_memory = first || t->no_memory;

        tacho_tree_close(t);
        if (failed.code < 0 && err)
            *err = failed;
        if (failed.code < 0)
            return failed.code;
        return no_memory ? tch_fail_memory(err)
                         : tch_fail(err, TACHO_EINVAL, 0, "there is no process %ld", (long)pid);
    }
    t->members[t->member_count++] = (struct member){first->pid, first->stat.start};
    snprintf(children, sizeof children, "task/%ld/children", (long)pid);
    t->lists_children = read_of(t, (uint64_t)pid, children, false);
    *ret = t;
    return 0;
}

int tacho_tree_open(pid_t pid, tacho_tree **ret, tacho_error *err)
{
    TCH_NO_CANCEL;

    return tch_tree_open("", pid, ret, err);
}

void tacho_tree_close(tacho_tree *t)
{
    if (!t)
        return;
    free(t->processes);
    free(t->members);
    free(t->children);
    tch_buf_release(&t->text);
    free(t);
}
