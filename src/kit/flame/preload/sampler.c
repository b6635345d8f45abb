/*
 * Runs the sampler thread.
 *
 * In each round it wakes at an absolute time, 0.5 to 1.5 periods after the last round, so that it
 * does not stay in phase with a periodic program. It signals threads that have run since the last
 * round and are on a CPU or wait for one. It does not signal sleeping threads, because some
 * blocking calls would return early. It shares the program's memory, and has an empty table of
 * descriptors of its own.
 */
#include <linux/sched.h>

#include "sampler.h"

enum {
    SCAN_NS = 10 * 1000 * 1000,   /* time between two scans for new threads */
    LOST_NS = 1000 * 1000 * 1000, /* a signal that is not handled for this long is blocked */
    COST = 20,                    /* the sampler thread uses at most 1/COST of a CPU */
    IDLE_ROUNDS = 16,             /* a sleeping thread is checked once in this many rounds */
    STACK_BYTES = 64 * 1024,
    MAPS_BYTES = 1 << 20,
    SLICE_NS = 100 * 1000,
    MOST_CPUS = 1024,
    MISLED = 4, /* dropped samples after which the sampler changes its CPU */
    MAIN_STACK = 8 << 20,
};

struct sampler tch_sampler;

static char stack[STACK_BYTES] __attribute__((aligned(64)));
static char maps[MAPS_BYTES]; /* uses no memory before it is first written */

static struct tch_ring_record head_of(uint32_t tid, uint32_t kind)
{
    return (struct tch_ring_record){.kind = kind,
                                    .pid = tch_sampler.pid,
                                    .tid = tid,
                                    .time = raw_clock(1 /* CLOCK_MONOTONIC */)};
}

/* Finds the bounds of the mapping that contains an address, in the text in maps. */
static void find_bounds(uint64_t addr, uint64_t *low, uint64_t *high)
{
    for (const char *p = maps; *p;) {
        uint64_t start = tch_ranges_number(&p);
        uint64_t end = tch_ranges_number(&p);

        if (addr >= start && addr < end && p[0] == 'r') {
            *low = start;
            *high = end;
            return;
        }
        while (*p && *p != '\n')
            p++;
        p += *p == '\n';
    }
}

/* Reads the mappings: passes those of code to the reader, and finds the bounds of stacks. */
static void read_maps(void)
{
    tch_sampler.stale = 0;
    if (raw_read_file("/proc/self/maps", maps, sizeof maps) == 0)
        return;
    tch_ring_note_maps(tch_sampler.ring, head_of(tch_sampler.pid, TCH_RING_MAPS), maps,
                       &tch_sampler.ranges);
    for (uint32_t i = 0; i < tch_sampler.thread_count; i++) {
        struct sampled *t = &tch_sampler.threads[i];

        if (t->tid && t->base && !t->high)
            find_bounds(t->base, &t->low, &t->high);
    }
}

void tch_sampler_main_stack(uint64_t addr)
{
    uint64_t low;

    if (raw_read_file("/proc/self/maps", maps, sizeof maps) > 0)
        find_bounds(addr, &low, &tch_sampler.stack_high);
}

static void add_thread(uint32_t tid)
{
    struct sampled *free = 0;
    char path[64];

    for (uint32_t i = 0; i < tch_sampler.thread_count; i++) {
        if (tch_sampler.threads[i].tid == tid) {
            tch_sampler.threads[i].seen = tch_sampler.scan;
            return;
        }
        if (!free && tch_sampler.threads[i].tid == 0 && !tch_sampler.threads[i].sent)
            free = &tch_sampler.threads[i];
    }
    if (!free && tch_sampler.thread_count < SAMPLER_THREADS)
        free = &tch_sampler.threads[tch_sampler.thread_count++];
    if (!free)
        return;
    raw_add_text(raw_add_number(raw_add_text(path, "/proc/self/task/"), tid), "/stat");
    *free = (struct sampled){.tid = tid, .seen = tch_sampler.scan};
    free->fd = (int)RAW(SYS_openat, -100, path, 02000000, 0);
    if (tid == tch_sampler.pid) {
        free->counted = tch_sampler.before;
        free->low = tch_sampler.stack_high - MAIN_STACK;
        free->high = tch_sampler.stack_high;
    }
}

/* Drops the threads that the last scan did not find. */
static uint32_t drop_threads(void)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < tch_sampler.thread_count; i++) {
        struct sampled *t = &tch_sampler.threads[i];

        if (t->tid && t->seen != tch_sampler.scan) {
            if (t->fd >= 0)
                RAW(SYS_close, t->fd, 0, 0, 0);
            t->tid = 0;
            t->sent = 0;
        }
        left += t->tid != 0;
    }
    return left;
}

