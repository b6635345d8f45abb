/*
 * Records spans of this thread, except for the plain ones that <tacho/trace.h> records inline.
 *
 * An end names the site of its begin, so that a reader sees when the two do not match. If a begin
 * was dropped, its end is not recorded either, because it would close the span around it.
 * TACHO_SPAN passes a ticket from begin to end. tacho_span_begin() and tacho_span_end() cannot, so
 * a stack per thread keeps the sites of the spans that they have opened. The stack grows with
 * signals blocked, so a handler never sees it half grown.
 */
#include "trace_span.h"

#include <string.h>
#include <sys/mman.h>

#include "record_put.h"
#include "record_words.h"
#include "thread_stage.h"
#include "trace_names.h"
#include "trace_recorder.h"

/* Records a plain begin or end. Returns false when the record was dropped. */
static bool put_plain(uint32_t site, uint64_t end, uint64_t ticks)
{
    uint64_t *slot = tch_put_take(1);

    if (!slot)
        return false;
    __atomic_store_n(slot, ticks << TCH_REC_LOW_BITS | (uint64_t)site << 1 | end, __ATOMIC_RELEASE);
    tch_cursor_done(8);
    return true;
}

/* Records a wide begin or end. Kept out of line, because it would cost plain records registers. */
__attribute__((noinline)) static bool put_wide(enum tch_rec_kind kind, uint32_t site,
                                               uint64_t ticks, tacho_fields args)
{
    return tch_put(&(struct tch_put_event){.kind = kind, .id = site, .ticks = ticks}, args);
}

/* Records the begin or the end of a span. Returns false when it was dropped. */
static inline bool put_edge(enum tch_rec_kind kind, uint32_t site, uint64_t ticks,
                            tacho_fields args)
{
    return args.count == 0 && site < TCH_REC_SITE_PLAIN
               ? put_plain(site, kind == TCH_REC_END, ticks)
               : put_wide(kind, site, ticks, args);
}

/* Sets the number of the site, unless another thread has set it. The code is set last, because
   the inline path tests it. */
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

/* Sets the number of the site if it is not set. Returns false when there is no room for another
   name. */
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

/* Returns the number of the site of a ticket. */
static uint32_t ticket_site(uint32_t ticket)
{
    return ticket & TACHO_TRACE_BY_CALL ? ticket & ~TACHO_TRACE_BY_CALL : ticket >> 1;
}

uint32_t tacho_trace_begin_slow(struct tacho_trace_site *site)
{
    if (!ensure_site(site) ||
        !put_edge(TCH_REC_BEGIN, number_of(site), tch_ticks(), TACHO_NO_FIELDS))
        return 0;
    return ticket_of(site);
}

/* Returns whether a site can remember the keys by their addresses, and whether each value takes
   one word. */
static bool have_fixed_keys(tacho_fields args)
{
    for (size_t i = 0; i < args.count; i++)
        if (args.data[i].literal == 0 || !tch_rec_type_is_number(args.data[i].type))
            return false;
    return args.count <= TACHO_ARGS_MAX;
}

/* Returns a hash of the keys and types of the arguments, with their count in its low bits; 0
   without arguments. One site may get different arguments: TACHO_SPAN_ARGS(..., ok ?
   tacho_i64("bytes", n) : tacho_i64("error", e)). */
static inline uint32_t shape_of(tacho_fields args)
{
    const uint64_t golden =
        UINT64_C(0x9e3779b97f4a7c15); /* multiplying by it spreads each key to the high bits */
    uint64_t shape = 0;

    for (size_t i = 0; i < args.count; i++) {
        const tacho_field *arg = &args.data[i];

        shape = (shape + (uintptr_t)arg->key * 16 + arg->type + arg->literal * 8) * golden;
    }
    return (uint32_t)(shape >> 37 << 5) + (uint32_t)args.count;
}

/* Does what ensure_site() does, at the first record with arguments. When all of them are numbers
   with literal keys, the keys are stored with the site, and records carry only the values. */
static bool ensure_site_args(struct tacho_trace_site *site, tacho_fields args)
{
    uint32_t number;

    if (!have_fixed_keys(args))
        return ensure_site(site);
    number = tch_trace_site_args(site->name, site->category, args);
    return set_site(site, number, number < TCH_REC_SITE_PLAIN ? shape_of(args) : 0);
}

/* Records the begin of a span followed by its values. Returns false when it was dropped. */
static bool put_values(uint32_t code, tacho_fields args)
{
    unsigned words = 1 + (unsigned)args.count;
    uint64_t *slot = tch_put_take(words);

    if (!slot)
        return false;
    *(volatile uint64_t *)slot = (uint64_t)words << TCH_REC_LOW_BITS | TCH_REC_SKIP;
    for (size_t i = 0; i < args.count; i++)
        slot[1 + i] = args.data[i].as.u64;
    __atomic_store_n(slot, tch_ticks() << TCH_REC_LOW_BITS | code, __ATOMIC_RELEASE);
    tch_cursor_done((uintptr_t)words * 8);
    return true;
}

