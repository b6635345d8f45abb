/*
 * Opens perf events and reads their ring buffers (perf_event_open(2)).
 *
 * Files. Each thread to sample has one event per CPU. The first event on a CPU owns the ring of
 * that CPU; later events redirect their records to it (PERF_EVENT_IOC_SET_OUTPUT). A child inherits
 * the events of its parent.
 *
 * States of an event: disabled when opened; enabled by the exec of the command (enable_on_exec) or
 * by tch_flame_sampler_start(); disabled by tch_flame_sampler_stop(). Records that are in a ring by
 * then are still read.
 *
 * Memory order. The kernel writes records and then data_head; we load data_head with acquire before
 * reading them. We process a record, then store data_tail with release, and the kernel may
 * overwrite it. ring->head and ring->tail are our copies; only the draining thread uses them.
 *
 * Order of time. A ring is in order, but a record of one CPU may become visible later than a
 * younger one of another CPU. Therefore drain() takes the record with the smallest time among all
 * rings, and only those older than `until`, which callers set TCH_FLAME_SAMPLER_SLACK before now.
 *
 * Limits. A record has at most 64 KiB, because its length is 16 bits. A ring has RING_SMALLEST to
 * RING_LARGEST bytes, as much as the kernel lets us lock. The kernel drops samples while a ring is
 * full and counts them (PERF_FORMAT_LOST).
 */
#include "perf_rings.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/number.h"
#include "perf_event_kind.h"
#include "process/tree.h"

enum {
    RING_LARGEST = 8 << 20,
    RING_SMALLEST = 128 << 10,
    RECORD_MAX = 64 << 10,
    RECORD_BUFFER = RECORD_MAX + 64,
    PERF_FORMAT_LOST_BIT = 1 << 4, /* since Linux 6.0 */
};

struct tch_ring {
    int fd; /* event that owns the ring; -1: the CPU does not exist */
    struct perf_event_mmap_page *page;
    const uint8_t *data;
    uint64_t tail;
    uint64_t head;
    uint64_t time; /* time of the record at tail; UINT64_MAX: the ring is empty */
};

/* AX to IP and R8 to R15 as the kernel numbers them. The segment registers are not available. */
static const uint64_t user_regs = 0xff01ff;

static void fill_attr(const struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                      const struct tch_flame_event *event, struct perf_event_attr *attr)
{
    *attr = (struct perf_event_attr){.type = event->type, .size = sizeof *attr};
    attr->config = event->config;
    attr->freq = !o->off_cpu;
    attr->sample_freq = o->off_cpu ? 1 : o->rate;
    attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                        PERF_SAMPLE_CALLCHAIN;
    if (s->stack_bytes > 0 && s->user) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = user_regs;
        attr->sample_stack_user = s->stack_bytes;
        attr->exclude_callchain_user = 1;
    }
    attr->exclude_kernel = !s->kernel && !o->off_cpu;
    attr->exclude_callchain_kernel = !s->kernel;
    attr->exclude_user = !s->user && !o->off_cpu;
    if (!s->user)
        attr->exclude_callchain_user = 1;
    attr->exclude_hv = 1;
    attr->disabled = 1;
    attr->inherit = o->target != TCH_FLAME_TARGET_ALL;
    attr->enable_on_exec = o->target == TCH_FLAME_TARGET_CHILD;
    attr->sample_id_all = 1;
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
    attr->context_switch = o->off_cpu;
    attr->use_clockid = 1;
    attr->clockid = CLOCK_MONOTONIC;
    attr->watermark = 1;
    attr->read_format = PERF_FORMAT_LOST_BIT;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0 && errno == EINVAL && attr->read_format) {
        attr->read_format = 0;
        fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return (int)fd;
}

/* Opens the event on CPU 0 only, to learn whether the kernel allows it. Returns 0 or an errno. */
static int try_event(const struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                     const char *name)
{
    struct perf_event_attr attr;
    pid_t pid = o->target == TCH_FLAME_TARGET_ALL     ? -1
                : o->target == TCH_FLAME_TARGET_CHILD ? 0
                                                      : o->pid;
    int fd;

    fill_attr(s, o, tch_flame_event_find(name), &attr);
    fd = open_event(&attr, pid, pid == -1 ? 0 : -1);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Chooses the event and decides whether kernel frames are sampled. */
static int choose_event(struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                        tacho_error *err)
{
    const char *name = o->off_cpu ? "context-switches" : o->event ? o->event : "cycles";
    int number;

    if (!tch_flame_event_find(name))
        return tch_fail(err, TACHO_EINVAL, 0, "there is no event '%s'", name);
    s->kernel = o->space != TCH_SPACE_USER;
    s->user = o->space != TCH_SPACE_KERNEL;
    for (;;) {
        number = try_event(s, o, name);
        if (number == 0)
            break;
        if ((number == EACCES || number == EPERM) && s->kernel && o->space == TCH_SPACE_BOTH)
            s->kernel = false;
        else if (!o->event && !o->off_cpu && strcmp(name, "cycles") == 0)
            name = "cpu-clock";
        else
            return tch_flame_event_refused(number, o, name, err);
    }
    s->event = name;
    s->clock = tch_flame_event_find(name)->clock;
    s->off_cpu = o->off_cpu;
    return 0;
}

static void unmap_rings(struct tch_flame_sampler *s)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < s->poll_count; i++) {
        if (s->rings[i].page)
            munmap(s->rings[i].page, page + s->ring_bytes);
        s->rings[i].page = NULL;
    }
}

