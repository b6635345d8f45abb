/*
 * The loop of the tracer process. States of a traced thread:
 *
 *     running    asked is false
 *     asked      a tick found that the thread has run since the last tick and is in state R, and
 *                sent PTRACE_INTERRUPT
 *     stopped    waitpid() reported any stop: the tracer takes a sample if the thread was asked,
 *                and lets it run (PTRACE_CONT); one that job control stopped stays stopped
 *                (PTRACE_LISTEN)
 *
 * Any stop of an asked thread counts as the answer, because the kernel drops the request when it
 * coincides with another stop.
 *
 * The tracer never waits for one thread: a runnable thread without a CPU stops only when it gets
 * one, after 40 ms on a busy machine. It waits for the next tick or for any stop, whichever comes
 * first. It does not stop sleeping threads, because epoll_wait() and other calls would return
 * early.
 *
 * This process alone uses struct tracer. It writes samples into the ring (memory order:
 * sample_ring.h) and reads the ring's `stop`. The weight of a sample is the CPU time of its thread
 * since the sample before. A tick reads two files of /proc per thread, and each stop takes the
 * program about 0.1 ms, which limits the rate.
 */
#include "tracer_loop.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "ring_maps.h"
#include "sample_record.h"
#include "sample_stopped.h"

enum {
    MAPS_MAX = 16 << 20,
    WAKE_NS = 20 * 1000, /* a thread needs less to wake up and stop */
    SKIPPED_MAX = 8,
    ENTERED_MAX = 64, /* with many signals, half of the ticks meet a thread that enters a handler */
};

struct traced {
    pid_t tid;
    pid_t pid;
    uint64_t ran;     /* CPU time at the last tick, in ns */
    uint64_t counted; /* CPU time at the last sample */
    bool asked;       /* the thread was asked to stop */
    uint64_t before;  /* CPU time when it was asked */
    uint64_t faults;  /* page faults of its process when it was asked */
    unsigned skipped; /* samples in a row that showed only where it woke up */
    char comm[16];    /* name as last reported to the reader */
};

/* A process and the address ranges of its code. */
struct space {
    pid_t pid;
    uint64_t faults; /* page faults of the process before the last check of its mappings */
    struct tch_code_ranges ranges;
};

struct tracer {
    struct tch_ring_head *ring;
    pid_t command; /* 0: the tracer attached to a process */
    bool done;
    uint64_t random;
    struct traced *threads;
    size_t count;
    size_t cap;
    struct space **spaces;
    size_t space_count;
    size_t space_cap;
};

static struct traced *find_thread(struct tracer *t, pid_t tid)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->threads[i].tid == tid)
            return &t->threads[i];
    return NULL;
}

static struct space *find_space(struct tracer *t, pid_t pid)
{
    struct space *space;

    for (size_t i = 0; i < t->space_count; i++)
        if (t->spaces[i]->pid == pid)
            return t->spaces[i];
    space = calloc(1, sizeof *space);
    if (!space || tch_array_reserve(&t->spaces, &t->space_cap, t->space_count + 1) < 0) {
        free(space);
        return NULL;
    }
    space->pid = pid;
    t->spaces[t->space_count++] = space;
    return space;
}

static void drop_space(struct tracer *t, pid_t pid)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->threads[i].pid == pid)
            return;
    for (size_t i = 0; i < t->space_count; i++)
        if (t->spaces[i]->pid == pid) {
            free(t->spaces[i]);
            t->spaces[i] = t->spaces[--t->space_count];
            return;
        }
}

static void drop_thread(struct tracer *t, pid_t tid)
{
    struct traced *thread = find_thread(t, tid);
    pid_t pid = thread ? thread->pid : 0;

    if (!thread)
        return;
    *thread = t->threads[--t->count];
    drop_space(t, pid);
}

/* Reads a short file of a thread; the text is empty if the thread has exited. */
static size_t read_file(pid_t tid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t len = -1;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)tid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        len = read(fd, text, size - 1);
        close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? (size_t)len : 0;
}

