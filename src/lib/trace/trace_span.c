/* Records spans of this thread, except for the plain ones that <tacho/trace.h> records inline. */
#include "record_put.h"

static void put_plain(uint32_t site, uint64_t end, uint64_t ticks)
{
    uint64_t *slot = tch_put_take(1);

    if (!slot)
        return;
    __atomic_store_n(slot, ticks << TCH_REC_LOW_BITS | (uint64_t)site << 1 | end, __ATOMIC_RELEASE);
    tch_cursor_done(8);
}

/* Sets the number of the site, unless another thread was first. The code is set last: the inline
   path tests it. */
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

/* Returns the number of the site, or 0 before its first record. Another thread may set it at any
   time. */
static uint32_t number_of(const struct tacho_trace_site *site)
{
    return __atomic_load_n(&site->number, __ATOMIC_RELAXED);
}

/* Sets the number of the site if it has none. Returns false when no name is left. */
static bool ensure_site(struct tacho_trace_site *site)
{
    if (number_of(site) != 0)
        return true;
    return set_site(site, tch_trace_site(site->name, site->category), 0);
}

/* Returns the ticket that the begin of a span passes to its end. */
static uint32_t ticket_of(const struct tacho_trace_site *site)
{
    uint32_t code = __atomic_load_n(&site->code, __ATOMIC_RELAXED);

    return code != 0 ? code : number_of(site) | TACHO_TRACE_BY_CALL;
}

uint32_t tacho_trace_begin_slow(struct tacho_trace_site *site)
{
    if (!ensure_site(site))
        return 0;
    if (number_of(site) < TCH_REC_SITE_PLAIN)
        put_plain(number_of(site), 0, tch_ticks());
    else
        tch_put(&(struct tch_put_event){.kind = TCH_REC_BEGIN,
                                        .id = number_of(site),
                                        .ticks = tch_ticks()},
                NULL, 0);
    return ticket_of(site);
}

static bool have_text(const tacho_arg *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (args[i].type == TACHO_ARG_TEXT)
            return true;
    return false;
}

/* Returns a hash of the keys and types of arguments, 0 when there are none. The same site may have
   different ones: TACHO_SPAN_ARGS(..., ok ? TACHO_I64("bytes", n) : TACHO_I64("error", e)). */
static uint32_t shape_of(const tacho_arg *args, size_t count)
{
    const uint32_t apart = 31; /* more than there are types */
    uint32_t shape = 0;

    for (size_t i = 0; i < count; i++)
        shape = (shape + (uint32_t)(uintptr_t)args[i].key) * apart + (uint32_t)args[i].type;
    return shape << 5 | (uint32_t)(count < apart ? count : apart);
}

/* Like ensure_site(), at the first record with arguments. When all of them are numbers, their keys
   are stored with the site, and records carry the bare values. */
static bool ensure_site_args(struct tacho_trace_site *site, const tacho_arg *args, size_t count)
{
    uint32_t number;

    if (count > TACHO_ARGS_MAX || have_text(args, count))
        return ensure_site(site);
    number = tch_trace_site_args(site->name, site->category, args, count);
    return set_site(site, number, number < TCH_REC_SITE_PLAIN ? shape_of(args, count) : 0);
}

/* Records the begin of a span and bare values after it. */
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
    uint32_t values = __atomic_load_n(&site->values, __ATOMIC_RELAXED);

    if (__builtin_expect(code != 0 && values == shape_of(args, count), 1)) {
        put_values(code, args, count);
        return code;
    }
    if (number_of(site) == 0) {
        if (!ensure_site_args(site, args, count))
            return 0;
        return tacho_trace_begin_args(site, args, count);
    }
    tch_put(
        &(struct tch_put_event){.kind = TCH_REC_BEGIN, .id = number_of(site), .ticks = tch_ticks()},
        args, count);
    return ticket_of(site);
}

void tacho_trace_end_slow(uint32_t ticket)
{
    uint64_t now = tch_ticks();
    uint32_t number = ticket & TACHO_TRACE_BY_CALL ? ticket & ~TACHO_TRACE_BY_CALL : ticket >> 1;

    if (!tacho_trace_enabled())
        return;
    if (number < TCH_REC_SITE_PLAIN)
        put_plain(number, 1, now);
    else
        tch_put(&(struct tch_put_event){.kind = TCH_REC_END, .id = number, .ticks = now}, NULL, 0);
}

void(tacho_span_begin_args)(const char *name, const char *category, const tacho_arg *args,
                            size_t count)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_BEGIN, name, category))
        return;
    if (count == 0 && e.id < TCH_REC_SITE_PLAIN)
        put_plain(e.id, 0, e.ticks);
    else
        tch_put(&e, args, count);
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
                                        .ticks = tch_ticks()},
                args, count);
}
