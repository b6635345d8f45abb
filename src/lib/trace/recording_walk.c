/* Reads the words of a recording as events: completes the 48 bits of their times, and matches
   begins and ends of spans. */

#include "recording_walk.h"

#include <tacho/trace.h>

#include "base/array.h"
#include "base/fail.h"
#include "record_words.h"

/* An open span. Its arguments are copied, because its chunk is no longer in memory when it ends. */
struct open_span {
    uint64_t ns;
    uint64_t order; /* number of its record */
    uint32_t site;
    unsigned arg_count;
    size_t args; /* offset in walk.kept */

    /* Fields that are set when the span has ended and waits. */
    uint64_t end_ns, end_order;
    uint32_t ended_by;
    unsigned end_count;
    size_t end_args; /* offset in walk.kept */
};

struct walk {
    struct tch_recording *r;
    tch_rec_visitor *visit;
    void *ctx;
    tacho_error *err;

    /* The current lane. */
    uint32_t lane;
    uint32_t thread;
    uint32_t tid;
    uint32_t name; /* name of the thread in the chunk's header; a text */
    uint64_t pid;
    bool named; /* the visitor has received this thread */
    uint64_t sequence;
    uint64_t ticks; /* time of the record before, with all 64 bits */
    uint64_t ns;

    uint32_t ended_by; /* set while spans are closed that do not match the end */

    struct open_span *open;
    size_t depth, open_room;
    size_t waiting; /* with r->outer_first: spans above `depth` that have ended and wait, because
                       the span around them began with them and may also end with them */
    uint64_t *kept; /* arguments of open spans, one after the other */
    size_t kept_len, kept_room;
};

/* Spans. */

static struct tch_seen_event event_at(const struct walk *w, enum tch_rec_kind kind)
{
    return (struct tch_seen_event){.seen = TCH_SEEN_OTHER,
                                   .kind = kind,
                                   .ns = w->ns,
                                   .order = w->r->records,
                                   .lane = w->lane,
                                   .thread = w->thread,
                                   .tid = w->tid,
                                   .pid = w->pid};
}

/* Visits the spans that wait, the outermost first. The first of them is open[at]. */
static int visit_waiting(struct walk *w, size_t at)
{
    size_t end = at + w->waiting;
    int status = 0;

    w->kept_len = w->waiting > 0 ? w->open[at].args : w->kept_len;
    w->waiting = 0;
    for (; status == 0 && at < end; at++) {
        const struct open_span *span = &w->open[at];
        struct tch_seen_event e = event_at(w, TCH_REC_END);

        e.seen = TCH_SEEN_END;
        e.ns = span->end_ns;
        e.order = span->end_order;
        e.begin_ns = span->ns;
        e.begin_order = span->order;
        e.id = span->site;
        e.ended_by = span->ended_by;
        e.args = (struct tch_rec_args){w->kept + span->args, span->arg_count};
        e.end_args = (struct tch_rec_args){w->kept + span->end_args, span->end_count};
        status = w->visit(w->ctx, &e);
    }
    return status;
}

/* Lets an ended span wait. */
static int wait_for_outer(struct walk *w, struct open_span *span, struct tch_rec_args end_args)
{
    struct tch_rec_args rest = end_args;
    struct tch_rec_arg arg;
    size_t len;

    while (tch_rec_next_arg(w->r, &rest, &arg))
        ;
    len = end_args.count > 0 ? (size_t)(rest.words - end_args.words) : 0;
    if (tch_array_reserve(&w->kept, &w->kept_room, w->kept_len + len + 1) < 0)
        return tch_fail_memory(w->err);
    if (len > 0)
        memcpy(w->kept + w->kept_len, end_args.words, len * sizeof *w->kept);
    span->end_ns = w->ns;
    span->end_order = w->r->records;
    span->ended_by = w->ended_by;
    span->end_count = end_args.count;
    span->end_args = w->kept_len;
    w->kept_len += len;
    w->waiting++;
    return 0;
}

