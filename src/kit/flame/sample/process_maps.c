/* Processes and threads in hash tables with chains, and the sorted mappings of each process. */
#include "process_maps.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

static struct tch_flame_process *find_process(struct tch_maps *maps, uint32_t pid)
{
    struct tch_flame_process *p = maps->processes[pid % TCH_MAPS_BUCKETS];

    while (p && p->pid != pid)
        p = p->next;
    return p;
}

static struct tch_flame_thread *find_thread(struct tch_maps *maps, uint32_t tid)
{
    struct tch_flame_thread *t = maps->threads[tid % TCH_MAPS_BUCKETS];

    while (t && t->tid != tid)
        t = t->next;
    return t;
}

static void drop_process(struct tch_maps *maps, struct tch_flame_process *process)
{
    struct tch_flame_process **at = &maps->processes[process->pid % TCH_MAPS_BUCKETS];

    while (*at != process)
        at = &(*at)->next;
    *at = process->next;
    free(process->maps);
    free(process);
}

void tch_maps_exit(struct tch_maps *maps, uint32_t tid)
{
    struct tch_flame_thread **at = &maps->threads[tid % TCH_MAPS_BUCKETS];
    struct tch_flame_thread *thread;

    while (*at && (*at)->tid != tid)
        at = &(*at)->next;
    thread = *at;
    if (!thread)
        return;
    *at = thread->next;
    maps->thread_count--;
    if (--thread->process->threads == 0)
        drop_process(maps, thread->process);
    free(thread);
}

struct tch_flame_thread *tch_maps_thread(struct tch_maps *maps, uint32_t pid, uint32_t tid)
{
    struct tch_flame_thread *thread = find_thread(maps, tid);
    struct tch_flame_process *process;

    if (thread && thread->process->pid == pid) {
        thread->gone = 0;
        return thread;
    }
    if (thread)
        tch_maps_exit(maps, tid); /* the tid is reused, and the record of the exit was lost */
    process = find_process(maps, pid);
    if (!process) {
        process = calloc(1, sizeof *process);
        if (!process)
            return NULL;
        process->pid = pid;
        process->next = maps->processes[pid % TCH_MAPS_BUCKETS];
        maps->processes[pid % TCH_MAPS_BUCKETS] = process;
    }
    thread = calloc(1, sizeof *thread);
    if (!thread) {
        if (process->threads == 0)
            drop_process(maps, process);
        return NULL;
    }
    thread->tid = tid;
    thread->process = process;
    process->threads++;
    snprintf(thread->comm, sizeof thread->comm, "%s", process->pid == 0 ? "swapper" : "");
    thread->next = maps->threads[tid % TCH_MAPS_BUCKETS];
    maps->threads[tid % TCH_MAPS_BUCKETS] = thread;
    maps->thread_count++;
    return thread;
}