/* Finds the threads of the process. Returns their number without the sampler thread. */
static uint32_t scan_threads(uint32_t self)
{
    char entries[4096];
    long fd = RAW(SYS_openat, -100, "/proc/self/task", 0200000 | 02000000, 0);
    long got;

    tch_sampler.scan++;
    while (fd >= 0 && (got = RAW(SYS_getdents64, fd, entries, sizeof entries, 0)) > 0)
        for (long at = 0; at < got;) {
            const char *name =
                entries + at + 19; /* after the inode, the offset, the length and the type */
            uint32_t tid = 0;

            for (; *name >= '0' && *name <= '9'; name++)
                tid = tid * 10 + (uint32_t)(*name - '0');
            if (tid != 0 && tid != self)
                add_thread(tid);
            at += *(uint16_t *)(void *)(entries + at + 16);
        }
    if (fd >= 0)
        RAW(SYS_close, fd, 0, 0, 0);
    return drop_threads();
}

/* Returns whether the thread is in state R, running or waiting for a CPU. Also records its name
   when it has changed. Both are in a line such as "12 (a b) R ...". */
static int is_running(struct sampled *t)
{
    char text[256];
    long len = RAW(SYS_pread64, t->fd, text, sizeof text - 1, 0);
    long from = 0, to = len - 1;
    uint32_t count = 0;
    int same = 1;

    while (from < len && text[from] != '(')
        from++;
    while (to > from && text[to] != ')')
        to--;
    if (len <= 0 || to <= from || to + 2 >= len)
        return 0;
    for (long i = from + 1; i < to && count + 1 < SAMPLER_COMM; i++, count++) {
        same &= t->comm[count] == text[i];
        t->comm[count] = text[i];
    }
    same &= t->comm[count] == '\0';
    t->comm[count] = '\0';
    if (!same) {
        struct tch_ring_record head = head_of(t->tid, TCH_RING_COMM);

        head.len = count;
        tch_ring_note(tch_sampler.ring, head, t->comm);
    }
    return text[to + 2] == 'R';
}

/* Returns whether our handler is still installed. The program may have replaced it by a direct
   system call. */
static int signal_is_ours(void)
{
    struct raw_sigaction now;

    return RAW(SYS_rt_sigaction, tch_sampler.signal, 0, &now, 8) == 0 && now.handler &&
           now.handler != (void *)1;
}

static void send_signal(struct sampled *t, uint64_t now)
{
    struct {
        int number, error, code, gap;
        int pid, uid;
        void *value;
        char rest[96];
    } info = {.number = tch_sampler.signal, .code = -1 /* SI_QUEUE */, .pid = (int)tch_sampler.pid};

    info.value = t;
    t->time = t->sent_at = now;
    __atomic_store_n(&t->sent, 1, __ATOMIC_RELEASE);
    if (RAW(SYS_rt_tgsigqueueinfo, tch_sampler.pid, t->tid, tch_sampler.signal, &info) < 0)
        t->sent = 0;
}

static void look_at(struct sampled *t, uint64_t now, uint32_t round)
{
    uint64_t ran;

    if (__atomic_load_n(&t->sent, __ATOMIC_ACQUIRE)) {
        if (t->sent_at && now - t->sent_at > LOST_NS) {
            __atomic_fetch_add(&tch_sampler.ring->blocked, 1, __ATOMIC_RELAXED);
            t->sent_at = 0; /* counts it only once; it is not signalled again */
        }
        return;
    }
    if (t->idle >= IDLE_ROUNDS && (round + t->tid) % IDLE_ROUNDS != 0)
        return;
    ran = raw_clock((int)(~t->tid << 3 | 6));
    if (ran == t->ran) {
        t->idle++;
        return;
    }
    t->idle = 0;
    t->ran = raw_clock((int)(~t->tid << 3 | 6));
    /* The clock of a thread on a CPU advances between two reads. */
    t->waits = t->ran == ran ? t->waits + 1 : 0;
    if ((t->waits || t->named != tch_sampler.scan) && !is_running(t))
        return;
    t->named = tch_sampler.scan;
    send_signal(t, now);
}

static void short_slice(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = {.size = sizeof attr, .runtime = SLICE_NS};
    long nice = RAW(SYS_getpriority, 0, 0, 0, 0); /* 20 - nice */

    attr.nice = nice > 0 ? (int32_t)(20 - nice) : 0;
    RAW(SYS_sched_setattr, 0, &attr, 0, 0); /* has no effect before Linux 6.12 */
}

/* CPUs that the program may use, one bit each. */
static uint64_t cpus[MOST_CPUS / 64];

/* Moves the sampler to another CPU, away from threads whose samples mislead while they share its
   CPU. Does nothing if there is no other CPU. */