/* Returns the process of a thread. */
static pid_t process_of(pid_t tid)
{
    char text[4096];
    const char *at;
    uint64_t pid;

    read_file(tid, "status", text, sizeof text);
    at = strstr(text, "\nTgid:\t");
    if (!at || tch_parse_u64_n(at + 7, strcspn(at + 7, "\n"), INT32_MAX, &pid) < 0)
        return tid;
    return (pid_t)pid;
}

static struct traced *add_thread(struct tracer *t, pid_t tid)
{
    if (tch_array_reserve(&t->threads, &t->cap, t->count + 1) < 0)
        return NULL;
    t->threads[t->count] = (struct traced){.tid = tid, .pid = process_of(tid)};
    return &t->threads[t->count++];
}

/* Returns the CPU time of a thread in ns, from its schedstat file, "RAN WAITED SLICES". The kernel
   does not let us read the CPU clock of a thread of another process. */
static uint64_t time_run(pid_t tid)
{
    char text[128];
    uint64_t ran = 0;

    read_file(tid, "schedstat", text, sizeof text);
    if (tch_parse_u64_n(text, strcspn(text, " "), UINT64_MAX, &ran) < 0)
        return 0;
    return ran;
}

static void note(struct tracer *t, const struct traced *thread, enum tch_ring_kind kind,
                 const char *text)
{
    struct tch_ring_record head = {
        .kind = kind,
        .pid = (uint32_t)thread->pid,
        .tid = (uint32_t)thread->tid,
        .len = (uint32_t)strlen(text),
        .time = tch_now_ns(),
    };

    tch_ring_note(t->ring, head, text);
}

/* Returns the number of page faults of a process, from its stat file: fields 10 and 12. `text`
   begins with field 3. */
static uint64_t page_faults(const char *text)
{
    enum { MINOR = 10, MAJOR = 12 };
    uint64_t sum = 0;

    for (int field = 3; field <= MAJOR && *text; field++) {
        size_t len = strcspn(text, " ");
        uint64_t value;

        if ((field == MINOR || field == MAJOR) &&
            tch_parse_u64_n(text, len, UINT64_MAX, &value) == 0)
            sum += value;
        text += len + (text[len] != '\0');
    }
    return sum;
}

/* Returns whether the thread is running or runnable. Also records its name and the page faults of
   its process, which are in the same line of its stat file: "12 (a b) R ...". */
static bool is_running(struct tracer *t, struct traced *thread)
{
    char text[512];
    char comm[sizeof thread->comm];
    const char *name;
    char *end;

    read_file(thread->tid, "stat", text, sizeof text);
    name = strchr(text, '(');
    end = strrchr(text, ')');
    if (!name || !end || strlen(end) < 3)
        return false;
    *end = '\0';
    snprintf(comm, sizeof comm, "%.15s", name + 1);
    if (strcmp(comm, thread->comm) != 0) {
        memcpy(thread->comm, comm, sizeof comm);
        note(t, thread, TCH_RING_COMM, comm);
    }
    thread->faults = page_faults(end + 2);
    return end[2] == 'R';
}

static long ask_map(int fd, unsigned long request, struct tch_map_query *query)
{
    return ioctl(fd, request, query);
}

/* Reads the mappings of a process if they have changed, or if `missing`: one is not known. Code of
   a new mapping runs only after a page fault. So if the process had no fault since the last check,
   its code is the same. */
static void read_maps(struct tracer *t, const struct traced *thread, struct space *space,
                      bool missing)
{
    struct tch_ring_record head = {
        .pid = (uint32_t)thread->pid, .tid = (uint32_t)thread->tid, .time = tch_now_ns()};
    uint64_t files;
    char path[64];
    struct tch_buf b;
    int fd;

    if (!missing && (thread->faults == space->faults || head.time < space->ranges.due))
        return;
    space->faults = thread->faults;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)thread->pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    files = tch_code_files(fd, ask_map, head.time, &space->ranges);
    close(fd);
    if (!missing && files && files == space->ranges.files)
        return;
    tch_buf_init(&b, MAPS_MAX);
    if (tch_file_read(path, MAPS_MAX, &b, NULL) == 0) {
        space->ranges.files = files; /* from before the text, so that no later change is missed */
        tch_ring_note_maps(t->ring, head, b.data, &space->ranges);
    }
    tch_buf_release(&b);
}

