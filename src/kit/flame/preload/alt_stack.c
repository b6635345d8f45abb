/*
 * Gives each thread an alternate stack for the sampler's signal. Without it the kernel would write
 * the signal's frame below the stack pointer. Some code uses that register for something else, and
 * the frame would overwrite other memory or kill the program.
 *
 * Only a thread itself can set its alternate stack, so the hook of pthread_create() makes a new
 * thread call tch_alt_stack_enter() first. The sampler signals no other threads.
 *
 * The table only grows. An entry belongs to the thread `owner`, to nobody (0), or to a thread that
 * is about to start (STARTING). An entry whose owner has exited is taken by compare and swap. An
 * alternate stack of the program is left in place if it is large enough for our handler.
 */
#include "sampler.h"

enum {
    STACK_BYTES = 64 * 1024,
    ROOMY = 8192, /* a program's own stack of this size has room for our handler */
    TRIED = 8,    /* entries that are tried before the table grows */
    NO_PROCESS = -3,
    DISABLED = 2, /* SS_DISABLE */
    ON_STACK = 1, /* SS_ONSTACK */
};

#define STARTING (~(uint32_t)0)

static struct tch_alt_stack table[SAMPLER_THREADS];
static uint32_t count;
static uint32_t hint;

static int map_memory(struct tch_alt_stack *s)
{
    if (!s->base) {
        long base = raw6(SYS_mmap, 0, STACK_BYTES, 3 /* read, write */,
                         0x4022 /* MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE */, -1, 0);

        s->base = base > 0 ? (char *)base : 0;
    }
    return s->base != 0;
}

static int claim(struct tch_alt_stack *s)
{
    uint32_t owner = __atomic_load_n(&s->owner, __ATOMIC_RELAXED);
    long pid = RAW(SYS_getpid, 0, 0, 0, 0);

    if (owner == STARTING || (owner && RAW(SYS_tgkill, pid, owner, 0, 0) != NO_PROCESS))
        return 0;
    return __atomic_compare_exchange_n(&s->owner, &owner, STARTING, 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Claims one of `most` entries. */
static struct tch_alt_stack *claim_used(uint32_t most)
{
    uint32_t used = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < most && i < used; i++) {
        struct tch_alt_stack *s = &table[__atomic_fetch_add(&hint, 1, __ATOMIC_RELAXED) % used];

        if (claim(s))
            return s;
    }
    return 0;
}

static struct tch_alt_stack *claim_new(void)
{
    uint32_t used = __atomic_load_n(&count, __ATOMIC_RELAXED);

    while (used < SAMPLER_THREADS)
        if (__atomic_compare_exchange_n(&count, &used, used + 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return claim(&table[used]) ? &table[used] : claim_used(TRIED);
    return claim_used(SAMPLER_THREADS);
}

struct tch_alt_stack *tch_alt_stack_reserve(void)
{
    struct tch_alt_stack *s = claim_used(TRIED);

    if (!s)
        s = claim_new();
    if (!s)
        return 0;
    s->wanted = (struct raw_stack){.flags = DISABLED};
    if (map_memory(s))
        return s;
    tch_alt_stack_release(s);
    return 0;
}

void tch_alt_stack_release(struct tch_alt_stack *s)
{
    __atomic_store_n(&s->owner, 0, __ATOMIC_RELEASE);
}

static long set_ours(const struct tch_alt_stack *s)
{
    struct raw_stack ours = {.base = s->base, .size = STACK_BYTES};

    return RAW(SYS_sigaltstack, &ours, 0, 0, 0);
}

void tch_alt_stack_enter(struct tch_alt_stack *s)
{
    struct raw_stack now = {.flags = DISABLED};
    long tid = RAW(SYS_gettid, 0, 0, 0, 0);

    RAW(SYS_sigaltstack, 0, &now, 0, 0);
    if ((now.flags & DISABLED || now.size < ROOMY) && set_ours(s) < 0)
        tch_alt_stack_release(s);
    else
        __atomic_store_n(&s->owner, (uint32_t)tid, __ATOMIC_RELEASE);
}

int tch_alt_stack_has(uint32_t tid)
{
    uint32_t used = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < used; i++)
        if (__atomic_load_n(&table[i].owner, __ATOMIC_ACQUIRE) == tid)
            return 1;
    return 0;
}

void tch_alt_stack_forked(uint32_t parent_tid)
{
    uint32_t tid = (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0);

    for (uint32_t i = 0; i < count; i++)
        table[i].owner = table[i].owner == parent_tid ? tid : 0;
}

static struct tch_alt_stack *own(void)
{
    uint32_t tid = (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0);

    for (uint32_t i = 0; i < count; i++)
        if (table[i].owner == tid)
            return &table[i];
    return 0;
}

long tch_alt_stack_set(const struct raw_stack *wanted, struct raw_stack *before)
{
    struct tch_alt_stack *s = own();
    struct raw_stack now = {.flags = DISABLED};
    int is_ours;
    long result = 0;

    if (!s)
        return RAW(SYS_sigaltstack, wanted, before, 0, 0);
    RAW(SYS_sigaltstack, 0, &now, 0, 0);
    is_ours = now.base == s->base;
    if (wanted && (wanted->flags & DISABLED || wanted->size < ROOMY)) {
        enum { SMALLEST = 2048, NO_MEMORY = -12 };
        if (!(wanted->flags & DISABLED) && wanted->size < SMALLEST)
            return NO_MEMORY; /* as the kernel does */
        result = set_ours(s); /* fails in a handler that runs on an alternate stack */
    } else if (wanted) {
        result = RAW(SYS_sigaltstack, wanted, 0, 0, 0);
    }
    if (result < 0)
        return result;
    if (before)
        *before = is_ours ? s->wanted : now;
    if (before && is_ours && !(s->wanted.flags & DISABLED))
        before->flags |= now.flags & ON_STACK;
    if (wanted)
        s->wanted = *wanted;
    return 0;
}
