/*
 * Runs the sampler thread.
 *
 * In each round it wakes at an absolute time, 0.5 to 1.5 periods after the last round, so that it
 * does not stay in phase with a periodic program. It signals threads that have run since the last
 * round and are on a CPU or wait for one. It does not signal sleeping threads, because some
 * blocking calls would return early. It shares the program's memory, and has an empty table of
 * descriptors of its own.
 *
 * Waking and checking threads takes CPU time. So if no thread has run for a while, it wakes less
 * often, and if many threads sleep, it checks only some of them in each round. A thread that starts
 * to run is then noticed late. Its first sample represents all of the time in which it was not
 * checked, and it is not sampled again until it has run for that long. Otherwise its later code,
 * which is checked more often, would have too many samples.
 */
#include <linux/sched.h>

#include "sampler.h"

enum {
    SCAN_NS = 10 * 1000 * 1000,    /* time between two scans for new threads */
    BLOCKED_NS = 20 * 1000 * 1000, /* a signal that is not handled for this long may be blocked */
    REFUSED = 32,                  /* a thread that was not signalled this often is counted */
    COST = 20,                     /* the sampler thread uses at most 1/COST of a CPU */
    COST_ROUNDS = 16,              /* rounds over which its cost is averaged */
    IDLE_CHECKS = 32,              /* about this many sleeping threads are checked in a round */
    REST_AFTER = 100, /* rounds without a running thread, after which the sampler rests */
    REST_PERIODS = 8, /* periods between two rounds while it rests */
    LATE = 3,         /* a thread that is not checked for more periods is noticed late */
    LATEST = 12,      /* most periods of a first sample, if all threads are checked */
    STACK_BYTES = 64 * 1024,
    SLICE_NS = 100 * 1000,
    MOST_CPUS = 1024,
    MISLED = 4, /* dropped samples after which the sampler changes its CPU */
    MAIN_STACK = 8 << 20,
};

struct sampler tch_sampler;

static char stack[STACK_BYTES] __attribute__((aligned(64)));

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
    *free = (struct sampled){.tid = tid, .seen = tch_sampler.scan, .checked = tch_sampler.scanned};
    free->fd = (int)RAW(SYS_openat, -100, path, 02000000, 0);
    if (tid == tch_sampler.pid) {
        free->ran = free->sampled_at = free->claimed = tch_sampler.before;
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
        struct tch_ring_record head = tch_sampler_head(t->tid, TCH_RING_COMM);

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
    if (tch_sampler.followed != now) {
        tch_sampler.followed = now;
        tch_maps_follow(now);
    }
    t->sent_at = now;
    t->time = raw_clock(1); /* after that of the mappings */
    __atomic_store_n(&t->sent, 1, __ATOMIC_RELEASE);
    if (RAW(SYS_rt_tgsigqueueinfo, tch_sampler.pid, t->tid, tch_sampler.signal, &info) < 0)
        t->sent = 0;
}

/* Returns the hexadecimal number after "NAME:" and a tab in the status file of a thread. */
static uint64_t read_status(uint32_t tid, const char *name)
{
    static char text[4096];
    char path[64];
    const char *at = text;

    raw_add_text(raw_add_number(raw_add_text(path, "/proc/self/task/"), tid), "/status");
    raw_read_file(path, text, sizeof text);
    while (*at) {
        size_t i = 0;

        while (name[i] && at[i] == name[i])
            i++;
        if (!name[i] && at[i] == ':' && at[i + 1]) {
            at += i + 2;
            return tch_ranges_number(&at);
        }
        while (*at && *at != '\n')
            at++;
        at += *at == '\n';
    }
    return 0;
}

/* Counts a thread that has not handled its signal for a while, if it blocks the signal. */
static void check_blocked(struct sampled *t, uint64_t now)
{
    if (t->blocked || now - t->sent_at <= BLOCKED_NS)
        return;
    t->sent_at = now; /* the time of the next check */
    if (read_status(t->tid, "SigBlk") >> (tch_sampler.signal - 1) & 1) {
        __atomic_fetch_add(&tch_sampler.ring->blocked, 1, __ATOMIC_RELAXED);
        t->blocked = 1;
    }
}

