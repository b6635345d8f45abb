/* Handles the sampler's signal: copies the registers and the top of the stack of the interrupted
   thread into the ring. */
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "sampler.h"

enum {
    SIGNAL_FIRST = 60, /* tried first, then the lower ones; few programs use these */
    SIGNAL_LAST = 40,
    RAW_SIGINFO = 4,
    RAW_ONSTACK = 0x08000000,
    RAW_RESTART = 0x10000000,
    RAW_RESTORER = 0x04000000,
    ARCH_GET_FS_CODE = 0x1003,
    WAITS_ALWAYS = 32, /* a thread that waited at this many checks shares our only CPU */
    SPREAD = 16,       /* samples over which errors of the weights are corrected */
    BURSTS_FOR = 16,   /* a thread that has not slept between this many signals is busy */
};

struct raw_sigaction tch_sampler_wanted;

__attribute__((visibility("hidden"))) void tch_handler_return(void);

/* A handler returns to this code, which calls rt_sigreturn(2). */
__asm__(".text\n"
        ".globl tch_handler_return\n"
        ".hidden tch_handler_return\n"
        ".type tch_handler_return, @function\n"
        "tch_handler_return:\n"
        "    mov $15, %rax\n"
        "    syscall\n");

/* Copies the stack. The bounds of a thread's own stack are known. Only the kernel knows where
   another stack ends, such as that of a coroutine or of a signal handler, so the kernel copies
   it. */
static uint32_t copy_stack(const struct sampled *thread, uint64_t from, uint8_t *to, uint32_t len)
{
    struct {
        uint64_t base;
        uint64_t len;
    } local = {(uint64_t)to, len}, remote = {from, len};
    long got;

    if (from >= thread->low && from < thread->high) {
        if (len > thread->high - from)
            len = (uint32_t)(thread->high - from);
        memcpy(to, (const void *)from, len);
        return len;
    }
    got = raw6(SYS_process_vm_readv, tch_sampler.pid, (long)&local, 1, (long)&remote, 1, 0);
    if (got < 0)
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_NO_MEMORY, __ATOMIC_RELAXED);
    return got > 0 ? (uint32_t)got : 0;
}

static void copy_registers(const greg_t *g, uint64_t *regs)
{
    static const uint8_t order[TCH_RING_REGS] = {
        REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    for (int i = 0; i < TCH_RING_REGS; i++)
        regs[i] = (uint64_t)g[order[i]];
}

/* Returns the CPU time that a sample represents. For a thread that did not sleep since its last
   sample, that is the CPU time since then. For one that slept it would grow with the time since it
   woke up, so the code before its next sleep would get too much. Its sample represents the time
   since the last check, wherever in that time it woke up, which is right on average only. So the
   next samples correct a part of what the weights so far differ from the CPU time. */
static uint64_t weight_of(const struct sampled *thread, uint64_t ran)
{
    uint64_t weight = ran - thread->sampled_at;
    int64_t corrected;

    if (thread->first)
        weight = thread->first;
    else if (thread->bursts == BURSTS_FOR) /* it has slept */
        weight = thread->unchecked;
    corrected = (int64_t)weight + (int64_t)(ran - thread->claimed - weight) / SPREAD;
    return corrected > 0 ? (uint64_t)corrected : 0;
}

static void take_sample(struct sampled *thread, const greg_t *g)
{
    uint64_t ran = raw_clock(3 /* CLOCK_THREAD_CPUTIME_ID */);
    int slot = tch_ring_claim(tch_sampler.ring, thread->tid);
    struct tch_ring_record *record;

    if (slot < 0)
        return;
    record = tch_ring_slot(tch_sampler.ring, (uint32_t)slot);
    record->kind = TCH_RING_SAMPLE;
    record->pid = tch_sampler.pid;
    record->tid = thread->tid;
    record->time = thread->time;
    record->weight = weight_of(thread, ran);
    copy_registers(g, record->regs);
    record->len = copy_stack(thread, (uint64_t)g[REG_RSP] - TCH_RED_ZONE, record->data,
                             tch_sampler.ring->stack_bytes);
    thread->sampled_at = ran;
    thread->claimed += record->weight;
    thread->first = 0;
    tch_ring_publish(tch_sampler.ring, slot, thread->tid);
    if (!tch_ranges_have(&tch_sampler.ranges, (uint64_t)g[REG_RIP]))
        tch_sampler.stale = 1;
}

/* Passes a signal that another process or the program sent to the program's own handler. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    struct raw_sigaction wanted = tch_sampler_wanted;

    if (wanted.handler == (void *)1) /* SIG_IGN */
        return;
    if (wanted.handler) {
        ((void (*)(int, siginfo_t *, void *))wanted.handler)(number, info, context);
        return;
    }
    RAW(SYS_rt_sigaction, number, &wanted, 0,
        8); /* the default action, which terminates the program */
    RAW(SYS_tgkill, tch_sampler.pid, RAW(SYS_gettid, 0, 0, 0, 0), number, 0);
}

