/*
 * Reads the text of `perf script`: for each sample an event line, frames leaf first, an empty line.
 *
 * States: BETWEEN samples an event line is expected; in a SAMPLE frames follow until an empty line;
 * PASSING skips a sample that is not wanted or not understood.
 *
 * Millions of frame lines are equal, so each line is looked up in a table (struct memo) first, and
 * parsed only if it is new. An event line contains a time and is always parsed.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/hash.h"
#include "kit/symbol/frame_name.h"
#include "perf_line.h"
#include "profile_read.h"

enum {
    MEMO_BYTES = 64 << 20,   /* limit of the remembered lines; then all are forgotten */
    NAME_MAX_BYTES = 1 << 20 /* limit of one frame's name */
};

/* A line number that does not occur. */
static const uint32_t NO_LINE = UINT32_MAX;

enum state {
    BETWEEN, /* between samples: an event line is expected */
    SAMPLE,  /* in a sample: frames are expected */
    PASSING, /* skipping to the next empty line: the sample is not wanted or not understood */
};

/* The frames of a line: names from parts[first] on, root first. A line that is not a frame has 0
   names. */
struct meaning {
    uint32_t first;
    uint32_t count;
    uint32_t next; /* line that followed the last time, which it often does again */
};

/* The lines seen so far. Lines of Java programs are parsed differently, so they have a table of
   their own. */
struct memo {
    struct tch_intern lines;
    struct meaning *meanings;
    size_t meaning_cap;
    uint32_t *parts;
    size_t part_count;
    size_t part_cap;
};

struct perf {
    enum state state;
    struct memo memos[2];
    struct memo *memo; /* table for the program of this sample */
    uint32_t last;     /* last line of this sample in the memo; NO_LINE before the first */
    bool is_java;
    struct tch_buf event; /* event to count */
    bool has_event;
    struct tch_buf comm;   /* first frame of this sample */
    struct tch_buf thread; /* "comm-PID/TID" of this sample */
    struct tch_buf name;   /* scratch */
    /* The last frame's line, followed by its source line if that is wanted. */
    struct tch_buf joined;
    uint64_t time_ns;
    uint64_t period;
    struct meaning *frames; /* frames of this sample, leaf first */
    size_t frame_count;
    size_t frame_cap;
};

static int open_perf(struct tch_flame_reader *r, tacho_error *err)
{
    struct perf *p = calloc(1, sizeof *p);

    if (!p)
        return tch_read_no_memory(r, err);
    p->memo = p->memos;
    tch_buf_init(&p->event, NAME_MAX_BYTES);
    tch_buf_init(&p->comm, NAME_MAX_BYTES);
    tch_buf_init(&p->thread, NAME_MAX_BYTES);
    tch_buf_init(&p->name, NAME_MAX_BYTES);
    tch_buf_init(&p->joined, SIZE_MAX / 2);
    r->state = p;
    if (r->options.event) {
        tch_buf_adds(&p->event, r->options.event);
        r->notes.event = (struct tch_span){p->event.data, p->event.len};
        p->has_event = true;
    }
    return p->event.failed ? tch_read_no_memory(r, err) : 0;
}

static void close_perf(void *state)
{
    struct perf *p = state;

    if (!p)
        return;
    for (int i = 0; i < 2; i++) {
        tch_intern_release(&p->memos[i].lines);
        free(p->memos[i].meanings);
        free(p->memos[i].parts);
    }
    tch_buf_release(&p->event);
    tch_buf_release(&p->comm);
    tch_buf_release(&p->thread);
    tch_buf_release(&p->name);
    tch_buf_release(&p->joined);
    free(p->frames);
    free(p);
}

/* Frames. */

/* Adds the name of an unknown symbol: "[libx.so.1]", "[libx.so.1 <7f12>]", or "[unknown]" without
   an object. */
static void add_unknown(struct tch_flame_reader *r, const struct tch_perf_frame *frame)
{
    struct perf *p = r->state;
    bool has_dso = frame->dso.len > 0 && !tch_span_is(frame->dso, "[unknown]");
    struct tch_span base = has_dso ? tch_span_base(frame->dso) : (struct tch_span){"unknown", 7};

    tch_buf_addc(&p->name, '[');
    for (size_t i = 0; i < base.len; i++)
        tch_buf_addc(&p->name, base.p[i] == ';' ? ':' : base.p[i]);
    if (r->options.addrs)
        tch_buf_addf(&p->name, " <%.*s>", (int)frame->ip.len, frame->ip.p);
    tch_buf_addc(&p->name, ']');
}

