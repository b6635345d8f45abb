/* What a thread records, but for the plain spans that the header makes inline. */
#include <string.h>

#include <tacho/trace.h>

#include "recorder.h"

enum { FIXED_MAX = 5, HEAD_WORDS = 2 };

/* One event on its way into the recording. */
struct event {
    enum tch_rec_kind kind;
    uint32_t id;
    uint64_t ticks;
    uint64_t fixed[FIXED_MAX];
    const tacho_arg *args;
    size_t arg_count;
};

/* As the recorder does it, but inline where there is room. */
static inline uint64_t *take(unsigned words)
{
#if defined(__x86_64__)
    uintptr_t taken = tacho_trace_take((uintptr_t)words * 8);
    /* Once: another thread that stops the trace sets it to 0. */
    uintptr_t end = __atomic_load_n(&tacho_trace_cursor.end, __ATOMIC_RELAXED);

    if (taken + (uintptr_t)words * 8 <= end)
        return (uint64_t *)taken;
    if (taken < end)
        *(uint64_t *)taken = tch_rec_rest(end - taken);
    tacho_trace_done((uintptr_t)words * 8);
#endif
    return tch_recorder_take(words);
}

static inline void done(unsigned words)
{
#if defined(__x86_64__)
    tacho_trace_done((uintptr_t)words * 8);
#else
    tch_recorder_done(words);
#endif
}

static size_t text_length(const tacho_arg *arg)
{
    return arg->as.text ? strnlen(arg->as.text, TCH_TEXT_MAX + 1) : 0;
}

static unsigned text_words(size_t len)
{
    return (unsigned)((len + 7) / 8);
}

/* The keys' numbers. From one that there is no room for on, arguments are left out and counted. */
static void know_keys(struct event *e, uint32_t keys[TACHO_ARGS_MAX])
{
    size_t count = e->arg_count < TACHO_ARGS_MAX ? e->arg_count : TACHO_ARGS_MAX, i = 0;

    while (i < count && (keys[i] = tch_trace_text(e->args[i].key)) != 0)
        i++;
    if (i < e->arg_count)
        tch_recorder_cut();
    e->arg_count = i;
}

/* Words for the arguments; leaves out what does not fit and counts it. */
static unsigned measure_args(struct event *e, size_t lengths[TACHO_ARGS_MAX])
{
    const unsigned most = TCH_REC_WIDE_MAX - HEAD_WORDS - FIXED_MAX;
    unsigned words = 0;

    for (size_t i = 0; i < e->arg_count; i++) {
        unsigned value = 1;

        lengths[i] = 8;
        if (e->args[i].type == TACHO_ARG_TEXT) {
            lengths[i] = text_length(&e->args[i]);
            if (lengths[i] > TCH_TEXT_MAX) {
                tch_recorder_cut();
                lengths[i] = TCH_TEXT_MAX;
            }
            value = text_words(lengths[i]);
        }
        if (words + 1 + value > most) {
            tch_recorder_cut();
            e->arg_count = i;
            break;
        }
        words += 1 + value;
    }
    return words;
}

static uint64_t *put_arg(uint64_t *at, const tacho_arg *arg, uint32_t key, size_t len)
{
    *at++ = key | (uint64_t)arg->type << 32 | (uint64_t)len << 40;
    if (arg->type != TACHO_ARG_TEXT) {
        *at = arg->as.u64;
        return at + 1;
    }
    if (len > 0) {
        at[text_words(len) - 1] = 0;
        memcpy(at, arg->as.text, len);
    }
    return at + text_words(len);
}

/* Its first word goes last: until then the record counts as not made. */
static void put(struct event *e)
{
    size_t lengths[TACHO_ARGS_MAX];
    uint32_t keys[TACHO_ARGS_MAX];
    unsigned fixed = tch_rec_fixed(e->kind);
    unsigned words;
    uint64_t *slot, *at;

    /* Names first: they must be in the recording before a record speaks of them. */
    know_keys(e, keys);
    words = HEAD_WORDS + fixed + measure_args(e, lengths);
    slot = take(words);
    if (!slot)
        return;
    if (e->kind >= TCH_REC_PUSH && e->kind <= TCH_REC_TRACK_COUNTER)
        tch_recorder_has_tracks();
    *(volatile uint64_t *)slot = (uint64_t)words << TCH_REC_LOW_BITS | TCH_REC_SKIP;
    slot[1] = tch_rec_wide(words, e->kind, (unsigned)e->arg_count, e->id);
    at = slot + HEAD_WORDS;
    for (unsigned i = 0; i < fixed; i++)
        *at++ = e->fixed[i];
    for (size_t i = 0; i < e->arg_count; i++)
        at = put_arg(at, &e->args[i], keys[i], lengths[i]);
    __atomic_store_n(slot, e->ticks << TCH_REC_LOW_BITS | TCH_REC_WIDE, __ATOMIC_RELEASE);
    done(words);
}

