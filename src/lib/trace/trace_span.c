/* Spans of this thread, but for the plain ones that the header makes inline. */
#include "record_put.h"

static void put_plain(uint32_t site, uint64_t end, uint64_t ticks)
{
    uint64_t *slot = tch_put_take(1);

    if (!slot)
        return;
    __atomic_store_n(slot, ticks << TCH_REC_LOW_BITS | (uint64_t)site << 1 | end, __ATOMIC_RELEASE);
    tch_cursor_done(8);
}

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
        tch_put(&(struct tch_put_event){
            .kind = TCH_REC_BEGIN, .id = number_of(site), .ticks = tch_ticks()});
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
    uint64_t *slot = tch_put_take(words);

    if (!slot)
        return;
    *(volatile uint64_t *)slot = (uint64_t)words << TCH_REC_LOW_BITS | TCH_REC_SKIP;
    for (size_t i = 0; i < count; i++)
        slot[1 + i] = args[i].as.u64;
    __atomic_store_n(slot, tch_ticks() << TCH_REC_LOW_BITS | code, __ATOMIC_RELEASE);
    tch_cursor_done((uintptr_t)words * 8);
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
    tch_put(&(struct tch_put_event){.kind = TCH_REC_BEGIN,
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
        tch_put(&(struct tch_put_event){.kind = TCH_REC_END, .id = number, .ticks = now});
}

void(tacho_span_begin_args)(const char *name, const char *category, const tacho_arg *args,
                            size_t count)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_BEGIN, name, category))
        return;
    e.args = args;
    e.arg_count = count;
    if (count == 0 && e.id < TCH_REC_SITE_PLAIN)
        put_plain(e.id, 0, e.ticks);
    else
        tch_put(&e);
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
        tch_put(&(struct tch_put_event){.kind = TCH_REC_END,
                                        .id = TCH_REC_SITE_ANY,
                                        .ticks = tch_ticks(),
                                        .args = args,
                                        .arg_count = count});
}