/* Notes whether the thread works in bursts: whether it slept between two of its last signals. A
   thread that only waited for a CPU was not noticed late, so it has no first sample. */
static void note_sleep(struct sampled *thread)
{
    struct rusage usage;
    uint64_t slept;

    RAW(SYS_getrusage, RUSAGE_THREAD, &usage, 0, 0);
    slept = (uint64_t)usage.ru_nvcsw + 1;
    if (thread->slept && slept != thread->slept)
        thread->bursts = BURSTS_FOR;
    else
        thread->bursts -= thread->bursts > 0;
    if (slept == thread->slept)
        thread->first = thread->held_until = 0;
    thread->slept = slept;
}

/* Returns whether a sample would mislead: the thread works in bursts and was waiting for a CPU. The
   sample may show where the thread woke up, not where it runs. And because the kernel does not let
   the sampler interrupt a thread on its own CPU that has just woken up, such samples are late in
   each burst. The next samples get their CPU time. A thread that shares its only CPU with the
   sampler always waits, so it is sampled anyway. */
static int is_misleading(const struct sampled *thread)
{
    if (thread->bursts == 0 || thread->waits == 0 || thread->waits >= WAITS_ALWAYS)
        return 0;
    __atomic_fetch_add(&tch_sampler.misled, 1, __ATOMIC_RELAXED);
    return 1;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct sampled *thread = info->si_value.sival_ptr;
    const ucontext_t *interrupted = context;

    if (info->si_code != SI_QUEUE || thread < tch_sampler.threads ||
        thread >= tch_sampler.threads + SAMPLER_THREADS) {
        pass_on(number, info, context);
        return;
    }
    /* The list of threads in /proc can miss one while others exit. Its entry is then removed, and
       may belong to another thread when the signal arrives. */
    if (thread->sent == 0 || thread->tid != (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0))
        return;
    if (!thread->base)
        RAW(SYS_arch_prctl, ARCH_GET_FS_CODE, &thread->base, 0, 0);
    note_sleep(thread);
    if (tch_sampler.ring && !tch_sampler.stop && !is_misleading(thread))
        take_sample(thread, interrupted->uc_mcontext.gregs);
    __atomic_store_n(&thread->sent, 0, __ATOMIC_RELEASE);
}

static long set_handler(int number)
{
    struct raw_sigaction ours = {
        .handler = (void *)on_signal,
        .flags = RAW_SIGINFO | RAW_ONSTACK | RAW_RESTART | RAW_RESTORER,
        .restorer = tch_handler_return,
        .mask = ~(uint64_t)0, /* blocks all signals, so that no other handler interrupts this one */
    };

    return RAW(SYS_rt_sigaction, number, &ours, 0, 8);
}

/* Also takes a signal that is ignored: a sampler ignored it before the exec of this program. */
int tch_handler_install(void)
{
    for (int number = SIGNAL_FIRST; number >= SIGNAL_LAST; number--) {
        struct raw_sigaction before;

        if (RAW(SYS_rt_sigaction, number, 0, &before, 8) == 0 &&
            (!before.handler || before.handler == (void *)1) && set_handler(number) == 0)
            return number;
    }
    return 0;
}

void tch_handler_reinstall(void)
{
    set_handler(tch_sampler.signal);
}