static void put_plain(uint32_t site, uint64_t end, uint64_t ticks)
{
    uint64_t *slot = take(1);

    if (!slot)
        return;
    __atomic_store_n(slot, ticks << TCH_REC_LOW_BITS | (uint64_t)site << 1 | end, __ATOMIC_RELEASE);
    done(1);
}

/* The event of a site, with now as its time; false when there is nothing to record. */
static bool begin_event(struct event *e, enum tch_rec_kind kind, const char *name,
                        const char *category)
{
    uint64_t now;

    if (!tacho_trace_enabled())
        return false;
    now = tch_ticks();
    *e = (struct event){.kind = kind, .ticks = now, .id = tch_trace_site(name, category)};
    if (e->id == 0)
        tch_recorder_drop(1, 0);
    return e->id != 0;
}

/* Spans. */

/* The site is known from now on, unless another thread was first; its number goes first, its code
   last. */
static bool set_site(struct tacho_trace_site *site, uint32_t number, uint32_t values)
{
    uint32_t none = 0;

    if (number == 0) {
        tch_recorder_drop(1, 0);
        return false;
    }
    if (!__atomic_compare_exchange_n(&site->number, &none, number, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return true;
    __atomic_store_n(&site->values, values, __ATOMIC_RELAXED);
    if (number < TCH_REC_SITE_PLAIN)
        __atomic_store_n(&site->code, number << 1, __ATOMIC_RELEASE);
    return true;
}

/* 0 while it is not known. Another thread may make it known at any time. */
static uint32_t number_of(const struct tacho_trace_site *site)
{
    return __atomic_load_n(&site->number, __ATOMIC_RELAXED);
}

static uint32_t values_of(const struct tacho_trace_site *site)
{
    return __atomic_load_n(&site->values, __ATOMIC_RELAXED);
}

static bool know_site(struct tacho_trace_site *site)
{
    if (number_of(site) != 0)
        return true;
    return set_site(site, tch_trace_site(site->name, site->category), 0);
}

/* What the end of a span is told. */
static uint32_t ticket(const struct tacho_trace_site *site)
{
    uint32_t code = __atomic_load_n(&site->code, __ATOMIC_RELAXED);

    return code != 0 ? code : number_of(site) | TACHO_TRACE_BY_CALL;
}

uint32_t tacho_trace_begin_slow(struct tacho_trace_site *site)
{
    if (!know_site(site))
        return 0;
    if (number_of(site) < TCH_REC_SITE_PLAIN)
        put_plain(number_of(site), 0, tch_ticks());
    else
        put(&(struct event){.kind = TCH_REC_BEGIN, .id = number_of(site), .ticks = tch_ticks()});
    return ticket(site);
}

static bool have_text(const tacho_arg *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (args[i].type == TACHO_ARG_TEXT)
            return true;
    return false;
}

/* Keys and types of arguments, for which the same place in a program may have one or the other:
   TACHO_SPAN_ARGS(..., ok ? TACHO_I64("bytes", n) : TACHO_I64("error", e)). 0 when there are none.
 */
static uint32_t shape_of(const tacho_arg *args, size_t count)
{
    const uint32_t apart = 31; /* more than there are types */
    uint32_t shape = 0;

    for (size_t i = 0; i < count; i++)
        shape = (shape + (uint32_t)(uintptr_t)args[i].key) * apart + (uint32_t)args[i].type;
    return shape << 5 | (uint32_t)(count < apart ? count : apart);
}

/* The first time: numbers alone go behind a plain begin, their keys stand with the site. */
static bool know_site_args(struct tacho_trace_site *site, const tacho_arg *args, size_t count)
{
    uint32_t number;

    if (count > TACHO_ARGS_MAX || have_text(args, count))
        return know_site(site);
    number = tch_trace_site_args(site->name, site->category, args, count);
    return set_site(site, number, number < TCH_REC_SITE_PLAIN ? shape_of(args, count) : 0);
}

static void put_values(uint32_t code, const tacho_arg *args, size_t count)
{
    unsigned words = 1 + (unsigned)count;
    uint64_t *slot = take(words);

    if (!slot)
        return;
    *(volatile uint64_t *)slot = (uint64_t)words << TCH_REC_LOW_BITS | TCH_REC_SKIP;
    for (size_t i = 0; i < count; i++)
        slot[1 + i] = args[i].as.u64;
    __atomic_store_n(slot, tch_ticks() << TCH_REC_LOW_BITS | code, __ATOMIC_RELEASE);
    done(words);
}

uint32_t tacho_trace_begin_args(struct tacho_trace_site *site, const tacho_arg *args, size_t count)
{
    uint32_t code = __atomic_load_n(&site->code, __ATOMIC_ACQUIRE);

    if (__builtin_expect(code != 0 && values_of(site) == shape_of(args, count), 1)) {
        put_values(code, args, count);
        return code;
    }
    if (number_of(site) == 0) {
        if (!know_site_args(site, args, count))
            return 0;
        return tacho_trace_begin_args(site, args, count);
    }
    put(&(struct event){.kind = TCH_REC_BEGIN,
                        .id = number_of(site),
                        .ticks = tch_ticks(),
                        .args = args,
                        .arg_count = count});
    return ticket(site);
}

void tacho_trace_end_slow(uint32_t told)
{
    uint64_t now = tch_ticks();
    uint32_t number = told & TACHO_TRACE_BY_CALL ? told & ~TACHO_TRACE_BY_CALL : told >> 1;

    if (!tacho_trace_enabled())
        return;
    if (number < TCH_REC_SITE_PLAIN)
        put_plain(number, 1, now);
    else
        put(&(struct event){.kind = TCH_REC_END, .id = number, .ticks = now});
}

void(tacho_span_begin_args)(const char *name, const char *category, const tacho_arg *args,
                            size_t count)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_BEGIN, name, category))
        return;
    e.args = args;
    e.arg_count = count;
    if (count == 0 && e.id < TCH_REC_SITE_PLAIN)
        put_plain(e.id, 0, e.ticks);
    else
        put(&e);
}

