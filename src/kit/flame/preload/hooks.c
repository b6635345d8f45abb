/*
 * Functions of the C library that a program could disturb the sampler with. Each keeps our signal
 * out of what the program does and calls the real one. Where the program is not sampled they only
 * call the real one.
 *
 *     sigaction, signal             our signal stays ours; what the program wants is kept
 *     pthread_sigmask, sigprocmask  our signal is not blocked
 *     exec...                       a signal that is pending would kill the new program
 *     pthread_create, thrd_create   a new thread sets an alternate stack for our handler
 *     sigaltstack                   our stack is used where the program sets no stack
 *     ptrace                        signals would stop a thread that asked to be traced
 */
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "sampler.h"

#define EXPORT __attribute__((visibility("default")))

typedef void on_number(int);

/* Each hook has the name of the function that it replaces. */
EXPORT int tch_sigaction(int number, const struct sigaction *action,
                         struct sigaction *before) __asm__("sigaction");
EXPORT on_number *tch_signal(int number, on_number *handler) __asm__("signal");
EXPORT int tch_pthread_sigmask(int how, const sigset_t *set,
                               sigset_t *before) __asm__("pthread_sigmask");
EXPORT int tch_sigprocmask(int how, const sigset_t *set, sigset_t *before) __asm__("sigprocmask");
EXPORT int tch_execve(const char *path, char *const argv[], char *const env[]) __asm__("execve");
EXPORT int tch_execv(const char *path, char *const argv[]) __asm__("execv");
EXPORT int tch_execvp(const char *file, char *const argv[]) __asm__("execvp");
EXPORT int tch_execvpe(const char *file, char *const argv[], char *const env[]) __asm__("execvpe");
EXPORT int tch_fexecve(int fd, char *const argv[], char *const env[]) __asm__("fexecve");
EXPORT int tch_execl(const char *path, const char *first, ...) __asm__("execl");
EXPORT int tch_execlp(const char *file, const char *first, ...) __asm__("execlp");
EXPORT int tch_execle(const char *path, const char *first, ...) __asm__("execle");

EXPORT int tch_sigaltstack(const stack_t *stack, stack_t *before) __asm__("sigaltstack");
EXPORT long tch_ptrace(long request, ...) __asm__("ptrace");
EXPORT int tch_pthread_create(void *thread, const void *attr, void *(*start)(void *),
                              void *arg) __asm__("pthread_create");
EXPORT int tch_thrd_create(void *thread, void *(*start)(void *), void *arg) __asm__("thrd_create");

/* Functions of the program's C library. The object is linked without one. */
extern void *dlsym(void *handle, const char *name) __attribute__((weak));
extern int *__errno_location(void) __attribute__((weak));
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *object) __attribute__((weak));
extern int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
    __attribute__((weak));

static void *next(const char *name)
{
    return dlsym((void *)-1L /* RTLD_NEXT */, name);
}

static int is_ours(int number)
{
    return tch_sampler.ring && number == tch_sampler.signal;
}

/* The action that the program set for our signal, which sigaction() reports to it. */
static struct sigaction kept;

/* Signals, one bit each, whose handlers are to run on an alternate stack, while the program has
   no such stack. They would run on ours, which may be too small for them. */
static uint64_t off_stack;

static int wants_stacks; /* 1: the program has set an alternate stack */

static uint64_t bit_of(int number)
{
    return (uint64_t)1 << (number - 1);
}