static void add_mark(struct tch_flame_reader *r, const struct tch_perf_frame *frame, bool inlined)
{
    struct perf *p = r->state;
    struct tch_span name = {p->name.data, p->name.len};

    if (inlined)
        tch_buf_adds(&p->name, tch_span_ends(name, "_[i]") ? "" : "_[i]");
    else if (r->options.mark_kernel && tch_dso_is_kernel(frame->dso))
        tch_buf_adds(&p->name, "_[k]");
    else if (r->options.mark_jit && tch_dso_is_jit(frame->dso))
        tch_buf_adds(&p->name, tch_span_ends(name, "_[j]") ? "" : "_[j]");
}

/* Adds one name of a frame. Java's compiler writes inlined methods as "A->B". */
static int add_name(struct tch_flame_reader *r, const struct tch_perf_frame *frame,
                    struct tch_span symbol, struct tch_span source, bool inlined, tacho_error *err)
{
    struct perf *p = r->state;
    struct memo *memo = p->memo;
    int64_t id;

    tch_buf_clear(&p->name);
    if (tch_span_is(symbol, "[unknown]"))
        add_unknown(r, frame);
    else
        tch_add_symbol(&p->name, p->is_java ? tch_java_symbol(symbol) : symbol);
    if (source.len > 0)
        tch_buf_addf(&p->name, ":%.*s", (int)source.len, source.p);
    add_mark(r, frame, inlined);
    if (p->name.failed ||
        tch_array_reserve(&memo->parts, &memo->part_cap, memo->part_count + 1) < 0)
        return tch_read_no_memory(r, err);
    id = tch_read_name(r, (struct tch_span){p->name.data, p->name.len}, err);
    if (id < 0)
        return (int)id;
    memo->parts[memo->part_count++] = (uint32_t)id;
    return 0;
}

static int add_names(struct tch_flame_reader *r, const struct tch_perf_frame *frame,
                     struct tch_span source, tacho_error *err)
{
    struct perf *p = r->state;
    bool splits = p->is_java || tch_dso_is_jit(frame->dso);
    bool inlined = frame->inlined && r->options.mark_inlined;
    struct tch_span rest = frame->symbol;
    const char *arrow;
    int status = 0;

    while (status == 0 && splits && (arrow = memmem(rest.p, rest.len, "->", 2))) {
        struct tch_span piece = {rest.p, (size_t)(arrow - rest.p)};

        if (piece.len > 0)
            status = add_name(r, frame, piece, source, inlined, err);
        inlined = inlined || piece.len > 0;
        rest = (struct tch_span){arrow + 2, rest.len - piece.len - 2};
    }
    return status < 0 ? status : add_name(r, frame, rest, source, inlined, err);
}

/* Remembers that the new line `id` is this frame. */
static int learn_line(struct tch_flame_reader *r, uint32_t id, const struct tch_perf_frame *frame,
                      struct tch_span source, tacho_error *err)
{
    struct memo *memo = ((struct perf *)r->state)->memo;
    size_t first = memo->part_count;
    int status = 0;

    if (tch_array_reserve(&memo->meanings, &memo->meaning_cap, (size_t)id + 1) < 0)
        return tch_read_no_memory(r, err);
    memo->meanings[id] = (struct meaning){.next = id};
    if (frame)
        status = add_names(r, frame, source, err);
    memo->meanings[id].first = (uint32_t)first;
    memo->meanings[id].count = (uint32_t)(memo->part_count - first);
    return status;
}

static int push_meaning(struct tch_flame_reader *r, struct meaning meaning, tacho_error *err)
{
    struct perf *p = r->state;

    if (tch_array_reserve(&p->frames, &p->frame_cap, p->frame_count + 1) < 0)
        return tch_read_no_memory(r, err);
    p->frames[p->frame_count++] = meaning;
    return 0;
}

/* Samples. */

static int end_sample(struct tch_flame_reader *r, tacho_error *err)
{
    struct perf *p = r->state;
    int64_t comm = tch_read_name(r, (struct tch_span){p->comm.data, p->comm.len}, err);
    int64_t id;

    if (comm < 0 || tch_read_push(r, (uint32_t)comm, err) < 0)
        return TACHO_ENOMEM;
    for (size_t i = p->frame_count; i > 0; i--) {
        const struct meaning *m = p->frames + i - 1;

        for (uint32_t k = 0; k < m->count; k++)
            if (tch_read_push(r, p->memo->parts[m->first + k], err) < 0)
                return TACHO_ENOMEM;
    }
    p->frame_count = 0;
    p->state = BETWEEN;
    /* The memo is cleared between samples only, because the frames of a sample point into it. */
    if (p->memo->lines.bytes_len >= MEMO_BYTES) {
        tch_intern_clear(&p->memo->lines);
        p->memo->part_count = 0;
    }
    id = tch_read_sample(r, p->period, err);
    return tch_read_in_time(r, p->time_ns, id, (struct tch_span){p->thread.data, p->thread.len},
                            p->period, err);
}