static void change_cpu(void)
{
    uint64_t others[MOST_CPUS / 64];
    uint64_t left = 0;
    uint32_t cpu = 0;

    RAW(SYS_getcpu, &cpu, 0, 0, 0);
    if (cpu >= MOST_CPUS)
        return;
    for (uint32_t i = 0; i < MOST_CPUS / 64; i++) {
        others[i] = cpus[i] & ~(i == cpu / 64 ? (uint64_t)1 << cpu % 64 : 0);
        left |= others[i];
    }
    if (left)
        RAW(SYS_sched_setaffinity, 0, sizeof others, others, 0);
}

/* Checks all threads once. Returns 0 if there are no threads left to sample. */
static int check_threads(uint32_t self, uint64_t now, uint32_t round)
{
    if (now - tch_sampler.scanned > SCAN_NS) {
        tch_sampler.scanned = now;
        if (scan_threads(self) == 0)
            return 0;
        for (uint32_t i = 0; i < tch_sampler.thread_count; i++)
            tch_sampler.stale |= tch_sampler.threads[i].base && !tch_sampler.threads[i].high;
        if (tch_sampler.stale)
            read_maps();
    }
    if (__atomic_load_n(&tch_sampler.stop, __ATOMIC_SEQ_CST))
        return 1; /* an exec has begun, and may fail */
    if (!signal_is_ours()) {
        if (__atomic_load_n(&tch_sampler.stop, __ATOMIC_SEQ_CST))
            return 1;
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_TAKEN_AWAY, __ATOMIC_RELAXED);
        return 0;
    }
    for (uint32_t i = 0; i < tch_sampler.thread_count; i++)
        if (tch_sampler.threads[i].tid)
            look_at(&tch_sampler.threads[i], now, round);
    return 1;
}

/* Runs the sampler thread; called by the code in start_thread(). */
__attribute__((used, visibility("hidden"))) void tch_sampler_run(void);

void tch_sampler_run(void)
{
    uint32_t self = (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0);
    uint64_t next = raw_clock(1);
    uint64_t period;
    uint64_t used = 0;

    RAW(SYS_close_range, 0, ~0u, 0, 0);
    short_slice();
    RAW(SYS_sched_getaffinity, 0, sizeof cpus, cpus, 0);
    for (uint32_t round = 0; !__atomic_load_n(&tch_sampler.ring->stop, __ATOMIC_ACQUIRE); round++) {
        struct raw_time at = {(int64_t)(next / 1000000000), (int64_t)(next % 1000000000)};
        uint64_t now, cost;

        RAW(SYS_clock_nanosleep, 1, 1 /* TIMER_ABSTIME */, &at, 0);
        now = raw_clock(1);
        if (!check_threads(self, now, round))
            break;
        if (__atomic_load_n(&tch_sampler.misled, __ATOMIC_RELAXED) >= MISLED) {
            __atomic_store_n(&tch_sampler.misled, 0, __ATOMIC_RELAXED);
            change_cpu();
        }
        cost = raw_clock(3) - used;
        used += cost;
        period =
            cost * COST > tch_sampler.ring->period_ns ? cost * COST : tch_sampler.ring->period_ns;
        next += tch_ring_next_period(&tch_sampler.random, period);
        if (next < now)
            next = now + period / 2;
    }
    RAW(SYS_exit, 0, 0, 0, 0);
}

/* Starts the sampler thread. It shares everything with the program except the table of
   descriptors. It blocks all signals, so that the program's threads get the program's signals. */
static long start_thread(void)
{
    uint64_t all = ~(uint64_t)0, before = 0;
    long flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    long result;

    RAW(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &all, &before, 8);
    __asm__ volatile("xor %%r10d, %%r10d\n"
                     "    xor %%r8d, %%r8d\n"
                     "    syscall\n"
                     "    test %%rax, %%rax\n"
                     "    jnz 1f\n"
                     "    xor %%ebp, %%ebp\n"
                     "    call tch_sampler_run\n"
                     "1:\n"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(stack + sizeof stack), "d"(0)
                     : "rcx", "r8", "r10", "r11", "memory");
    RAW(SYS_rt_sigprocmask, 2, &before, 0, 8);
    return result;
}

void tch_sampler_start(int is_exec)
{
    char comm[32];

    if (!tch_sampler.ring || tch_sampler.ring->stop)
        return;
    tch_sampler.pid = (uint32_t)RAW(SYS_getpid, 0, 0, 0, 0);
    tch_sampler.random = raw_clock(1) | 1;
    tch_sampler.before = raw_clock(3);
    tch_sampler.thread_count = 0;
    tch_sampler.scanned = 0;
    tch_sampler.stop = 0;
    if (is_exec) {
        struct tch_ring_record head = head_of(tch_sampler.pid, TCH_RING_EXEC);

        head.len = (uint32_t)raw_read_file("/proc/self/comm", comm, 17);
        head.len -= head.len > 0;
        tch_ring_note(tch_sampler.ring, head, comm);
    }
    read_maps();
    if (start_thread() < 0)
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_NO_THREAD, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&tch_sampler.ring->processes, 1, __ATOMIC_RELAXED);
}