/* Removes SA_ONSTACK from an action if the program has no alternate stack, and remembers it. */
static void keep_off_stack(int number, struct sigaction *action)
{
    if (number < 1 || number > 64)
        return;
    if (action->sa_flags & SA_ONSTACK && !wants_stacks) {
        action->sa_flags &= ~SA_ONSTACK;
        __atomic_fetch_or(&off_stack, bit_of(number), __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_and(&off_stack, ~bit_of(number), __ATOMIC_RELAXED);
    }
}

/* Restores SA_ONSTACK before the program sets its first alternate stack. */
static void restore_on_stack(void)
{
    uint64_t signals = __atomic_exchange_n(&off_stack, 0, __ATOMIC_SEQ_CST);

    wants_stacks = 1;
    for (int number = 1; number <= 64; number++) {
        struct raw_sigaction action;

        if (!(signals & bit_of(number)) || RAW(SYS_rt_sigaction, number, 0, &action, 8) < 0)
            continue;
        action.flags |= SA_ONSTACK;
        action.mask |= bit_of(tch_sampler.signal);
        RAW(SYS_rt_sigaction, number, &action, 0, 8);
    }
}

int tch_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    int (*real)(int, const struct sigaction *, struct sigaction *) = next("sigaction");
    uint64_t was_off = __atomic_load_n(&off_stack, __ATOMIC_RELAXED);
    struct sigaction changed;
    int result;

    if (is_ours(number)) {
        if (before)
            *before = kept;
        if (action) {
            kept = *action;
            tch_sampler_wanted = (struct raw_sigaction){.handler = (void *)action->sa_handler};
        }
        return 0;
    }
    /* An alternate stack may be too small for two signals. Other handlers are sampled, including
       those that block all signals. */
    if (action && tch_sampler.ring) {
        uint64_t ours = bit_of(tch_sampler.signal);
        uint64_t *mask = (uint64_t *)&changed.sa_mask;

        changed = *action;
        keep_off_stack(number, &changed);
        *mask = changed.sa_flags & SA_ONSTACK ? *mask | ours : *mask & ~ours;
        action = &changed;
    }
    result = real(number, action, before);
    if (result == 0 && before && was_off & bit_of(number))
        before->sa_flags |= SA_ONSTACK;
    return result;
}

int tch_sigaltstack(const stack_t *stack, stack_t *before)
{
    struct raw_stack now;
    struct raw_stack wanted = {0};
    long result;

    if (stack) {
        wanted = (struct raw_stack){
            .base = stack->ss_sp, .flags = stack->ss_flags, .size = stack->ss_size};
        if (tch_sampler.ring && !(wanted.flags & SS_DISABLE))
            restore_on_stack();
    }
    result = tch_alt_stack_set(stack ? &wanted : 0, before ? &now : 0);
    if (result < 0) {
        if (__errno_location)
            *__errno_location() = (int)-result;
        return -1;
    }
    if (before)
        *before = (stack_t){.ss_sp = now.base, .ss_flags = now.flags, .ss_size = now.size};
    return 0;
}

/* A signal stops a thread that has asked to be traced, and its parent may not expect that. Waits
   until the sampler has sent its last signal, which this thread handles before the next call. */
long tch_ptrace(long request, ...)
{
    long (*real)(long, ...) = next("ptrace");
    va_list words;
    long pid, addr, data;

    va_start(words, request);
    pid = va_arg(words, long);
    addr = va_arg(words, long);
    data = va_arg(words, long);
    va_end(words);
    if (request == 0 /* PTRACE_TRACEME */ && tch_sampler.ring &&
        (uint32_t)RAW(SYS_getpid, 0, 0, 0, 0) == tch_sampler.pid) {
        __atomic_store_n(&tch_sampler.traced, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_TRACED, __ATOMIC_RELAXED);
        while (__atomic_load_n(&tch_sampler.sending, __ATOMIC_SEQ_CST))
            RAW(SYS_sched_yield, 0, 0, 0, 0);
        RAW(SYS_getpid, 0, 0, 0, 0);
    }
    return real(request, pid, addr, data);
}

on_number *tch_signal(int number, on_number *handler)
{
    on_number *(*real)(int, on_number *) = next("signal");
    on_number *before = kept.sa_handler;

    if (!is_ours(number)) {
        if (number >= 1 && number <= 64)
            __atomic_fetch_and(&off_stack, ~bit_of(number), __ATOMIC_RELAXED);
        return real(number, handler);
    }
    kept = (struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART};
    tch_sampler_wanted = (struct raw_sigaction){.handler = (void *)handler};
    return before;
}

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *changed)
{
    if (!set || !tch_sampler.ring || how == SIG_UNBLOCK)
        return set;
    *changed = *set;
    ((uint64_t *)changed)[0] &= ~bit_of(tch_sampler.signal);
    return changed;
}

int tch_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    int (*real)(int, const sigset_t *, sigset_t *) = next("pthread_sigmask");
    sigset_t changed;

    return real(how, without_ours(how, set, &changed), before);
}

int tch_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    int (*real)(int, const sigset_t *, sigset_t *) = next("sigprocmask");
    sigset_t changed;

    return real(how, without_ours(how, set, &changed), before);
}

/* Ignores our signal, which also drops a pending one: the new program has no handler for it. A
   child of vfork() shares our memory and has no sampler. Returns whether resume() is to be called.
 */