/* Returns the position of the first mapping that ends after addr. */
static size_t find_position(const struct tch_flame_process *process, uint64_t addr)
{
    size_t low = 0;
    size_t high = process->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (process->maps[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct tch_map *tch_maps_find(const struct tch_flame_process *process, uint64_t addr)
{
    size_t at = find_position(process, addr);

    if (at == process->count || process->maps[at].start > addr)
        return NULL;
    return &process->maps[at];
}

bool tch_maps_is_free(const struct tch_flame_process *process, uint64_t start, uint64_t end)
{
    size_t at = find_position(process, start);

    return at == process->count || process->maps[at].start >= end;
}

/* Removes [start, end) from the mappings. A mapping that contains it is split in two. */
static bool make_hole(struct tch_flame_process *process, uint64_t start, uint64_t end)
{
    size_t at = find_position(process, start);
    size_t gone;
    struct tch_map *m;

    if (tch_maps_is_free(process, start, end))
        return true;
    m = &process->maps[at];
    if (m->start < start && m->end > end) {
        struct tch_map rest = *m;

        rest.offset += end - m->start;
        rest.start = end;
        if (tch_array_reserve(&process->maps, &process->cap, process->count + 1) < 0)
            return false;
        m = &process->maps[at];
        m->end = start;
        memmove(m + 2, m + 1, (process->count - at - 1) * sizeof rest);
        m[1] = rest;
        process->count++;
        return true;
    }
    if (m->start < start) {
        m->end = start;
        at++;
    }
    gone = at;
    while (gone < process->count && process->maps[gone].end <= end)
        gone++;
    if (gone < process->count && process->maps[gone].start < end) {
        process->maps[gone].offset += end - process->maps[gone].start;
        process->maps[gone].start = end;
    }
    memmove(process->maps + at, process->maps + gone,
            (process->count - gone) * sizeof *process->maps);
    process->count -= gone - at;
    return true;
}

bool tch_maps_mmap(struct tch_flame_process *process, struct tch_map map)
{
    size_t at;

    if (map.end <= map.start || !make_hole(process, map.start, map.end) ||
        tch_array_reserve(&process->maps, &process->cap, process->count + 1) < 0)
        return map.end <= map.start;
    at = find_position(process, map.start);
    memmove(process->maps + at + 1, process->maps + at, (process->count - at) * sizeof map);
    process->maps[at] = map;
    process->count++;
    return true;
}

bool tch_maps_fork(struct tch_maps *maps, uint32_t pid, uint32_t tid, uint32_t parent_pid,
                   uint32_t parent_tid)
{
    struct tch_flame_thread *thread;
    struct tch_flame_thread *parent;
    struct tch_flame_process *from;

    if (pid != parent_pid)
        tch_maps_exit(maps, tid); /* the tid is reused */
    thread = tch_maps_thread(maps, pid, tid);
    if (!thread)
        return false;
    parent = find_thread(maps, parent_tid);
    if (parent)
        memcpy(thread->comm, parent->comm, sizeof thread->comm);
    from = find_process(maps, parent_pid);
    if (pid == parent_pid || !from || from->count == 0)
        return true;
    thread->process->count = 0;
    if (tch_array_reserve(&thread->process->maps, &thread->process->cap, from->count) < 0)
        return false;
    memcpy(thread->process->maps, from->maps, from->count * sizeof *from->maps);
    thread->process->count = from->count;
    thread->process->program = from->program;
    return true;
}

bool tch_maps_comm(struct tch_maps *maps, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
    struct tch_flame_thread *thread = tch_maps_thread(maps, pid, tid);

    if (!thread)
        return false;
    snprintf(thread->comm, sizeof thread->comm, "%.15s", comm);
    if (exec) {
        thread->process->count = 0;
        thread->process->program = 0;
    }
    return true;
}

static bool is_alive(const struct tch_flame_thread *t)
{
    return syscall(SYS_tgkill, (pid_t)t->process->pid, (pid_t)t->tid, 0) == 0 || errno == EPERM;
}

void tch_maps_reap(struct tch_maps *maps, uint64_t until, uint64_t now)
{
    size_t waiting = 0; /* dead threads that may have more records */

    if (maps->thread_count < (maps->reap_at > 0 ? maps->reap_at : TCH_MAPS_REAP))
        return;
    for (size_t i = 0; i < TCH_MAPS_BUCKETS; i++)
        for (struct tch_flame_thread *t = maps->threads[i], *next; t; t = next) {
            next = t->next;
            if (is_alive(t))
                continue;
            if (t->gone > 0 && t->gone < until) {
                tch_maps_exit(maps, t->tid);
                continue;
            }
            t->gone = t->gone > 0 ? t->gone : now;
            waiting++;
        }
    maps->reap_at = 2 * (maps->thread_count - waiting);
    if (maps->reap_at < TCH_MAPS_REAP)
        maps->reap_at = TCH_MAPS_REAP;
}

void tch_maps_release(struct tch_maps *maps)
{
    for (size_t i = 0; i < TCH_MAPS_BUCKETS; i++)
        while (maps->threads[i])
            tch_maps_exit(maps, maps->threads[i]->tid);
}
