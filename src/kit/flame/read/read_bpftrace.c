/*
 * Reads maps that bpftrace prints, whose keys contain stacks:
 *
 *     @[
 *         read+16
 *         main+99
 *     , sqlite3]: 71
 *
 * An entry starts at "@NAME[" and ends at "]: COUNT". Lines between them that are indented are
 * frames, leaf first; the kernel's stack comes before the one of the program. Other keys, such as
 * comm and pid, become the first frames of the stack.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/number.h"
#include "kit/symbol/frame_name.h"
#include "perf_line.h"
#include "profile_read.h"

enum { NAME_MAX_BYTES = 1 << 20 };

struct bpftrace {
    bool inside;         /* in an entry */
    struct tch_buf keys; /* the keys that are not stacks, each followed by ';' */
    struct tch_buf name;
};

static int open_bpftrace(struct tch_flame_reader *r, tacho_error *err)
{
    struct bpftrace *b = calloc(1, sizeof *b);

    if (!b)
        return tch_fail_memory(err);
    tch_buf_init(&b->keys, NAME_MAX_BYTES);
    tch_buf_init(&b->name, NAME_MAX_BYTES);
    r->state = b;
    return 0;
}

static void close_bpftrace(void *state)
{
    struct bpftrace *b = state;

    if (!b)
        return;
    tch_buf_release(&b->keys);
    tch_buf_release(&b->name);
    free(b);
}

/* Removes "+16" or "+0x10" from the end of a symbol. */
static struct tch_span without_offset(struct tch_span symbol)
{
    size_t plus = tch_span_rfind(symbol, "+");
    size_t at = plus + 1;

    if (plus == 0 || at >= symbol.len)
        return symbol;
    if (tch_span_starts((struct tch_span){symbol.p + at, symbol.len - at}, "0x"))
        at += 2;
    for (size_t i = at; i < symbol.len; i++)
        if (!strchr("0123456789abcdef", symbol.p[i]))
            return symbol;
    symbol.len = plus;
    return symbol;
}

/* Adds a frame: "read+16", "0x7f12ab", or with the mode perf "7f12ab read+16 (/lib/libc.so.6)". */
static int push_frame(struct tch_flame_reader *r, struct tch_span line, tacho_error *err)
{
    struct bpftrace *b = r->state;
    struct tch_span symbol = tch_span_trim(line);
    struct tch_perf_frame frame;
    int64_t id;

    if (tch_perf_frame(line, &frame) && frame.dso.len > 0)
        symbol = frame.symbol;
    tch_buf_clear(&b->name);
    tch_add_symbol(&b->name, without_offset(symbol));
    if (b->name.failed)
        return tch_read_no_memory(r, err);
    id = tch_read_name(r, (struct tch_span){b->name.data, b->name.len}, err);
    return id < 0 ? (int)id : tch_read_push(r, (uint32_t)id, err);
}

/* Stores the keys of a list such as ", sqlite3, 42". */
static void add_keys(struct bpftrace *b, struct tch_span list)
{
    const char *end = list.p + list.len;

    for (const char *at = list.p; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        struct tch_span key = tch_span_trim((struct tch_span){at, (size_t)(stop - at)});

        for (size_t i = 0; i < key.len; i++)
            tch_buf_addc(&b->keys, key.p[i] == ';' ? ':' : key.p[i]);
        if (key.len > 0)
            tch_buf_addc(&b->keys, ';');
        at = stop + 1;
    }
}

/* Counts the entry. Its frames are in the order of the text, leaf first. */
static int end_entry(struct tch_flame_reader *r, uint64_t count, tacho_error *err)
{
    struct bpftrace *b = r->state;
    const char *end = b->keys.data + b->keys.len;
    size_t frames = r->frame_count;

    b->inside = false;
    if (b->keys.failed)
        return tch_read_no_memory(r, err);
    for (const char *at = b->keys.data; at < end;) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        int64_t id = tch_read_name(r, (struct tch_span){at, (size_t)(stop - at)}, err);

        if (id < 0 || tch_read_push(r, (uint32_t)id, err) < 0)
            return TACHO_ENOMEM;
        at = stop + 1;
    }
    /* Reversing everything puts the keys first; reversing them again restores their order. */
    tch_frames_reverse(r->frames, r->frame_count);
    tch_frames_reverse(r->frames, r->frame_count - frames);
    return tch_read_in_time(r, 0, tch_read_sample(r, count, err), (struct tch_span){"", 0}, count,
                            err);
}

/* Reads the part of a line that has keys and perhaps the end of the entry: ", sqlite3]: 71". */
static int read_keys(struct tch_flame_reader *r, struct tch_span text, tacho_error *err)
{
    struct bpftrace *b = r->state;
    size_t close = tch_span_rfind(text, "]: ");
    uint64_t count;

    if (close == text.len) {
        add_keys(b, text);
        return 0;
    }
    add_keys(b, (struct tch_span){text.p, close});
    if (tch_parse_u64_n(text.p + close + 3, text.len - close - 3, UINT64_MAX, &count) == 0 &&
        r->frame_count + b->keys.len > 0)
        return end_entry(r, count, err);
    /* The value is not a count, such as a histogram. */
    b->inside = false;
    r->frame_count = 0;
    tch_read_ignore(r);
    return 0;
}

static int line_bpftrace(struct tch_flame_reader *r, struct tch_span line, tacho_error *err)
{
    struct bpftrace *b = r->state;
    struct tch_span text = tch_span_trim(line);
    size_t keys = tch_bpftrace_keys(line);

    if (keys > 0) {
        if (b->inside)
            tch_read_ignore(r); /* the entry before has no end */
        r->frame_count = 0;
        tch_buf_clear(&b->keys);
        b->inside = true;
        return read_keys(r, tch_span_trim((struct tch_span){line.p + keys, line.len - keys}), err);
    }
    if (text.len == 0 || tch_span_starts(text, "Attach"))
        return 0;
    if (!b->inside) {
        tch_read_ignore(r);
        return 0;
    }
    if (line.p[0] == ' ' || line.p[0] == '\t')
        return push_frame(r, line, err);
    return read_keys(r, text, err);
}

/* Drops an entry that the end of the text truncates. */
static int end_bpftrace(struct tch_flame_reader *r, tacho_error *err)
{
    struct bpftrace *b = r->state;

    (void)err;
    if (b->inside)
        tch_read_ignore(r);
    r->frame_count = 0;
    return 0;
}

size_t tch_bpftrace_keys(struct tch_span line)
{
    size_t at = 1;

    if (line.len < 2 || line.p[0] != '@')
        return 0;
    while (at < line.len &&
           (line.p[at] == '_' || (line.p[at] >= '0' && line.p[at] <= '9') ||
            (line.p[at] >= 'A' && line.p[at] <= 'Z') || (line.p[at] >= 'a' && line.p[at] <= 'z')))
        at++;
    return at < line.len && line.p[at] == '[' ? at + 1 : 0;
}

const struct tch_read_ops tch_read_bpftrace = {open_bpftrace, line_bpftrace, end_bpftrace,
                                               close_bpftrace};