/* Ends the innermost span; `seen` says how. */
static int close_top(struct walk *w, enum tch_seen seen, struct tch_rec_args end_args)
{
    struct open_span *span = &w->open[--w->depth];
    struct tch_seen_event e = event_at(w, TCH_REC_END);
    int status = 0;

    if (w->waiting > 0 && (seen != TCH_SEEN_END || span[1].end_ns != w->ns))
        status = visit_waiting(w, w->depth + 1); /* they ended before this span */
    if (status != 0)
        return status;
    if (w->r->outer_first && seen == TCH_SEEN_END && w->depth > 0 && span[-1].ns == span->ns)
        return wait_for_outer(w, span, end_args);
    e.seen = seen;
    e.begin_ns = span->ns;
    e.begin_order = span->order;
    if (seen == TCH_SEEN_UNFINISHED) {
        e.ns = span->ns;
        e.order = span->order;
    }
    e.id = span->site;
    e.ended_by = w->ended_by;
    e.args = (struct tch_rec_args){w->kept + span->args, span->arg_count};
    e.end_args = end_args;
    status = w->visit(w->ctx, &e);
    if (status == 0 && w->waiting > 0)
        status = visit_waiting(w, w->depth + 1);
    w->kept_len = span->args;
    return status;
}

static const struct tch_rec_args no_args;

static int leave_open(struct walk *w)
{
    int status = visit_waiting(w, w->depth);

    while (status == 0 && w->depth > 0) {
        w->r->unfinished++;
        status = close_top(w, TCH_SEEN_UNFINISHED, no_args);
    }
    return status;
}

static int end_span(struct walk *w, uint32_t site, struct tch_rec_args args)
{
    size_t depth = w->depth;
    int status = 0;

    /* Spans inside the one that ends were left by a jump, or belong to another fiber. They end
       with it, possibly at a wrong time. */
    while (depth > 0 && site != TCH_REC_SITE_ANY && w->open[depth - 1].site != site)
        depth--;
    if (depth == 0) {
        w->r->lost_ends++;
        return 0;
    }
    w->ended_by = site;
    while (status == 0 && w->depth > depth) {
        w->r->spans++;
        w->r->mismatched++;
        status = close_top(w, TCH_SEEN_END, no_args);
    }
    w->ended_by = 0;
    if (status != 0)
        return status;
    w->r->spans++;
    return close_top(w, TCH_SEEN_END, args);
}

/* Passes a thread to the visitor, before any of its events. */
static int visit_thread(struct walk *w, const uint64_t *fixed)
{
    static const uint64_t unknown[3];
    struct tch_seen_event e = event_at(w, TCH_REC_THREAD);
    int status;

    w->named = true;
    w->r->threads++;
    e.id = w->thread;
    e.fixed = fixed ? fixed : unknown;
    status = w->visit(w->ctx, &e);
    if (fixed || status != 0 || !tch_rec_kind_sound(w->r, TCH_REC_THREAD_NAME, w->name, NULL))
        return status;
    e = event_at(w, TCH_REC_THREAD_NAME);
    e.id = w->name;
    return w->visit(w->ctx, &e);
}

/* Ends a span by a plain record, which nearly always ends the innermost span. */
static inline int plain_end(struct walk *w, uint32_t site)
{
    if (w->depth == 0 || w->open[w->depth - 1].site != site)
        return end_span(w, site, no_args);
    w->r->spans++;
    return close_top(w, TCH_SEEN_END, no_args);
}