static int pause_sampler(void)
{
    struct raw_sigaction ignore = {.handler = (void *)1};

    if (!tch_sampler.ring || (uint32_t)RAW(SYS_getpid, 0, 0, 0, 0) != tch_sampler.pid)
        return 0;
    __atomic_store_n(&tch_sampler.stop, 1, __ATOMIC_SEQ_CST);
    RAW(SYS_rt_sigaction, tch_sampler.signal, &ignore, 0, 8);
    return 1;
}

static void resume(int paused)
{
    if (!paused)
        return;
    for (uint32_t i = 0; i < tch_sampler.thread_count; i++)
        tch_sampler.threads[i].sent = 0;
    tch_handler_reinstall();
    __atomic_store_n(&tch_sampler.stop, 0, __ATOMIC_SEQ_CST);
}

int tch_execve(const char *path, char *const argv[], char *const env[])
{
    int (*real)(const char *, char *const[], char *const[]) = next("execve");
    int paused = pause_sampler();
    int result = real(path, argv, env);

    resume(paused);
    return result;
}

int tch_execv(const char *path, char *const argv[])
{
    int (*real)(const char *, char *const[]) = next("execv");
    int paused = pause_sampler();
    int result = real(path, argv);

    resume(paused);
    return result;
}

int tch_execvp(const char *file, char *const argv[])
{
    int (*real)(const char *, char *const[]) = next("execvp");
    int paused = pause_sampler();
    int result = real(file, argv);

    resume(paused);
    return result;
}

int tch_execvpe(const char *file, char *const argv[], char *const env[])
{
    int (*real)(const char *, char *const[], char *const[]) = next("execvpe");
    int paused = pause_sampler();
    int result = real(file, argv, env);

    resume(paused);
    return result;
}

int tch_fexecve(int fd, char *const argv[], char *const env[])
{
    int (*real)(int, char *const[], char *const[]) = next("fexecve");
    int paused = pause_sampler();
    int result = real(fd, argv, env);

    resume(paused);
    return result;
}

/* Counts the words up to the NULL, which is counted too. */
static size_t count_words(va_list words)
{
    size_t count = 1;

    while (va_arg(words, const char *))
        count++;
    return count;
}

/* Makes an array of the words of execl() and its kind. */
#define GATHER(first)                     \
    va_list words, again;                 \
    size_t count;                         \
    va_start(words, first);               \
    va_copy(again, words);                \
    count = count_words(again) + 1;       \
    va_end(again);                        \
    char *argv[count];                    \
    argv[0] = (char *)(uintptr_t)(first); \
    for (size_t i = 1; i < count; i++)    \
    argv[i] = va_arg(words, char *)

int tch_execl(const char *path, const char *first, ...)
{
    GATHER(first);
    va_end(words);
    return tch_execv(path, argv);
}

int tch_execlp(const char *file, const char *first, ...)
{
    GATHER(first);
    va_end(words);
    return tch_execvp(file, argv);
}

int tch_execle(const char *path, const char *first, ...)
{
    char *const *env;

    GATHER(first);
    env = va_arg(words, char *const *);
    va_end(words);
    return tch_execve(path, argv, env);
}

/* The function of a new thread, and its argument. */
struct start {
    void *(*run)(void *);
    void *arg;
};

/* Called first in a new thread. */
__attribute__((used, visibility("hidden"))) struct start tch_thread_enter(struct tch_alt_stack *s);

struct start tch_thread_enter(struct tch_alt_stack *s)
{
    struct start start = {s->start, s->arg};

    tch_alt_stack_enter(s);
    return start;
}

__attribute__((visibility("hidden"))) void *tch_thread_begin(void *stack);

/* Jumps to the thread's function, so that stacks have no frame of ours. */
__asm__(".text\n"
        ".globl tch_thread_begin\n"
        ".hidden tch_thread_begin\n"
        ".type tch_thread_begin, @function\n"
        "tch_thread_begin:\n"
        ".cfi_startproc\n"
        "    sub $8, %rsp\n"
        ".cfi_def_cfa_offset 16\n"
        "    call tch_thread_enter\n"
        "    add $8, %rsp\n"
        ".cfi_def_cfa_offset 8\n"
        "    mov %rdx, %rdi\n"
        "    jmp *%rax\n"
        ".cfi_endproc\n");

static int begun; /* 1: begin() has decided whether this process is sampled */

/* Reserves an alternate stack for a new thread. Libraries may start threads before begin() runs.
   Sanitizers set alternate stacks of their own, and unmap any that they find when a thread exits.
 */