static bool map_rings(struct tch_flame_sampler *s)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < s->poll_count; i++) {
        void *at;

        if (s->rings[i].fd < 0)
            continue;
        at =
            mmap(NULL, page + s->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->rings[i].fd, 0);
        if (at == MAP_FAILED)
            return false;
        s->rings[i].page = at;
        s->rings[i].data = (const uint8_t *)at + page;
    }
    return true;
}

/* Returns the milliseconds between two drains. A timer drains the rings, because a wakeup by the
   kernel would interrupt the profiled command. */
static int time_to_drain(const struct tch_flame_sampler *s,
                         const struct tch_flame_sampler_options *o)
{
    enum { RECORD = 1024, LONGEST = 100 }; /* bytes of a sample without its stack; ms */
    uint64_t samples = s->ring_bytes / 4 / (s->stack_bytes + RECORD);
    uint64_t ms = samples * 1000 / (o->off_cpu ? 10000 : o->rate);

    return ms < 1 ? 1 : ms > LONGEST ? LONGEST : (int)ms;
}

/* Maps the largest rings that the kernel allows. An ordinary user may lock 512 KiB per CPU. */
static int map_largest_rings(struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                             tacho_error *err)
{
    for (s->ring_bytes = RING_LARGEST; s->ring_bytes >= RING_SMALLEST; s->ring_bytes /= 2) {
        s->drain_ms = time_to_drain(s, o);
        if (map_rings(s))
            return 0;
        unmap_rings(s);
    }
    return tch_fail(err, TACHO_EIO, 0,
                    "cannot lock memory for samples; raise kernel.perf_event_mlock_kb or "
                    "'ulimit -l', or stop other profilers");
}

/* Opens the event of one thread (0: the calling one, -1: all) on each CPU. The first event on a CPU
   gets the ring, which later events share. */
static int open_thread(struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                       pid_t tid, tacho_error *err)
{
    struct perf_event_attr attr;

    fill_attr(s, o, tch_flame_event_find(s->event), &attr);
    attr.wakeup_watermark =
        0; /* the default is half of the ring; the timer drains it before that */
    for (size_t cpu = 0; cpu < s->poll_count; cpu++) {
        int fd = open_event(&attr, tid, (int)cpu);

        if (fd < 0 && errno == ENODEV)
            continue; /* the CPU is offline */
        if (fd < 0 && errno == ESRCH && s->fd_count > 0)
            return 0; /* the thread has exited */
        if (fd < 0)
            return tch_flame_event_refused(errno, o, s->event, err);
        if (tch_array_reserve(&s->fds, &s->fd_cap, s->fd_count + 1) < 0) {
            close(fd);
            return tch_fail_memory(err);
        }
        s->fds[s->fd_count++] = fd;
        if (s->rings[cpu].fd < 0)
            s->rings[cpu].fd = fd;
    }
    return 0;
}

static int open_process(struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                        pid_t pid, tacho_error *err)
{
    char path[64];
    struct dirent *entry;
    int status = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    dir = opendir(path);
    if (!dir)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no process %d", (int)pid);
    while (status == 0 && (entry = readdir(dir))) {
        uint64_t tid;

        if (tch_parse_u64(entry->d_name, INT32_MAX, &tid) == 0)
            status = open_thread(s, o, (pid_t)tid, err);
    }
    closedir(dir);
    return status;
}

/* Opens the events of a process and its descendants. Skips those that have exited. */
static int open_tree(struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                     tacho_error *err)
{
    struct tch_tree tree = {0};
    int status = open_process(s, o, o->pid, err);

    if (o->tree && status == 0)
        tch_tree_find(&tree, o->pid);
    for (size_t i = 0; i < tree.count && status == 0; i++)
        if (tch_tree_pid(&tree, i) != o->pid &&
            open_process(s, o, tch_tree_pid(&tree, i), err) < 0 && err->code != TACHO_EINVAL)
            status = err->code;
    tch_tree_release(&tree);
    return status;
}

static int allocate_rings(struct tch_flame_sampler *s, tacho_error *err)
{
    size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);

    s->rings = calloc(cpus, sizeof *s->rings);
    s->polls = calloc(cpus, sizeof *s->polls);
    s->whole = malloc(RECORD_BUFFER);
    if (!s->rings || !s->polls || !s->whole)
        return tch_fail_memory(err);
    s->poll_count = cpus;
    for (size_t i = 0; i < cpus; i++)
        s->rings[i].fd = -1;
    return 0;
}