static inline int begin_span(struct walk *w, struct tch_seen_event *e, size_t arg_len)
{
    int status = w->waiting > 0 ? visit_waiting(w, w->depth) : 0;

    if (status != 0)
        return status;
    e->seen = TCH_SEEN_BEGIN;
    if (tch_array_reserve(&w->open, &w->open_room, w->depth + 1) < 0 ||
        tch_array_reserve(&w->kept, &w->kept_room, w->kept_len + arg_len + 1) < 0)
        return tch_fail_memory(w->err);
    w->open[w->depth++] = (struct open_span){.ns = e->ns,
                                             .order = e->order,
                                             .site = e->id,
                                             .arg_count = e->args.count,
                                             .args = w->kept_len};
    if (arg_len > 0)
        memcpy(w->kept + w->kept_len, e->args.words, arg_len * sizeof *w->kept);
    w->kept_len += arg_len;
    return w->visit(w->ctx, e);
}

/* Records. */

/* Completes 48 bits of time to 64: takes the time that is nearest to the record before. */
static bool set_time(struct walk *w, uint64_t word)
{
    uint64_t step = ((word >> TCH_REC_LOW_BITS) - w->ticks) << TCH_REC_LOW_BITS;
    uint64_t ticks = w->ticks + (uint64_t)((int64_t)step >> TCH_REC_LOW_BITS);

    if (ticks > w->r->until)
        return false;
    w->ticks = ticks;
    w->ns = tch_clock_ns(&w->r->clock, ticks);
    return true;
}

static int plain_begin(struct walk *w, uint32_t site, const uint64_t *values)
{
    const struct tch_rec_name *name = &w->r->sites.list[site];
    struct tch_seen_event e = event_at(w, TCH_REC_BEGIN);
    uint64_t joined[2 * TACHO_ARGS_MAX];

    if (name->arg_count > 0 && !tch_rec_join_values(w->r, name, values, joined)) {
        w->r->damaged++;
        return 0;
    }
    e.id = site;
    e.args = (struct tch_rec_args){joined, name->arg_count};
    return begin_span(w, &e, (size_t)name->arg_count * 2);
}

static int switch_thread(struct walk *w, uint32_t thread, const uint64_t *fixed)
{
    int status = w->thread == thread ? 0 : leave_open(w);

    if (status != 0)
        return status;
    w->thread = thread;
    w->tid = (uint32_t)fixed[0];
    return visit_thread(w, fixed);
}

/* Reads a wide record of `words` words, all of which are in the chunk. */
static int wide_record(struct walk *w, const uint64_t *at, size_t words)
{
    unsigned kind = at[1] >> 16 & 0xFF, args = at[1] >> 24 & 0xFF;
    struct tch_seen_event e;
    size_t head;
    int status = 0;

    if (kind == 0 || kind >= TCH_REC_KINDS)
        goto damaged;
    head = TCH_REC_HEAD_WORDS + tch_rec_fixed(kind);
    e = event_at(w, kind);
    e.id = (uint32_t)(at[1] >> 32);
    e.fixed = at + TCH_REC_HEAD_WORDS;
    e.args = (struct tch_rec_args){at + head, args};
    if (words < head || !tch_rec_args_sound(w->r, at + head, args, words - head) ||
        !tch_rec_kind_sound(w->r, kind, e.id, e.fixed))
        goto damaged;
    if (kind == TCH_REC_THREAD)
        return switch_thread(w, e.id, e.fixed);
    if (!w->named)
        status = visit_thread(w, NULL);
    if (status != 0)
        return status;
    if (kind == TCH_REC_BEGIN)
        return begin_span(w, &e, words - head);
    if (kind == TCH_REC_END)
        return end_span(w, e.id, e.args);
    return w->visit(w->ctx, &e);
damaged:
    w->r->damaged++;
    return 0;
}