/* Returns whether the thread is at the first instruction of a signal handler: the kernel has just
   set up the handler's frame (a return address, then the context) and passes the context in rdx. */
static bool enters_handler(const struct user_regs_struct *regs)
{
    return (int64_t)regs->orig_rax < 0 && regs->rax == 0 && regs->rdx == regs->rsp + 8;
}

/* Returns whether a sample would show where the thread woke up, not where it runs. The next sample
   gets its CPU time. That is so in two cases:

       it is in a system call and has hardly run since it was asked, so it was waiting for a CPU
   then it enters a signal handler: each signal stops the thread until the tracer continues it, and
       the next tick often follows at once

   A thread that never has a CPU when the tracer has one, because they share it, is sampled anyway,
   and so is a handler that keeps these registers. */
static bool has_just_woken(struct traced *thread, const struct user_regs_struct *regs, uint64_t ran)
{
    bool in_call = (int64_t)regs->orig_rax >= 0 && ran - thread->before <= WAKE_NS;
    unsigned most = in_call ? SKIPPED_MAX : enters_handler(regs) ? ENTERED_MAX : 0;

    if (thread->skipped < most)
        thread->skipped++;
    else
        thread->skipped = 0;
    return thread->skipped > 0;
}

/* Copies the registers and the stack of a stopped thread. The stack is empty if it may not be
   read. */
static void take_sample(struct tracer *t, struct traced *thread)
{
    struct user_regs_struct regs;
    struct iovec room = {&regs, sizeof regs};
    struct space *space = find_space(t, thread->pid);
    uint64_t ran = time_run(thread->tid);
    struct tch_ring_record *record;
    ssize_t len;
    int slot;

    if (ptrace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &room) < 0 ||
        room.iov_len != sizeof regs || ran <= thread->counted)
        return; /* a 32-bit program, whose registers differ */
    if (has_just_woken(thread, &regs, ran))
        return;
    if (space)
        read_maps(t, thread, space, !tch_ranges_have(&space->ranges, regs.rip));
    slot = tch_ring_claim(t->ring, (uint32_t)getpid());
    if (slot < 0)
        return;
    record = tch_ring_slot(t->ring, (uint32_t)slot);
    record->kind = TCH_RING_SAMPLE;
    record->pid = (uint32_t)thread->pid;
    record->tid = (uint32_t)thread->tid;
    record->time = tch_now_ns();
    record->weight = ran - thread->counted;
    tch_sample_registers(&regs, record->regs);
    len = process_vm_readv(thread->tid, &(struct iovec){record->data, t->ring->stack_bytes}, 1,
                           &(struct iovec){(void *)(regs.rsp - TCH_RED_ZONE), t->ring->stack_bytes},
                           1, 0);
    if (len < 0)
        t->ring->trouble |= TCH_TROUBLE_NO_MEMORY;
    record->len = len > 0 ? (uint32_t)len : 0;
    thread->counted = ran;
    tch_ring_publish(t->ring, slot, (uint32_t)getpid());
}

/* Handles an exec. The process then has one thread, whose tid is the pid. */
static void begin_program(struct tracer *t, pid_t pid)
{
    struct traced *thread;
    struct space *space;
    char comm[64];

    for (size_t i = 0; i < t->count;)
        if (t->threads[i].pid == pid && t->threads[i].tid != pid)
            t->threads[i] = t->threads[--t->count];
        else
            i++;
    thread = find_thread(t, pid);
    if (!thread)
        thread = add_thread(t, pid);
    space = find_space(t, pid);
    if (!thread || !space)
        return;
    thread->counted = time_run(pid);
    read_file(pid, "comm", comm, sizeof comm);
    comm[strcspn(comm, "\n")] = '\0';
    snprintf(thread->comm, sizeof thread->comm, "%.15s", comm);
    note(t, thread, TCH_RING_EXEC, comm);
    space->ranges = (struct tch_code_ranges){0};
    read_maps(t, thread, space, true);
}