/* Returns whether an event is the one to count. If none was requested, the first one seen is. */
static bool is_wanted(struct tch_flame_reader *r, struct tch_span event)
{
    struct perf *p = r->state;

    if (!p->has_event && event.len > 0) {
        tch_buf_add(&p->event, event.p, event.len);
        p->has_event = !p->event.failed;
        r->notes.event = (struct tch_span){p->event.data, p->event.len};
        return true;
    }
    return event.len == 0 ||
           tch_perf_same_event(event, (struct tch_span){p->event.data, p->event.len});
}

static void add_comm(struct tch_buf *b, struct tch_span comm)
{
    tch_buf_clear(b);
    for (size_t i = 0; i < comm.len; i++)
        tch_buf_addc(b, comm.p[i] == ' ' ? '_' : comm.p[i] == ';' ? ':' : comm.p[i]);
}

static void add_ids(struct tch_buf *b, const struct tch_perf_event *event, bool tid)
{
    tch_buf_addf(b, "-%.*s", event->pid.len ? (int)event->pid.len : 1,
                 event->pid.len ? event->pid.p : "?");
    if (tid)
        tch_buf_addf(b, "/%.*s", (int)event->tid.len, event->tid.p);
}

static int start_sample(struct tch_flame_reader *r, const struct tch_perf_event *event,
                        tacho_error *err)
{
    struct perf *p = r->state;

    add_comm(&p->comm, event->comm);
    p->is_java = tch_span_starts((struct tch_span){p->comm.data, p->comm.len}, "java");
    p->memo = p->memos + p->is_java;
    if (r->options.tid || r->options.pid)
        add_ids(&p->comm, event, r->options.tid);
    if (r->timeline) {
        add_comm(&p->thread, event->comm);
        add_ids(&p->thread, event, true);
        r->timeline->timed |= event->has_time;
    }
    p->time_ns = event->time_ns;
    p->period = event->period;
    p->last = NO_LINE;
    p->state = SAMPLE;
    return p->comm.failed || p->thread.failed ? tch_read_no_memory(r, err) : 0;
}

/* Adds a sample of one line: the frame follows the event, and there is no call chain. */
static int one_line_sample(struct tch_flame_reader *r, const struct tch_perf_frame *frame,
                           tacho_error *err)
{
    struct perf *p = r->state;
    size_t first = p->memo->part_count;
    int status = add_names(r, frame, (struct tch_span){"", 0}, err);

    if (status == 0)
        status = push_meaning(r,
                              (struct meaning){.first = (uint32_t)first,
                                               .count = (uint32_t)(p->memo->part_count - first)},
                              err);
    if (status == 0)
        status = end_sample(r, err);
    p->memo->part_count = first;
    return status;
}

static int event_line(struct tch_flame_reader *r, struct tch_span line, tacho_error *err)
{
    struct perf *p = r->state;
    struct tch_perf_event event;
    struct tch_perf_frame frame;
    bool one_line;
    int status;

    if (!tch_perf_event(line, &event)) {
        tch_read_ignore(r);
        p->state = PASSING;
        return 0;
    }
    one_line = tch_perf_frame(event.rest, &frame) && (frame.dso.len > 0 || frame.inlined);
    if (!is_wanted(r, event.name)) {
        p->state = one_line ? BETWEEN : PASSING;
        return tch_read_drop(r, event.name, err);
    }
    status = start_sample(r, &event, err);
    if (status == 0 && one_line)
        status = one_line_sample(r, &frame, err);
    return status;
}

/* Parses a line that was never seen inside a sample. */
static int new_frame_line(struct tch_flame_reader *r, struct tch_span line, uint32_t id,
                          tacho_error *err)
{
    struct tch_perf_frame frame;
    struct tch_perf_event event;
    bool is_frame = tch_perf_frame(line, &frame) &&
                    !(frame.dso.len == 0 && !frame.inlined && tch_perf_event(line, &event));

    if (!is_frame)
        tch_read_ignore(r);
    return learn_line(r, id, is_frame ? &frame : NULL, (struct tch_span){"", 0}, err);
}

