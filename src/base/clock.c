/* Chooses the clock that ticks come from and converts ticks to nanoseconds. */
#include "clock.h"

#include <pthread.h>
#include <sys/timex.h>

#include "file.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

atomic_bool tch_ticks_are_tsc;

uint64_t tch_wall_error_ns(void)
{
    struct timex t = {.modes = 0}; /* modes 0: read, change nothing */
    int state = adjtimex(&t);

    if (state < 0)
        return 0;
    if (state == TIME_ERROR || (t.status & STA_UNSYNC))
        return TCH_WALL_UNSYNCED;
    return ((uint64_t)t.maxerror + 1) * 1000;
}

void tch_utc_text(char text[TCH_TIME_TEXT], uint64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000u);
    struct tm utc;

    gmtime_r(&seconds, &utc);
    strftime(text, TCH_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Choosing. */

static _Atomic(const char *) why_not_tsc;
static pthread_once_t chosen = PTHREAD_ONCE_INIT;

static bool tsc_is_invariant(void)
{
#if defined(__x86_64__)
    const unsigned power_leaf = 0x80000007;
    enum { EDX_INVARIANT = 1 << 8 };
    unsigned a, b, c, d;

    return __get_cpuid(power_leaf, &a, &b, &c, &d) && (d & EDX_INVARIANT);
#else
    return false;
#endif
}

const char *tch_clock_judge_tsc(bool invariant, const char *clocksource)
{
    /* Both clock sources read the TSC. The kernel stops using them when the TSCs of the CPUs
       disagree. */
    static const char *const good[] = {"tsc", "kvm-clock"};

    if (!invariant)
        return "the CPU has no invariant time stamp counter";
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (strcmp(clocksource, good[i]) == 0)
            return NULL;
    return "the kernel does not keep time by the time stamp counter";
}

static void choose(void)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    const char *asked = getenv("TACHO_CLOCK");
    char mem[64];
    struct tch_buf name;

    if (asked && strcmp(asked, "monotonic") == 0) {
        why_not_tsc = "TACHO_CLOCK=monotonic asks for another clock";
        return;
    }
    tch_buf_init_on(&name, mem, sizeof mem, sizeof mem - 1);
    if (tch_file_read(path, sizeof mem - 1, &name, NULL) < 0)
        tch_buf_clear(&name);
    name.data[strcspn(name.data, "\n")] = '\0';
    why_not_tsc = tch_clock_judge_tsc(tsc_is_invariant(), name.data);
    tch_buf_release(&name);
}

const char *tch_clock_why_not_tsc(void)
{
    pthread_once(&chosen, choose);
    return why_not_tsc;
}

/* Calibrating. */

/* Reads ticks between two readings of CLOCK_MONOTONIC. Returns the try whose two readings are
   closest together, because an interrupt between them makes a try less accurate. */
static struct tch_clock_pair measure_pair(void)
{
    enum { TRIES = 10 };
    struct tch_clock_pair best = {.error = UINT64_MAX};
    uint64_t now;

    if (!atomic_load_explicit(&tch_ticks_are_tsc, memory_order_relaxed)) {
        now = tch_now_ns();
        return (struct tch_clock_pair){now, now, 1}; /* ticks are ns: exact */
    }
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = tch_now_ns();
        uint64_t ticks = tch_ticks();
        uint64_t width = tch_now_ns() - before;

        if (width / 2 < best.error)
            best = (struct tch_clock_pair){ticks, before + width / 2, width - width / 2};
    }
    return best;
}

void tch_clock_set(struct tch_clock *c, struct tch_clock_pair first, struct tch_clock_pair last)
{
    uint64_t ticks = last.ticks - first.ticks;

    *c = (struct tch_clock){.first = first, .last = last};
    c->rate = tch_u128_div(tch_u128_mul(last.ns - first.ns, UINT64_C(1) << TCH_CLOCK_SHIFT), ticks);
}

void tch_clock_set_ns(struct tch_clock *c, struct tch_clock_pair first)
{
    *c = (struct tch_clock){.first = first, .last = first, .rate = UINT64_C(1) << TCH_CLOCK_SHIFT};
}

bool tch_clock_calibrate(struct tch_clock *c)
{
    enum { TRIES = 1000 }; /* about half a millisecond */
    struct tch_clock_pair last = measure_pair();

    if (!atomic_load_explicit(&tch_ticks_are_tsc, memory_order_relaxed)) {
        if (last.ns < c->last.ns)
            return false;
        c->last = last;
        return true;
    }
    for (int i = 1; last.ns <= c->last.ns && i < TRIES; i++)
        last = measure_pair();
    if (last.ns <= c->last.ns)
        return false;
    /* A virtual machine that moved to another host may count from another number. The line so far
       is the best available. */
    if (last.ticks > c->first.ticks)
        tch_clock_set(c, c->first, last);
    return true;
}

struct tch_clock_pair tch_clock_pair_now(void)
{
    if (!tch_clock_why_not_tsc())
        atomic_store_explicit(&tch_ticks_are_tsc, true, memory_order_relaxed);
    return measure_pair();
}

bool tch_clock_init(struct tch_clock *c)
{
    tch_clock_set_ns(c, tch_clock_pair_now());
    if (tch_clock_calibrate(c))
        return true;
    /* The rate of the TSC cannot be measured. */
    atomic_store(&why_not_tsc, "CLOCK_MONOTONIC does not advance");
    atomic_store_explicit(&tch_ticks_are_tsc, false, memory_order_relaxed);
    tch_clock_set_ns(c, measure_pair());
    return false;
}