static bool stops_group(int sig)
{
    return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Handles the stop of a thread: samples it if it was asked to stop, and lets it continue. */
static void on_stop(struct tracer *t, pid_t tid, int status)
{
    int event = status >> 16;
    int sig = WSTOPSIG(status);
    struct traced *thread = find_thread(t, tid);

    if (event == PTRACE_EVENT_EXEC) {
        begin_program(t, tid);
        thread = find_thread(t, tid);
    }
    if (!thread)
        thread = add_thread(t, tid);
    if (thread && thread->asked)
        take_sample(t, thread);
    if (thread)
        thread->asked = false;
    if (event == PTRACE_EVENT_STOP && stops_group(sig))
        ptrace(PTRACE_LISTEN, tid, NULL, NULL); /* the thread stays stopped until SIGCONT */
    else
        ptrace(PTRACE_CONT, tid, NULL, (long)(event == 0 ? sig : 0));
}

static void drain_stops(struct tracer *t)
{
    int status;
    pid_t tid;

    while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
        if (WIFSTOPPED(status)) {
            on_stop(t, tid, status);
            continue;
        }
        drop_thread(t, tid);
        if (tid == t->command) {
            t->ring->wait_status = status;
            t->done = true;
        }
    }
    if (tid < 0 && errno == ECHILD)
        t->done = true;
}

static void tick(struct tracer *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct traced *thread = &t->threads[i];
        uint64_t ran = time_run(thread->tid);
        bool advanced = ran > thread->ran;

        thread->ran = ran;
        if (!thread->asked && advanced && is_running(t, thread) &&
            ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) == 0) {
            thread->asked = true;
            thread->before = ran;
        }
    }
}

/* Requests a short time slice, so that the scheduler runs the tracer when it wakes, not when
   another thread's slice ends. */
static void shorten_slice(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = {.size = sizeof attr, .runtime = 100000};

    (void)syscall(SYS_sched_setattr, 0, &attr, 0); /* has no effect before Linux 6.12 */
}

/* Adds the threads that were attached to. CPU time that they used before does not count. */
static void add_attached(struct tracer *t, const struct tch_tids *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        struct traced *thread = add_thread(t, threads->list[i]);

        if (thread)
            thread->counted = thread->ran = time_run(thread->tid);
    }
}

static bool is_stopped(const struct tracer *t)
{
    return __atomic_load_n(&t->ring->stop, __ATOMIC_ACQUIRE) != 0;
}

_Noreturn void tch_tracer_loop(const struct tch_tracer_options *o, pid_t command,
                               const struct tch_tids *threads)
{
    struct tracer t = {.ring = o->ring, .command = command};
    uint64_t next = tch_now_ns();
    sigset_t child;

    t.random = next | 1;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    shorten_slice();
    add_attached(&t, threads);
    while (!t.done && !(command == 0 && is_stopped(&t))) {
        uint64_t now = tch_now_ns();
        uint64_t left = next > now ? next - now : 0;

        if (left > 0)
            sigtimedwait(
                &child, NULL,
                &(struct timespec){(time_t)(left / 1000000000), (long)(left % 1000000000)});
        drain_stops(&t);
        now = tch_now_ns();
        if (now < next)
            continue;
        if (!is_stopped(&t))
            tick(&t);
        next = next + tch_ring_next_period(&t.random, t.ring->period_ns);
        if (next < now)
            next = now + t.ring->period_ns / 2;
    }
    _exit(0); /* the exit detaches all threads, which continue */
}