void(tacho_span_begin)(const char *name, const char *category)
{
    (tacho_span_begin_args)(name, category, NULL, 0);
}

void(tacho_span_end)(void)
{
    tacho_trace_end_slow(TCH_REC_SITE_ANY << 1);
}

void(tacho_span_end_args)(const tacho_arg *args, size_t count)
{
    if (tacho_trace_enabled())
        put(&(struct event){.kind = TCH_REC_END,
                            .id = TCH_REC_SITE_ANY,
                            .ticks = tch_ticks(),
                            .args = args,
                            .arg_count = count});
}

/* The reference format. */

uint64_t tacho_trace_duration_us(double duration_ms)
{
    double us = duration_ms * 1000.0;
    uint64_t whole;

    if (!(us > 0))
        return 0; /* NaN too */
    if (us >= 18446744073709551616.0)
        return UINT64_MAX;
    whole = (uint64_t)us;
    return us - (double)whole >= 0.5 ? whole + 1 : whole;
}

void(tacho_trace_push_args)(const char *name, const char *category, double duration_ms,
                            uint64_t track, const tacho_arg *args, size_t count)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_PUSH, name, category))
        return;
    e.fixed[0] = tacho_trace_duration_us(duration_ms);
    e.fixed[1] = track;
    e.args = args;
    e.arg_count = count;
    put(&e);
}

void(tacho_trace_push)(const char *name, const char *category, double duration_ms, uint64_t track)
{
    (tacho_trace_push_args)(name, category, duration_ms, track, NULL, 0);
}

void(tacho_trace_put)(const tacho_trace_event *event)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_PUT, event->name, event->category))
        return;
    e.fixed[0] = event->ts_us;
    e.fixed[1] = event->dur_us;
    e.fixed[2] = event->pid;
    e.fixed[3] = event->tid;
    e.fixed[4] = tch_trace_text(event->phase);
    if (e.fixed[4] == 0) {
        tch_recorder_drop(1, 0);
        return;
    }
    e.args = event->args;
    e.arg_count = event->arg_count;
    put(&e);
}

