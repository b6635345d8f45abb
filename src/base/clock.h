/*
 * Time: cheap ticks for the hot path, and what they are in nanoseconds of CLOCK_MONOTONIC.
 *
 *     struct tch_clock c;
 *     tch_clock_init(&c);                       once, before the first tick
 *     uint64_t t = tch_ticks();                 as often as needed
 *     tch_clock_calibrate(&c);                  now and then, and at the end
 *     uint64_t ns = tch_clock_ns(&c, t);
 *
 * Ticks are the CPU's time stamp counter (TSC) where that can be trusted and TACHO_CLOCK=monotonic
 * is not in the environment, else nanoseconds of CLOCK_MONOTONIC. The wall clock plays no part:
 * when it jumps, durations stay right.
 */
#ifndef TCH_CLOCK_H
#define TCH_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "u128.h"

static inline uint64_t tch_clock_read(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t); /* cannot fail for the clocks used here */
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/** Returns a CPU time of struct rusage in nanoseconds. */
static inline uint64_t tch_timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/** Returns CLOCK_MONOTONIC, for durations. */
static inline uint64_t tch_now_ns(void)
{
    return tch_clock_read(CLOCK_MONOTONIC);
}

/** Returns CLOCK_REALTIME since 1970, to show a time to people. It may jump. */
static inline uint64_t tch_wall_ns(void)
{
    return tch_clock_read(CLOCK_REALTIME);
}

enum { TCH_TIME_TEXT = 32 };

/** Writes nanoseconds since 1970 as "2026-01-31T12:00:00Z", NUL-terminated. */
void tch_utc_text(char text[TCH_TIME_TEXT], uint64_t unix_ns);

#define TCH_WALL_UNSYNCED UINT64_MAX

/** Returns the largest error of the wall clock in nanoseconds, as the kernel estimates it.
    Returns TCH_WALL_UNSYNCED if nothing synchronises the clock, 0 if there is no estimate. */
uint64_t tch_wall_error_ns(void);

/** Whether ticks are the TSC. Set by the first tch_clock_init() of the process. It changes at most
    once: to false, in a tch_clock_init() that finds that CLOCK_MONOTONIC does not advance. */
extern atomic_bool tch_ticks_are_tsc;

/** Returns the time in ticks. The read is not ordered against the instructions around it, which
    blurs it by a few nanoseconds. */
static inline uint64_t tch_ticks(void)
{
#if defined(__x86_64__)
    if (atomic_load_explicit(&tch_ticks_are_tsc, memory_order_relaxed))
        return __builtin_ia32_rdtsc();
#endif
    return tch_now_ns();
}

/** One instant on both clocks. */
struct tch_clock_pair {
    uint64_t ticks;
    uint64_t ns;    /**< CLOCK_MONOTONIC */
    uint64_t error; /**< largest error of ns, in ns */
};

/** Two instants, as far apart as possible, and the straight line through them. */
struct tch_clock {
    struct tch_clock_pair first;
    struct tch_clock_pair last;
    uint64_t rate; /**< ns per tick, times 2^TCH_CLOCK_SHIFT */
};

enum { TCH_CLOCK_SHIFT = 48 };

/** Chooses the clock of ticks, unless an earlier call did, and measures two pairs in quick
    succession. Conversion is inaccurate until tch_clock_calibrate(). Returns false when
    CLOCK_MONOTONIC does not advance or goes back. Ticks are then its nanoseconds, right or
    wrong. */
bool tch_clock_init(struct tch_clock *c);

/** Measures the last pair again. Between first and last, conversion is as exact as the pairs are,
    some ten nanoseconds. The line also covers times before and after, less exactly the farther away
    they are. May not be called while another thread uses c. Returns false and keeps the line when
    CLOCK_MONOTONIC does not advance or goes back. */
bool tch_clock_calibrate(struct tch_clock *c);

/** Chooses the clock of ticks, unless an earlier call did, and measures a pair. */
struct tch_clock_pair tch_clock_pair_now(void);

/** Returns how many nanoseconds so many ticks are. */
static inline uint64_t tch_clock_width_ns(const struct tch_clock *c, uint64_t ticks)
{
    tch_u128 product = tch_u128_mul(ticks, c->rate);

    return product.high << (64 - TCH_CLOCK_SHIFT) | product.low >> TCH_CLOCK_SHIFT;
}

/** Converts ticks to nanoseconds of CLOCK_MONOTONIC. The result never falls while ticks rise, until
    the next calibration. */
static inline uint64_t tch_clock_ns(const struct tch_clock *c, uint64_t ticks)
{
    if (ticks >= c->first.ticks)
        return c->first.ns + tch_clock_width_ns(c, ticks - c->first.ticks);
    return c->first.ns - tch_clock_width_ns(c, c->first.ticks - ticks);
}

/* Parts of the functions above, for tests and for `tacho doctor`. */

/** Returns why ticks are not the TSC, as a clause such as "the CPU has no invariant time stamp
    counter". NULL when they are, or will be after tch_clock_init(). */
const char *tch_clock_why_not_tsc(void);

/** Like tch_clock_why_not_tsc(), for a made-up machine: whether CPUID calls the TSC invariant, and
    what the kernel's current_clocksource contains ("" when it cannot be read). */
const char *tch_clock_judge_tsc(bool invariant, const char *clocksource);

/** Sets the line through two given pairs, of which `last` must be later. */
void tch_clock_set(struct tch_clock *c, struct tch_clock_pair first, struct tch_clock_pair last);

/** Sets the line of ticks that are nanoseconds, through one pair. */
void tch_clock_set_ns(struct tch_clock *c, struct tch_clock_pair first);

#endif