/* Takes back the count of a thread that blocked the signal for some time only. */
static void note_handled(struct sampled *t)
{
    if (t->blocked)
        __atomic_fetch_sub(&tch_sampler.ring->blocked, 1, __ATOMIC_RELAXED);
    t->blocked = 0;
}

/* Returns whether the handler runs on an alternate stack in the thread. A new thread gets it within
   a few instructions. */
static int is_safe(struct sampled *t)
{
    if (tch_sampler.own_stacks || tch_alt_stack_has(t->tid))
        return 1;
    if (++t->refused == REFUSED)
        __atomic_fetch_add(&tch_sampler.ring->unsafe, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Returns whether the thread has not been checked in every round. */
static int is_late(const struct sampled *t)
{
    return t->unchecked > LATE * (uint64_t)tch_sampler.ring->period_ns ||
           (t->idle > 0 && (tch_sampler.stride > 1 || tch_sampler.quiet >= REST_AFTER));
}

/* Plans the first sample of a thread that is noticed late. `before` is its CPU clock at the check
   before. If the sampler itself did not get a CPU, the thread may have been unchecked for very
   long; that says nothing about when it started. */
static void plan_first(struct sampled *t, uint64_t before)
{
    uint64_t most = LATEST * tch_sampler.stride * (uint64_t)tch_sampler.ring->period_ns;

    if (is_late(t)) {
        t->first = t->unchecked < most ? t->unchecked : most;
        t->held_until = before + t->first;
    }
    if (t->ran == before || t->ran >= t->held_until)
        t->first = t->held_until = 0;
}

/* Returns whether the thread is to be sampled now. A first sample would give a thread that waits
   for a CPU the time for which it waited. */
static int is_due(struct sampled *t)
{
    if (t->first && t->waits)
        t->first = t->held_until = 0;
    if (t->held_until && !t->first) { /* the first sample represents this time, too */
        t->sampled_at = t->ran;
        return 0;
    }
    if ((t->waits == 0 && t->named == tch_sampler.scan) || is_running(t))
        return 1;
    t->first = t->held_until = 0;
    return 0;
}

/* Signals the thread if it runs. */
static void check_thread(struct sampled *t, uint64_t now)
{
    uint64_t before = t->ran;
    uint64_t ran = raw_clock((int)(~t->tid << 3 | 6));

    t->unchecked = now - t->checked;
    t->checked = now;
    /* The clock of a thread on a CPU advances between two reads. */
    t->ran = ran == before ? ran : raw_clock((int)(~t->tid << 3 | 6));
    plan_first(t, before);
    t->idle = ran == before ? t->idle + 1 : 0;
    if (t->idle > 0)
        return;
    t->waits = t->ran == ran ? t->waits + 1 : 0;
    if (is_due(t) && is_safe(t)) {
        t->named = tch_sampler.scan;
        send_signal(t, now);
    }
}

/* Checks all threads that run, and some of those that sleep. */
static void check_all(uint64_t now, uint32_t round)
{
    uint32_t sleeping = 0, running = 0;

    for (uint32_t i = 0; i < tch_sampler.thread_count; i++) {
        struct sampled *t = &tch_sampler.threads[i];

        if (!t->tid)
            continue;
        if (__atomic_load_n(&t->sent, __ATOMIC_ACQUIRE)) {
            check_blocked(t, now);
        } else if (t->idle == 0 || (round + i) % tch_sampler.stride == 0) {
            note_handled(t);
            check_thread(t, now);
        }
        sleeping += t->idle > 0;
        running += t->idle == 0;
    }
    tch_sampler.stride = 1 + sleeping / IDLE_CHECKS;
    tch_sampler.quiet = running > 0 ? 0 : tch_sampler.quiet + 1;
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

/* Runs one round. Returns 0 if there are no threads left to sample. */
static int run_round(uint32_t self, uint64_t now, uint32_t round)
{
    if (round == 0 || now - tch_sampler.scanned > SCAN_NS) {
        if (scan_threads(self) == 0)
            return 0;
        tch_sampler.scanned = now;
        for (uint32_t i = 0; i < tch_sampler.thread_count; i++)
            tch_sampler.unbounded |= tch_sampler.threads[i].base && !tch_sampler.threads[i].high;
    }
    if (__atomic_load_n(&tch_sampler.stop, __ATOMIC_SEQ_CST))
        return 1; /* an exec has begun, and may fail */
    if (!signal_is_ours()) {
        if (__atomic_load_n(&tch_sampler.stop, __ATOMIC_SEQ_CST))
            return 1;
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_TAKEN_AWAY, __ATOMIC_RELAXED);
        return 0;
    }
    __atomic_store_n(&tch_sampler.sending, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&tch_sampler.traced, __ATOMIC_SEQ_CST))
        check_all(now, round);
    __atomic_store_n(&tch_sampler.sending, 0, __ATOMIC_SEQ_CST);
    return 1;
}

/* Returns the time to the next round. One expensive round, such as a scan for threads, does not
   delay it much: what counts is the usual cost of a round. */
static uint64_t next_period(uint64_t cost)
{
    uint64_t period = tch_sampler.ring->period_ns;

    tch_sampler.cost = (tch_sampler.cost * (COST_ROUNDS - 1) + cost) / COST_ROUNDS;
    if (tch_sampler.cost * COST > period)
        period = tch_sampler.cost * COST;
    if (tch_sampler.quiet >= REST_AFTER)
        period *= REST_PERIODS;
    return tch_ring_next_period(&tch_sampler.random, period);
}

/* Runs the sampler thread; called by the code in start_thread(). */
__attribute__((used, visibility("hidden"))) void tch_sampler_run(void);

void tch_sampler_run(void)
{
    uint32_t self = (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0);
    uint64_t next = raw_clock(1);
    uint64_t used = 0;

    RAW(SYS_close_range, 0, ~0u, 0, 0);
    short_slice();
    RAW(SYS_sched_getaffinity, 0, sizeof cpus, cpus, 0);
    for (uint32_t round = 0; !__atomic_load_n(&tch_sampler.ring->stop, __ATOMIC_ACQUIRE); round++) {
        struct raw_time at = {(int64_t)(next / 1000000000), (int64_t)(next % 1000000000)};
        uint64_t now, total;

        RAW(SYS_clock_nanosleep, 1, 1 /* TIMER_ABSTIME */, &at, 0);
        now = raw_clock(1);
        if (!run_round(self, now, round))
            break;
        if (__atomic_load_n(&tch_sampler.misled, __ATOMIC_RELAXED) >= MISLED) {
            __atomic_store_n(&tch_sampler.misled, 0, __ATOMIC_RELAXED);
            change_cpu();
        }
        total = raw_clock(3);
        next += next_period(total - used);
        used = total;
        if (next < now)
            next = now + tch_sampler.ring->period_ns / 2;
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
    tch_sampler.scanned = raw_clock(1);
    tch_sampler.stride = 1;
    tch_sampler.quiet = 0;
    tch_sampler.cost = 0;
    tch_sampler.stop = tch_sampler.sending = 0;
    tch_sampler.traced = 0; /* a child of fork() is not traced when its parent is */
    if (is_exec) {
        struct tch_ring_record head = tch_sampler_head(tch_sampler.pid, TCH_RING_EXEC);

        head.len = (uint32_t)raw_read_file("/proc/self/comm", comm, 17);
        head.len -= head.len > 0;
        tch_ring_note(tch_sampler.ring, head, comm);
    }
    tch_sampler.faults = 0;
    tch_sampler.ranges.files = tch_sampler.ranges.print = 0;
    tch_maps_read(raw_clock(1));
    if (start_thread() < 0)
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_NO_THREAD, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&tch_sampler.ring->processes, 1, __ATOMIC_RELAXED);
}