/* Reads one record, or skips words that are not one. Sets *step to the number of words. */
static int one_record(struct walk *w, const uint64_t *at, size_t left, size_t *step)
{
    uint64_t low = *at & 0xFFFF;
    bool is_record = *at != 0 && low != TCH_REC_SKIP;
    int status = 0;

    if (is_record && !set_time(w, *at)) {
        *step = left; /* skip the rest, which is later still */
        return 0;
    }
    *step = tch_rec_words(w->r, at, left);
    if (*step == 0) {
        w->r->damaged++;
        *step = low == TCH_REC_WIDE || low == TCH_REC_SKIP ? left : 1;
        return 0;
    }
    if (!is_record)
        return 0;
    w->r->records++;
    if (low == TCH_REC_WIDE)
        return wide_record(w, at, *step);
    if (!w->named)
        status = visit_thread(w, NULL);
    if (status != 0)
        return status;
    return *at & 1 ? plain_end(w, (uint32_t)low >> 1) : plain_begin(w, (uint32_t)low >> 1, at + 1);
}

static int walk_chunk(struct walk *w)
{
    const struct tch_rec_chunk *head = (const struct tch_rec_chunk *)w->r->words;
    const uint64_t *words = w->r->words + TCH_REC_CHUNK_HEADER / 8;
    size_t step;
    int status = visit_waiting(w, w->depth);

    /* Records are missing before this chunk. Open spans can have ended anywhere in them. */
    while (head->sequence != w->sequence && status == 0 && w->depth > 0) {
        w->r->lost_begins++;
        status = close_top(w, TCH_SEEN_END, no_args);
    }
    if (status == 0 && head->thread != w->thread) {
        status = leave_open(w);
        w->thread = head->thread;
        w->tid = head->tid;
        w->name = head->name;
        w->named = false;
    }
    w->pid = head->process > 0 ? head->process - 1 : w->r->head.pid;
    w->sequence = head->sequence + 1;
    w->ticks = head->base;
    for (size_t i = 0; status == 0 && i < TCH_REC_WORDS; i += step)
        status = one_record(w, words + i, TCH_REC_WORDS - i, &step);
    return status;
}

int tch_recording_walk(struct tch_recording *r, tch_rec_visitor *visit, void *ctx, tacho_error *err)
{
    struct walk w = {.r = r, .visit = visit, .ctx = ctx, .err = err};
    int status = 0;

    r->records = r->spans = r->unfinished = r->lost_ends = r->lost_begins = 0;
    r->mismatched = r->damaged = 0;
    r->threads = 0;
    for (size_t i = 0; status == 0 && i < r->chunk_count; i++) {
        const struct tch_rec_ref *ref = &r->chunks[i];

        if (i == 0 || ref->lane != w.lane) {
            status = leave_open(&w);
            w.lane = ref->lane;
            w.thread = w.tid = w.name = 0;
            w.named = false;
            w.sequence = 0;
        }
        if (status == 0)
            status = tch_recording_load(r, ref, err);
        if (status > 0)
            status = walk_chunk(&w);
    }
    if (status == 0)
        status = leave_open(&w);
    free(w.open);
    free(w.kept);
    return status;
}

/* Reads only the stages: copies contain older records. */
int tch_recording_reach(struct tch_recording *r, uint64_t *ret, tacho_error *err)
{
    struct walk w = {.r = r};
    int status = 0;

    *ret = 0;
    for (size_t i = 0; status >= 0 && i < r->chunk_count; i++) {
        const uint64_t *words = r->words + TCH_REC_CHUNK_HEADER / 8;

        if (r->chunks[i].type != TCH_REC_STAGE)
            continue;
        status = tch_recording_load(r, &r->chunks[i], err);
        if (status <= 0)
            continue;
        w.ticks = r->chunks[i].base;
        for (size_t at = 0, step; at < TCH_REC_WORDS; at += step) {
            bool is_record = words[at] != 0 && (words[at] & 0xFFFF) != TCH_REC_SKIP;

            step = tch_rec_words(w.r, words + at, TCH_REC_WORDS - at);
            if (step == 0 || (is_record && !set_time(&w, words[at])))
                break;
            if (is_record && w.ticks > *ret)
                *ret = w.ticks;
        }
    }
    return status < 0 ? status : 0;
}
