/* Reads folded stacks: "main;f;g 12" or, in a differential, "main;f;g 11 12". */
#include <stdlib.h>

#include "base/fail.h"
#include "base/number.h"
#include "profile_read.h"

/* The first stack decides whether the whole file has two counts, because a name may end in a
   number. */
struct folded {
    bool decided;
    bool both;
};

/* Removes a blank and a count from the end of *line. Returns the count as a whole number and with
   its fraction. */
static bool cut_count(struct tch_span *line, uint64_t *whole, double *exact)
{
    size_t end = line->len;
    size_t at = end;
    size_t point = end;

    while (at > 0 && ((line->p[at - 1] >= '0' && line->p[at - 1] <= '9') ||
                      (line->p[at - 1] == '.' && point == end))) {
        if (line->p[--at] == '.')
            point = at;
    }
    if (at == 0 || line->p[at - 1] != ' ' ||
        tch_parse_u64_n(line->p + at, point - at, UINT64_MAX, whole) < 0)
        return false;
    if (end - point <= 1 || tch_parse_f64_n(line->p + at, end - at, exact) < 0)
        *exact = (double)*whole;
    *line = tch_span_trim((struct tch_span){line->p, at});
    return true;
}

bool tch_folded_split(struct tch_span line, bool may_both, struct tch_folded_line *ret)
{
    struct tch_span frames = line;
    uint64_t whole;
    double exact;

    while (frames.len > 0 && (frames.p[frames.len - 1] == '\r' || frames.p[frames.len - 1] == ' ' ||
                              frames.p[frames.len - 1] == '\t'))
        frames.len--;
    *ret = (struct tch_folded_line){0};
    if (!cut_count(&frames, &ret->count, &exact) || frames.len == 0)
        return false;
    ret->fractional = exact != (double)ret->count;
    ret->frames = frames;
    if (may_both && cut_count(&frames, &whole, &exact) && frames.len > 0) {
        ret->frames = frames;
        ret->before = exact;
        ret->both = true;
    }
    return true;
}

static int open_folded(struct tch_flame_reader *r, tacho_error *err)
{
    r->state = calloc(1, sizeof(struct folded));
    return r->state ? 0 : tch_fail_memory(err);
}

static int push_frames(struct tch_flame_reader *r, struct tch_span text, tacho_error *err)
{
    const char *p = text.p;
    const char *end = text.p + text.len;

    for (;;) {
        const char *semicolon = memchr(p, ';', (size_t)(end - p));
        const char *stop = semicolon ? semicolon : end;
        struct tch_span frame = {p, (size_t)(stop - p)};
        int64_t name;

        /* The ';' of "[T; 4]" in a Rust name does not separate frames: no frame starts or ends with
           a blank. */
        if (frame.len > 0 && (frame.p[0] == ' ' || frame.p[frame.len - 1] == ' '))
            frame = tch_span_trim(frame);
        name = tch_read_name(r, frame, err);
        if (name < 0)
            return TACHO_ENOMEM;
        if (tch_read_push(r, (uint32_t)name, err) < 0)
            return TACHO_ENOMEM;
        if (!semicolon)
            return 0;
        p = semicolon + 1;
    }
}

/* Adds both counts of a differential to the stack of the sample. */
static int add_both(struct tch_flame_reader *r, const struct tch_folded_line *line,
                    tacho_error *err)
{
    int64_t id = tch_read_sample(r, 0, err);
    uint32_t frames[TCH_STACK_DEEPEST];

    if (id < 0)
        return (int)id;
    id = tch_stacks_add_both(r->stacks, frames, tch_stacks_frames(r->stacks, (uint32_t)id, frames),
                             line->before, line->count, err);
    return tch_read_in_time(r, 0, id, (struct tch_span){"", 0}, line->count, err);
}

static int line_folded(struct tch_flame_reader *r, struct tch_span text, tacho_error *err)
{
    struct folded *f = r->state;
    struct tch_folded_line line;

    if (text.len == 0 || text.p[0] == '#' || tch_span_trim(text).len == 0)
        return 0;
    if (!tch_folded_split(text, !f->decided || f->both, &line) ||
        (f->decided && f->both && !line.both)) {
        tch_read_ignore(r);
        return 0;
    }
    f->decided = true;
    f->both = line.both;
    r->notes.both = line.both;
    r->notes.fractional |= line.fractional;
    if (push_frames(r, line.frames, err) < 0)
        return TACHO_ENOMEM;
    if (f->both)
        return add_both(r, &line, err);
    return tch_read_in_time(r, 0, tch_read_sample(r, line.count, err), (struct tch_span){"", 0},
                            line.count, err);
}

static int end_folded(struct tch_flame_reader *r, tacho_error *err)
{
    (void)r;
    (void)err;
    return 0;
}

const struct tch_read_ops tch_read_folded = {open_folded, line_folded, end_folded, free};