static struct tch_alt_stack *reserve_stack(void *(*run)(void *), void *arg)
{
    struct tch_alt_stack *s;

    if ((begun && !tch_sampler.ring) || !dlsym || dlsym(0, "__sanitizer_set_death_callback"))
        return 0;
    s = tch_alt_stack_reserve();
    if (s) {
        s->start = run;
        s->arg = arg;
    }
    return s;
}

int tch_pthread_create(void *thread, const void *attr, void *(*start)(void *), void *arg)
{
    int (*real)(void *, const void *, void *(*)(void *), void *) = next("pthread_create");
    struct tch_alt_stack *s = reserve_stack(start, arg);
    int result;

    if (!s)
        return real(thread, attr, start, arg);
    result = real(thread, attr, tch_thread_begin, s);
    if (result != 0)
        tch_alt_stack_release(s);
    return result;
}

int tch_thrd_create(void *thread, void *(*start)(void *), void *arg)
{
    int (*real)(void *, void *(*)(void *), void *) = next("thrd_create");
    struct tch_alt_stack *s = reserve_stack(start, arg);
    int result;

    if (!s)
        return real(thread, start, arg);
    result = real(thread, tch_thread_begin, s);
    if (result != 0 /* thrd_success */)
        tch_alt_stack_release(s);
    return result;
}

/* The thread that forks. The C library allows one at a time. */
static uint32_t forking;

static void before_fork(void)
{
    forking = (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0);
}

/* Starts a sampler in a forked child, because threads do not survive a fork. */
static void after_fork(void)
{
    tch_alt_stack_forked(forking);
    tch_sampler_start(0);
}

/* Returns the value of a variable in the environment with which the program was started. */
static const char *find_variable(const char *text, size_t len, const char *name)
{
    for (size_t at = 0; at < len;) {
        size_t i = 0;

        while (name[i] && text[at + i] == name[i])
            i++;
        if (!name[i])
            return text + at + i;
        while (at < len && text[at])
            at++;
        at++;
    }
    return 0;
}

/* Maps the ring. Opens it by its path, because an exec closes descriptors. */
static struct tch_ring_head *map_ring(const char *path)
{
    struct tch_ring_head head;
    long fd = RAW(SYS_openat, -100, path, 2 /* O_RDWR */ | 02000000, 0);
    long ring = -1;
    uint64_t bytes;

    if (fd < 0)
        return 0;
    if (RAW(SYS_read, fd, &head, 64, 0) == 64 && head.magic == TCH_RING_MAGIC &&
        head.version == TCH_RING_VERSION && !head.stop) {
        bytes = TCH_RING_DATA + (uint64_t)head.slots * head.slot_bytes;
        ring = raw6(SYS_mmap, 0, (long)bytes, 3, 1 /* MAP_SHARED */, fd, 0);
    }
    RAW(SYS_close, fd, 0, 0, 0);
    return ring > 0 ? (struct tch_ring_head *)ring : 0;
}

__attribute__((constructor)) static void begin(void)
{
    static char environment[1 << 17];
    struct tch_alt_stack *stack;
    uint64_t own, unblock;
    size_t len = raw_read_file("/proc/self/environ", environment, sizeof environment);
    const char *path = find_variable(environment, len, "TACHO_SAMPLER_RING=");

    tch_sampler.ring = path && dlsym ? map_ring(path) : 0;
    begun = 1;
    if (!tch_sampler.ring)
        return;
    tch_sampler.signal = tch_handler_install();
    if (tch_sampler.signal == 0) {
        __atomic_fetch_or(&tch_sampler.ring->trouble, TCH_TROUBLE_NO_SIGNAL, __ATOMIC_RELAXED);
        tch_sampler.ring = 0;
        return;
    }
    unblock = (uint64_t)1 << (tch_sampler.signal - 1);
    RAW(SYS_rt_sigprocmask, 1 /* SIG_UNBLOCK */, &unblock, 0, 8);
    tch_sampler.own_stacks = dlsym(0, "__sanitizer_set_death_callback") != 0;
    stack = reserve_stack(0, 0);
    if (stack)
        tch_alt_stack_enter(stack);
    if (__register_atfork)
        __register_atfork(before_fork, 0, after_fork, 0);
    else if (pthread_atfork)
        pthread_atfork(before_fork, 0, after_fork);
    tch_sampler.stack_low = (uint64_t)&own;
    tch_sampler_start(1);
}