/* Others of this thread. */

void(tacho_instant)(const char *name, const char *category, enum tacho_scope scope,
                    const tacho_arg *args, size_t count)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_INSTANT, name, category))
        return;
    e.fixed[0] = (uint64_t)scope;
    e.args = args;
    e.arg_count = count;
    put(&e);
}

static void count(const char *name, enum tacho_arg_type type, uint64_t value)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_COUNTER, name, ""))
        return;
    e.fixed[0] = (uint64_t)type;
    e.fixed[1] = value;
    put(&e);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void(tacho_counter_i64)(const char *name, int64_t value)
{
    count(name, TACHO_ARG_I64, (uint64_t)value);
}

void(tacho_counter_f64)(const char *name, double value)
{
    count(name, TACHO_ARG_F64, bits_of(value));
}

void(tacho_flow)(const char *name, const char *category, enum tacho_phase phase, uint64_t id)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_FLOW, name, category))
        return;
    e.fixed[0] = (uint64_t)phase;
    e.fixed[1] = id;
    put(&e);
}

void(tacho_async)(const char *name, const char *category, enum tacho_phase phase, uint64_t id,
                  const tacho_arg *args, size_t count)
{
    struct event e;

    if (!begin_event(&e, TCH_REC_ASYNC, name, category))
        return;
    e.fixed[0] = (uint64_t)phase;
    e.fixed[1] = id;
    e.args = args;
    e.arg_count = count;
    put(&e);
}

static uint32_t put_name(enum tch_rec_kind kind, const char *name)
{
    uint32_t text;

    if (!tacho_trace_enabled())
        return 0;
    text = tch_trace_text(name);
    if (text != 0)
        put(&(struct event){.kind = kind, .id = text, .ticks = tch_ticks()});
    else
        tch_recorder_drop(1, 0);
    return text;
}

void(tacho_thread_name)(const char *name)
{
    uint32_t text = put_name(TCH_REC_THREAD_NAME, name);

    if (text != 0)
        tacho_trace_cursor.name = text;
}

void(tacho_process_name)(const char *name)
{
    put_name(TCH_REC_PROCESS_NAME, name);
}

/* Tracks of the user's own. */

uint64_t tacho_trace_now_ns(void)
{
    return tch_now_ns();
}

uint32_t(tacho_track)(const char *name)
{
    return tacho_trace_enabled() ? tch_trace_text(name) : 0;
}

/* The event on that track. On none, made while no trace was on or when no name was left, there is
   nothing to record. */
static bool begin_on_track(struct event *e, enum tch_rec_kind kind, uint32_t track,
                           const char *name, const char *category)
{
    if (track == 0) {
        if (tacho_trace_enabled())
            tch_recorder_drop(1, 0);
        return false;
    }
    if (!begin_event(e, kind, name, category))
        return false;
    e->fixed[0] = track;
    return true;
}

void(tacho_track_span)(uint32_t track, const char *name, const char *category, uint64_t start_ns,
                       uint64_t end_ns, const tacho_arg *args, size_t count)
{
    struct event e;

    if (!begin_on_track(&e, TCH_REC_TRACK_SPAN, track, name, category))
        return;
    e.fixed[1] = start_ns;
    e.fixed[2] = end_ns;
    e.args = args;
    e.arg_count = count;
    put(&e);
}

void(tacho_track_instant)(uint32_t track, const char *name, const char *category, uint64_t at_ns,
                          const tacho_arg *args, size_t count)
{
    struct event e;

    if (!begin_on_track(&e, TCH_REC_TRACK_INSTANT, track, name, category))
        return;
    e.fixed[1] = at_ns;
    e.args = args;
    e.arg_count = count;
    put(&e);
}

void(tacho_track_counter)(uint32_t track, const char *name, uint64_t at_ns, double value)
{
    struct event e;

    if (!begin_on_track(&e, TCH_REC_TRACK_COUNTER, track, name, ""))
        return;
    e.fixed[1] = at_ns;
    e.fixed[2] = bits_of(value);
    put(&e);
}