/* Adds a "file:line" that follows a frame to that frame. */
static int source_line(struct tch_flame_reader *r, struct tch_span source, bool inlined,
                       tacho_error *err)
{
    struct perf *p = r->state;
    uint32_t known = p->memo->lines.count;
    struct tch_perf_frame frame;
    size_t frame_len = p->joined.len;
    uint32_t id;
    int status = 0;

    if (p->frame_count == 0 ||
        !((r->options.source && source.len > 0) || (inlined && r->options.mark_inlined)))
        return 0;
    tch_buf_addf(&p->joined, "\n%.*s%s", (int)source.len, source.p, inlined ? " (inlined)" : "");
    id = p->joined.failed ? TCH_INTERN_NONE
                          : tch_intern_add(&p->memo->lines, p->joined.data, p->joined.len);
    if (id == TCH_INTERN_NONE)
        return tch_read_no_memory(r, err);
    if (id >= known) {
        bool is_frame = tch_perf_frame((struct tch_span){p->joined.data, frame_len}, &frame);

        frame.inlined |= inlined;
        status = learn_line(r, id, is_frame ? &frame : NULL,
                            r->options.source ? source : (struct tch_span){"", 0}, err);
    }
    if (status == 0)
        p->frames[p->frame_count - 1] = p->memo->meanings[id];
    return status;
}

static bool is_indented(struct tch_span line)
{
    return line.len > 0 && (line.p[0] == '\t' || line.p[0] == ' ');
}

/* Returns the number of a line; TCH_INTERN_NONE if memory runs out. First tries the line that
   followed the last one before, then the table. */
static uint32_t find_line(struct perf *p, struct tch_span line)
{
    struct memo *memo = p->memo;
    uint32_t id;

    if (p->last != NO_LINE) {
        uint32_t next = memo->meanings[p->last].next;

        if (tch_intern_len(&memo->lines, next) == line.len &&
            tch_same_bytes(tch_intern_text(&memo->lines, next), line.p, line.len))
            return p->last = next;
    }
    id = tch_intern_add(&memo->lines, line.p, line.len);
    if (id == TCH_INTERN_NONE)
        return id;
    if (p->last != NO_LINE)
        memo->meanings[p->last].next = id;
    return p->last = id;
}

static int frame_line(struct tch_flame_reader *r, struct tch_span line, tacho_error *err)
{
    struct perf *p = r->state;
    uint32_t known = p->memo->lines.count;
    struct tch_span source;
    bool inlined;
    uint32_t id;
    int status = 0;

    /* Only a source line starts with exactly two blanks, or with none in a log that lost them. */
    if (line.len > 3 &&
        ((line.p[0] == ' ' && line.p[1] == ' ' && line.p[2] != ' ') || !is_indented(line)) &&
        tch_perf_source(line, &source, &inlined))
        return source_line(r, source, inlined, err);
    id = find_line(p, line);
    if (id == TCH_INTERN_NONE)
        return tch_read_no_memory(r, err);
    if (id >= known)
        status = new_frame_line(r, line, id, err);
    if (status == 0)
        status = push_meaning(r, p->memo->meanings[id], err);
    /* Prefetches the line that probably follows. */
    if (status == 0) {
        const char *guess = tch_intern_text(&p->memo->lines, p->memo->meanings[id].next);

        __builtin_prefetch(guess);
        __builtin_prefetch(guess + 64);
    }
    if (status == 0 && (r->options.source || r->options.mark_inlined)) {
        tch_buf_clear(&p->joined);
        tch_buf_add(&p->joined, line.p, line.len);
    }
    return status;
}

/* Returns whether a line is part of a stack although it lost its leading blanks, as in some logs.
   An event line may look like a frame, because a program may be called "cafe". */
static bool is_bare_stack_line(const struct perf *p, struct tch_span line)
{
    struct tch_perf_frame frame;
    struct tch_perf_event event;
    struct tch_span source;
    bool inlined;

    if (tch_perf_frame(line, &frame) && (frame.dso.len > 0 || frame.inlined))
        return !tch_perf_event(line, &event);
    return p->frame_count > 0 && tch_perf_source(line, &source, &inlined) &&
           (inlined || !memchr(line.p, ' ', line.len));
}

static int line_perf(struct tch_flame_reader *r, struct tch_span line, tacho_error *err)
{
    struct perf *p = r->state;
    bool indented =
        is_indented(line) || (line.len > 1 && p->state != BETWEEN && is_bare_stack_line(p, line));
    int status = 0;

    if (p->state == SAMPLE && indented)
        return frame_line(r, line, err);
    if (line.len == 0 || (line.len == 1 && line.p[0] == '\r')) {
        if (p->state == SAMPLE)
            status = end_sample(r, err);
        p->state = BETWEEN;
        return status;
    }
    if (line.p[0] == '#' || (p->state == PASSING && indented))
        return 0;
    /* Some texts have no empty line after a sample. */
    if (p->state == SAMPLE)
        status = end_sample(r, err);
    return status < 0 ? status : event_line(r, line, err);
}

static int end_perf(struct tch_flame_reader *r, tacho_error *err)
{
    struct perf *p = r->state;

    return p->state == SAMPLE ? end_sample(r, err) : 0;
}

const struct tch_read_ops tch_read_perf = {open_perf, line_perf, end_perf, close_perf};
