/*
 * Reads folded stacks as spans: "track;outer;inner 1234". Each line lasts as many nanoseconds as
 * its number says and follows the previous line. Frames that both lines share continue. The first
 * frame is the track, "process / thread" if trace_folded_write.c wrote it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/number.h"
#include "trace_readers.h"
#include "trace_source.h"

enum { FRAMES_MAX = 4096, LOOK_LINES = 16 };

struct folded {
    struct tch_trace_reading *r;
    struct tch_intern firsts; /* first frames; the number of a frame is the tid */
    int64_t *ends;            /* by track: the time up to which it is filled */
    size_t end_room;
    uint32_t track;              /* 1 + track of the previous line */
    uint32_t frames[FRAMES_MAX]; /* frames that are open on that track */
    size_t depth;
};

/* Parses "frames 12" or "frames 12.5" into the length of the frames and the number. */
static bool parse_line(const char *text, size_t len, size_t *frames, double *value)
{
    size_t at = len;

    while (at > 0 && text[at - 1] != ' ')
        at--;
    if (at < 2 || tch_parse_f64_n(text + at, len - at, value) < 0 || !(*value >= 0))
        return false;
    for (at--; at > 0 && text[at - 1] == ' ';)
        at--;
    *frames = at;
    return at > 0;
}

static size_t trimmed(const char *text, size_t len)
{
    return len > 0 && text[len - 1] == '\r' ? len - 1 : len;
}

/* Checks all complete lines of the head. */
bool tch_is_stacks(const struct tch_trace_source *s)
{
    const char *at = s->head, *end = s->head + s->head_len, *feed;
    size_t lines = 0, frames;
    double value;

    for (; lines < LOOK_LINES && at < end; lines++, at = feed + 1) {
        feed = memchr(at, '\n', (size_t)(end - at));
        if (!feed && lines > 0)
            break;
        if (!feed)
            feed = end;
        if (memchr(at, '\0', (size_t)(feed - at)) ||
            !parse_line(at, trimmed(at, (size_t)(feed - at)), &frames, &value))
            return false;
    }
    return lines > 0;
}

/* Begins and ends. */

static int emit_edge(struct folded *f, enum tch_ev_kind kind, uint32_t name)
{
    struct tch_ev ev = {.kind = (uint8_t)kind,
                        .phase = kind == TCH_EV_BEGIN ? 'B' : 'E',
                        .ts = f->ends[f->track - 1],
                        .name = name,
                        .track = f->track - 1};

    return tch_trace_reading_give(f->r, &ev);
}

static int close_to(struct folded *f, size_t depth)
{
    int status = 0;

    while (status == 0 && f->depth > depth) {
        f->depth--;
        status = emit_edge(f, TCH_EV_END, f->frames[f->depth]);
    }
    return status;
}

static uint32_t text_of(struct folded *f, const char *text, size_t len)
{
    return tch_intern_add(&f->r->m->texts, text, len);
}

/* Returns the pid of the process with that name; a new process gets the next number. */
static uint64_t pid_of(const struct tch_model *m, uint32_t name)
{
    for (uint32_t i = 0; i < tch_model_process_count(m); i++)
        if (m->processes[i].name == name)
            return m->processes[i].pid;
    return (uint64_t)tch_model_process_count(m) + 1;
}

/* Returns 1 + the number of the track that the first frame names; 0 if memory ran out. */
static uint32_t track_of(struct folded *f, const char *text, size_t len)
{
    struct tch_model *m = f->r->m;
    const char *slash = memmem(text, len, " / ", 3);
    size_t process_len = slash ? (size_t)(slash - text) : len;
    uint32_t count = f->firsts.count, number = tch_intern_add(&f->firsts, text, len);
    uint32_t process, thread, track;

    if (number == TCH_INTERN_NONE)
        return 0;
    if (number < count)
        return number + 1;
    process = text_of(f, text, process_len);
    thread = slash ? text_of(f, slash + 3, len - process_len - 3) : process;
    if (process == TCH_INTERN_NONE || thread == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&f->ends, &f->end_room, (size_t)number + 1) < 0)
        return 0;
    track = tch_model_track(m, pid_of(m, process), (uint64_t)number + 1);
    if (track != number) /* only this function makes tracks, in the order of the first frames */
        return 0;
    m->tracks[track].name = thread;
    m->processes[m->tracks[track].process].name = process;
    return track + 1;
}

/* Reads the frames after the first. A stack of one frame becomes that frame on a track with its
   name. */
static int read_frames(struct folded *f, const char *text, size_t len)
{
    const char *next = memchr(text, ';', len), *end = text + len;
    uint32_t track = track_of(f, text, next ? (size_t)(next - text) : len);
    size_t depth = 0;
    int status = 0;

    if (track == 0)
        return tch_fail_memory(f->r->err);
    if (f->track > 0 && f->track != track)
        status = close_to(f, 0);
    f->track = track;
    text = next ? next + 1 : text;
    while (status == 0 && depth < FRAMES_MAX) {
        uint32_t name;

        next = memchr(text, ';', (size_t)(end - text));
        name = text_of(f, text, (size_t)((next ? next : end) - text));
        if (name == TCH_INTERN_NONE)
            return tch_fail_memory(f->r->err);
        if (depth < f->depth && f->frames[depth] != name)
            status = close_to(f, depth);
        if (status == 0 && depth == f->depth) {
            f->frames[f->depth++] = name;
            status = emit_edge(f, TCH_EV_BEGIN, name);
        }
        depth++;
        if (!next)
            break;
        text = next + 1;
    }
    return status != 0 ? status : close_to(f, depth);
}

int tch_read_stacks(struct tch_trace_reading *r, struct tch_trace_source *s)
{
    struct tch_trace_source_lines lines = {.s = s};
    struct folded *f = calloc(1, sizeof *f);
    const char *text;
    size_t len, frames;
    double value;
    int more, status = 0;

    if (!f)
        return tch_fail_memory(r->err);
    f->r = r;
    r->m->kind = TCH_KIND_FOLDED;
    while ((more = tch_trace_source_line(&lines, &text, &len, r->err)) > 0 && status == 0) {
        len = trimmed(text, len);
        if (len == 0)
            continue;
        if (!parse_line(text, len, &frames, &value) || value > (double)TCH_TIME_MAX) {
            tch_trace_places_add(&r->m->bad, lines.offset);
            continue;
        }
        status = read_frames(f, text, frames);
        if (status == 0 && f->ends[f->track - 1] <= TCH_TIME_MAX)
            f->ends[f->track - 1] += (int64_t)round(value);
    }
    if (status == 0 && more == 0 && f->track > 0)
        status = close_to(f, 0);
    tch_trace_source_lines_release(&lines);
    tch_intern_release(&f->firsts);
    free(f->ends);
    free(f);
    return status != 0 ? status : more;
}
