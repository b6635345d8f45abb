/* Reads DTrace's aggregated stacks: one frame per line, leaf first, then a line with the count. */
#include <stdlib.h>

#include "base/fail.h"
#include "base/number.h"
#include "kit/symbol/frame_name.h"
#include "profile_read.h"

struct dtrace {
    bool in_header; /* in the lines from "CPU  ID  FUNCTION:NAME" to the next empty line */
    struct tch_buf name;
};

enum { NAME_MAX_BYTES = 1 << 20 };

static int open_dtrace(struct tch_flame_reader *r, tacho_error *err)
{
    struct dtrace *d = calloc(1, sizeof *d);

    if (!d)
        return tch_fail_memory(err);
    tch_buf_init(&d->name, NAME_MAX_BYTES);
    r->state = d;
    return 0;
}

static void close_dtrace(void *state)
{
    struct dtrace *d = state;

    if (d)
        tch_buf_release(&d->name);
    free(d);
}

/* Adds a frame, "libc.so.6`read+0xa", as "libc.so.6`read". The object is not part of the symbol. */
static int push_frame(struct tch_flame_reader *r, struct tch_span frame, tacho_error *err)
{
    struct dtrace *d = r->state;
    size_t plus = tch_span_rfind(frame, "+");
    const char *tick;
    size_t object;
    int64_t id;

    if (plus < frame.len && plus > 0 &&
        tch_span_starts((struct tch_span){frame.p + plus, frame.len - plus}, "+0x"))
        frame.len = plus;
    tick = memchr(frame.p, '`', frame.len);
    object = tick ? (size_t)(tick + 1 - frame.p) : 0;
    tch_buf_clear(&d->name);
    for (size_t i = 0; i < object; i++)
        tch_buf_addc(&d->name, frame.p[i] == ';' ? ':' : frame.p[i]);
    tch_add_symbol(&d->name, (struct tch_span){frame.p + object, frame.len - object});
    if (d->name.failed)
        return tch_read_no_memory(r, err);
    id = tch_read_name(r, (struct tch_span){d->name.data, d->name.len}, err);
    return id < 0 ? (int)id : tch_read_push(r, (uint32_t)id, err);
}

static int line_dtrace(struct tch_flame_reader *r, struct tch_span line, tacho_error *err)
{
    struct dtrace *d = r->state;
    struct tch_span text = tch_span_trim(line);
    uint64_t count;

    if (text.len == 0) {
        d->in_header = false;
        return 0;
    }
    if (tch_span_starts(text, "CPU "))
        d->in_header = true;
    if (d->in_header || text.p[0] == '#')
        return 0;
    if (tch_parse_u64_n(text.p, text.len, UINT64_MAX, &count) < 0)
        return push_frame(r, text, err);
    if (r->frame_count == 0) { /* a count without frames */
        tch_read_ignore(r);
        return 0;
    }
    tch_frames_reverse(r->frames, r->frame_count);
    return tch_read_in_time(r, 0, tch_read_sample(r, count, err), (struct tch_span){"", 0}, count,
                            err);
}

/* Drops frames without a count at the end of the text. */
static int end_dtrace(struct tch_flame_reader *r, tacho_error *err)
{
    (void)err;
    if (r->frame_count > 0)
        tch_read_ignore(r);
    r->frame_count = 0;
    return 0;
}

const struct tch_read_ops tch_read_dtrace = {open_dtrace, line_dtrace, end_dtrace, close_dtrace};