int tch_flame_sampler_open(struct tch_flame_sampler *s, const struct tch_flame_sampler_options *o,
                           tacho_error *err)
{
    int status;

    *s = (struct tch_flame_sampler){.stack_bytes = o->stack_bytes};
    status = allocate_rings(s, err);
    if (status == 0)
        status = choose_event(s, o, err);
    if (status == 0 && o->target == TCH_FLAME_TARGET_PROCESS)
        status = open_tree(s, o, err);
    else if (status == 0)
        status = open_thread(s, o, o->target == TCH_FLAME_TARGET_ALL ? -1 : 0, err);
    if (status == 0)
        status = map_largest_rings(s, o, err);
    if (status < 0) {
        tch_flame_sampler_close(s);
        return status;
    }
    /* Redirects the events of all threads to the ring of their CPU. */
    for (size_t i = 0; i < s->fd_count && o->target == TCH_FLAME_TARGET_PROCESS; i++)
        for (size_t cpu = 0; cpu < s->poll_count; cpu++)
            if (s->rings[cpu].fd >= 0 && s->rings[cpu].fd != s->fds[i] &&
                ioctl(s->fds[i], PERF_EVENT_IOC_SET_OUTPUT, s->rings[cpu].fd) == 0)
                break;
    for (size_t i = 0; i < s->poll_count; i++)
        s->polls[i] = (struct pollfd){.fd = s->rings[i].fd, .events = POLLIN};
    return 0;
}

void tch_flame_sampler_close(struct tch_flame_sampler *s)
{
    if (s->rings)
        unmap_rings(s);
    for (size_t i = 0; i < s->fd_count; i++)
        close(s->fds[i]);
    free(s->fds);
    free(s->polls);
    free(s->rings);
    free(s->whole);
    *s = (struct tch_flame_sampler){0};
}

static void control_events(struct tch_flame_sampler *s, unsigned long request)
{
    for (size_t i = 0; i < s->fd_count; i++)
        ioctl(s->fds[i], request, 0);
}

void tch_flame_sampler_start(struct tch_flame_sampler *s)
{
    control_events(s, PERF_EVENT_IOC_ENABLE);
}

void tch_flame_sampler_stop(struct tch_flame_sampler *s)
{
    control_events(s, PERF_EVENT_IOC_DISABLE);
}

uint64_t tch_flame_sampler_lost(const struct tch_flame_sampler *s)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < s->fd_count; i++) {
        uint64_t values[2]; /* the count of the event, and the number of lost samples */

        if (read(s->fds[i], values, sizeof values) == (ssize_t)sizeof values)
            lost += values[1];
    }
    return lost;
}

/* Returns the record at the ring's tail in one piece, copied if it wraps around the end. */
static const struct perf_event_header *record_at(const struct tch_flame_sampler *s,
                                                 const struct tch_ring *ring)
{
    size_t mask = s->ring_bytes - 1;
    size_t at = ring->tail & mask;
    const struct perf_event_header *h = (const void *)(ring->data + at);
    size_t first = s->ring_bytes - at;

    /* Records are multiples of 8 bytes, so a header never wraps around the end. */
    if (h->size <= first)
        return h;
    memcpy(s->whole, ring->data + at, first);
    memcpy(s->whole + first, ring->data, h->size - first);
    return (const void *)s->whole;
}

/* Returns the time of the record at the tail: the third word of a sample, the last word of
   others. */
static uint64_t record_time(const struct tch_flame_sampler *s, const struct tch_ring *ring)
{
    size_t mask = s->ring_bytes - 1;
    const struct perf_event_header *h = (const void *)(ring->data + (ring->tail & mask));
    uint64_t at = h->type == PERF_RECORD_SAMPLE ? ring->tail + 24 : ring->tail + h->size - 8;
    uint64_t time;

    memcpy(&time, ring->data + (at & mask), sizeof time);
    return time;
}

static struct tch_ring *oldest_ring(struct tch_flame_sampler *s)
{
    struct tch_ring *best = NULL;

    for (size_t i = 0; i < s->poll_count; i++)
        if (s->rings[i].page && s->rings[i].tail < s->rings[i].head &&
            (!best || s->rings[i].time < best->time))
            best = &s->rings[i];
    return best;
}

int tch_flame_sampler_drain(struct tch_flame_sampler *s, uint64_t until,
                            tch_flame_on_record *on_record, void *ctx, tacho_error *err)
{
    struct tch_ring *ring;
    int status = 0;

    for (ring = s->rings; ring < s->rings + s->poll_count; ring++)
        if (ring->page) {
            ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
            ring->time = ring->tail < ring->head ? record_time(s, ring) : UINT64_MAX;
        }
    while (status == 0 && (ring = oldest_ring(s)) && ring->time <= until) {
        const struct perf_event_header *record = record_at(s, ring);
        uint16_t size = record->size;

        if (size < sizeof *record)
            return tch_fail(err, TACHO_EIO, 0, "the kernel's ring of samples is damaged");
        status = on_record(ctx, record, err);
        ring->tail += size;
        /* Frees the room of each record at once, because the kernel may need it. */
        __atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
        ring->time = ring->tail < ring->head ? record_time(s, ring) : UINT64_MAX;
    }
    return status;
}