uint32_t tacho_trace_begin_args(struct tacho_trace_site *site, tacho_fields args)
{
    uint32_t code = __atomic_load_n(&site->code, __ATOMIC_ACQUIRE);
    uint32_t values = __atomic_load_n(&site->values, __ATOMIC_RELAXED);

    if (__builtin_expect(code != 0 && values == shape_of(args), 1))
        return put_values(code, args) ? code : 0;
    if (number_of(site) == 0) {
        if (!ensure_site_args(site, args))
            return 0;
        return tacho_trace_begin_args(site, args);
    }
    return put_wide(TCH_REC_BEGIN, number_of(site), tch_ticks(), args) ? ticket_of(site) : 0;
}

void tacho_trace_end_slow(uint32_t ticket)
{
    uint64_t now = tch_ticks();

    if (tacho_trace_is_on())
        put_edge(TCH_REC_END, ticket_site(ticket), now, TACHO_NO_FIELDS);
}

uint32_t tacho_trace_begin_named(const char *name, const char *category, tacho_fields args)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_BEGIN, name, category) ||
        !put_edge(TCH_REC_BEGIN, e.id, e.ticks, args))
        return 0;
    return e.id | TACHO_TRACE_BY_CALL;
}

void tacho_trace_end_args(uint32_t ticket, tacho_fields args)
{
    uint64_t now = tch_ticks();

    if (ticket != 0 && tacho_trace_is_on())
        put_edge(TCH_REC_END, ticket_site(ticket), now, args);
}

/* Spans by function call. */

enum { OPEN_FIRST = 28, OPEN_STEP = 4096 / sizeof(uint32_t) };

/* The stack of spans that this thread has opened by tacho_span_begin(), from the outermost. A
   handler that interrupts a push or a pop does not change the levels below its own. */
static TACHO_TRACE_TLS struct {
    uint32_t trace; /* number of the trace that they belong to */
    uint32_t depth;
    uint32_t room;              /* number of levels that `more` has room for */
    uint32_t first[OPEN_FIRST]; /* sites; 0: the begin was dropped */
    uint32_t *more;             /* the levels after the first ones; mapped */
} spans;

/* Adds a page of levels. Signals must be blocked. */
static void grow_spans(void)
{
    size_t size = (size_t)spans.room * sizeof *spans.more;
    void *more = mmap(NULL, size + OPEN_STEP * sizeof *spans.more, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (more == MAP_FAILED)
        return;
    if (size > 0)
        memcpy(more, spans.more, size);
    tch_trace_spans_release();
    spans.more = more;
    spans.room = (uint32_t)(size / sizeof *spans.more) + OPEN_STEP;
}

void tch_trace_spans_release(void)
{
    if (spans.room > 0)
        munmap(spans.more, (size_t)spans.room * sizeof *spans.more);
    spans.room = 0;
}

__attribute__((noinline)) static void push_deep(uint32_t level, uint32_t site)
{
    struct tch_shield before;

    tch_shield_on(&before);
    if (level >= spans.room)
        grow_spans();
    if (level < spans.room)
        spans.more[level] = site;
    tch_shield_off(&before);
}

static inline void push_span(uint32_t site)
{
    uint32_t trace = (uint32_t)atomic_load_explicit(&tch_recorder.traces, memory_order_relaxed);
    uint32_t level;

    if (spans.trace != trace) {
        spans.trace = trace;
        spans.depth = 0;
    }
    level = spans.depth++;
    atomic_signal_fence(memory_order_seq_cst);
    if (level < OPEN_FIRST)
        spans.first[level] = site;
    else
        push_deep(level - OPEN_FIRST, site);
}

/* Returns the site of the innermost span, or 0 when there is nothing to end. When there was no
   memory for the level, returns TCH_REC_SITE_ANY, which ends the innermost span of the thread
   whatever its site. */
static inline uint32_t pop_span(void)
{
    uint32_t trace = (uint32_t)atomic_load_explicit(&tch_recorder.traces, memory_order_relaxed);
    uint32_t level, site;

    if (spans.trace != trace || spans.depth == 0)
        return 0; /* it began before this trace */
    level = spans.depth - 1;
    site = level < OPEN_FIRST                ? spans.first[level]
           : level - OPEN_FIRST < spans.room ? spans.more[level - OPEN_FIRST]
                                             : TCH_REC_SITE_ANY;
    atomic_signal_fence(memory_order_seq_cst);
    spans.depth = level;
    return site;
}

void(tacho_span_begin_args)(const char *name, const char *category, tacho_fields args)
{
    struct tch_put_event e;

    if (!tacho_trace_is_on())
        return;
    if (tch_put_begin(&e, TCH_REC_BEGIN, name, category) &&
        put_edge(TCH_REC_BEGIN, e.id, e.ticks, args))
        push_span(e.id);
    else
        push_span(0);
}

void(tacho_span_begin)(const char *name, const char *category)
{
    (tacho_span_begin_args)(name, category, TACHO_NO_FIELDS);
}

void(tacho_span_end_args)(tacho_fields args)
{
    uint64_t now;
    uint32_t site;

    if (!tacho_trace_is_on())
        return;
    now = tch_ticks();
    site = pop_span();
    if (site != 0)
        put_edge(TCH_REC_END, site, now, args);
}

void(tacho_span_end)(void)
{
    (tacho_span_end_args)(TACHO_NO_FIELDS);
}
