/* Code shared by the readers of all kinds of text: lines, frames of a sample, options, notes. */
#include "profile_read.h"

#include "base/array.h"
#include "base/fail.h"
#include "base/lines.h"
#include "base/shell_quote.h"
#include "foreign.h"
#include "kit/file/packed.h"
#include "kit/flame/stack/frame_kind.h"
#include "perf_line.h"

const char *const tch_read_kinds[] = {"auto", "folded", "perf", "dtrace", "bpftrace", NULL};

static const struct tch_read_ops *const kinds[] = {
    [TCH_READ_FOLDED] = &tch_read_folded,
    [TCH_READ_PERF] = &tch_read_perf,
    [TCH_READ_DTRACE] = &tch_read_dtrace,
    [TCH_READ_BPFTRACE] = &tch_read_bpftrace,
};

void tch_read_init(struct tch_flame_reader *r, struct tch_stacks *stacks,
                   const struct tch_flame_read_options *options)
{
    *r = (struct tch_flame_reader){.stacks = stacks, .options = *options};
    tch_buf_init(&r->scratch, 1 << 24);
}

void tch_read_release(struct tch_flame_reader *r)
{
    if (r->ops)
        r->ops->close(r->state);
    tch_intern_release(&r->notes.events);
    free(r->notes.event_counts);
    free(r->frames);
    tch_buf_release(&r->scratch);
    *r = (struct tch_flame_reader){0};
}

void tch_timeline_release(struct tch_timeline *timeline)
{
    tch_intern_release(&timeline->threads);
    free(timeline->list);
    *timeline = (struct tch_timeline){0};
}

int tch_read_no_memory(const struct tch_flame_reader *r, tacho_error *err)
{
    return tch_fail(err, TACHO_ENOMEM, r->line, "out of memory for %u distinct stacks",
                    r->stacks->count);
}

int tch_read_reserve(struct tch_flame_reader *r, size_t more, tacho_error *err)
{
    if (tch_array_reserve(&r->frames, &r->frame_cap, r->frame_count + more) < 0)
        return tch_read_no_memory(r, err);
    return 0;
}

static bool is_hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Replaces addresses such as "0x7f12ab" by "0x...", so that code loaded at another address has the
   same name. */
struct tch_span tch_read_strip_hex(struct tch_flame_reader *r, struct tch_span name)
{
    tch_buf_clear(&r->scratch);
    for (size_t i = 0; i < name.len;) {
        bool starts = i + 2 < name.len && name.p[i] == '0' && name.p[i + 1] == 'x' &&
                      is_hex_digit(name.p[i + 2]);

        if (!starts) {
            tch_buf_addc(&r->scratch, name.p[i++]);
            continue;
        }
        tch_buf_adds(&r->scratch, "0x...");
        for (i += 2; i < name.len && is_hex_digit(name.p[i]); i++)
            ;
    }
    return (struct tch_span){r->scratch.data, r->scratch.len};
}

static int merge_thread(struct tch_flame_reader *r, uint32_t *first, tacho_error *err)
{
    struct tch_span name = tch_span_interned(&r->stacks->names, *first);
    char *copy;
    int64_t id;

    if (!tch_is_thread_name(name))
        return 0;
    name.len = tch_thread_comm_len(name);
    /* Adding a name may move the table's text, so it is added from a copy. */
    copy = malloc(name.len);
    if (!copy)
        return tch_read_no_memory(r, err);
    memcpy(copy, name.p, name.len);
    id = tch_read_name(r, (struct tch_span){copy, name.len}, err);
    free(copy);
    if (id < 0)
        return (int)id;
    *first = (uint32_t)id;
    return 0;
}

/* Merges consecutive frames of a function that calls itself. */
static void collapse_recursion(struct tch_flame_reader *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->frame_count; i++)
        if (kept == 0 || r->frames[kept - 1] != r->frames[i])
            r->frames[kept++] = r->frames[i];
    r->frame_count = kept;
}

int64_t tch_read_sample(struct tch_flame_reader *r, uint64_t count, tacho_error *err)
{
    int64_t id = 0;

    if (r->options.merge_threads && r->frame_count > 0)
        id = merge_thread(r, r->frames, err);
    if (r->options.collapse_recursion)
        collapse_recursion(r);
    if (r->options.reverse)
        tch_frames_reverse(r->frames, r->frame_count);
    if (id == 0)
        id = tch_stacks_add(r->stacks, r->frames, r->frame_count, count, err);
    r->frame_count = 0;
    r->notes.samples++;
    return id;
}

int tch_read_in_time(struct tch_flame_reader *r, uint64_t time_ns, int64_t stack,
                     struct tch_span thread, uint64_t weight, tacho_error *err)
{
    struct tch_timeline *t = r->timeline;
    uint32_t id;

    if (!t || stack < 0)
        return stack < 0 ? (int)stack : 0;
    id = tch_intern_add(&t->threads, thread.p, thread.len);
    if (id == TCH_INTERN_NONE || tch_array_reserve(&t->list, &t->cap, t->count + 1) < 0)
        return tch_read_no_memory(r, err);
    t->list[t->count++] = (struct tch_sample){
        .time_ns = time_ns,
        .stack = (uint32_t)stack,
        .thread = id,
        .weight = weight,
    };
    return 0;
}

void tch_read_ignore(struct tch_flame_reader *r)
{
    if (r->notes.ignored++ == 0)
        r->notes.first_ignored = r->line;
}

int tch_read_drop(struct tch_flame_reader *r, struct tch_span event, tacho_error *err)
{
    struct tch_read_notes *notes = &r->notes;
    uint32_t id = tch_intern_add(&notes->events, event.p, event.len);

    if (id == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&notes->event_counts, &notes->event_cap, (size_t)id + 1) < 0)
        return tch_read_no_memory(r, err);
    notes->event_counts[id]++;
    return 0;
}

/* Detects the kind of text from a line. Returns TCH_READ_AUTO if the line does not show it. */
static enum tch_read_kind detect_kind(struct tch_span line)
{
    struct tch_span text = tch_span_trim(line);
    struct tch_folded_line folded;
    struct tch_perf_event event;
    struct tch_perf_frame frame;
    bool indented = line.len > 0 && (line.p[0] == ' ' || line.p[0] == '\t');
    bool is_folded = tch_folded_split(line, false, &folded);

    if (text.len == 0 || text.p[0] == '#')
        return TCH_READ_AUTO;
    if (tch_bpftrace_keys(line) > 0 || (!is_folded && tch_span_starts(text, "Attach") &&
                                        tch_span_rfind(text, " probe") < text.len))
        return TCH_READ_BPFTRACE;
    if (tch_span_starts(text, "CPU ") ||
        ((indented || !is_folded) && memchr(text.p, '`', text.len)))
        return TCH_READ_DTRACE;
    if (tch_perf_event(line, &event) && (event.has_time || event.name.len > 0))
        return TCH_READ_PERF;
    if (indented && tch_perf_frame(line, &frame))
        return TCH_READ_PERF;
    return is_folded || !indented ? TCH_READ_FOLDED : TCH_READ_DTRACE;
}

/* Adds the number of the current line to an error without one. */
static int at_line(const struct tch_flame_reader *r, int status, tacho_error *err)
{
    if (status < 0 && err && err->line == 0)
        err->line = r->line;
    return status;
}

/* Refuses a file of another profiler that tacho does not read, and says what to do with it. name:
   the file, or NULL. */
static int refuse_foreign(struct tch_span head, const char *name, tacho_error *err)
{
    const struct tch_foreign *foreign = tch_foreign_find(head);
    const char *file = foreign ? strstr(foreign->advice, "FILE") : NULL;
    struct tch_buf quoted;
    int status;

    if (!foreign)
        return 0;
    tch_buf_init(&quoted, 100);
    if (name && strcmp(name, "stdin") != 0)
        tch_shell_quote(&quoted, name);
    if (!file || quoted.len == 0 || quoted.failed)
        status = tch_fail(err, TACHO_EINVAL, 0, "this is %s; %s", foreign->what, foreign->advice);
    else
        status = tch_fail(err, TACHO_EINVAL, 0, "this is %s; %.*s%s%s", foreign->what,
                          (int)(file - foreign->advice), foreign->advice, quoted.data, file + 4);
    tch_buf_release(&quoted);
    return status;
}

/* perf weighs a sample by its period. If every period is 1, the sum is still a number of samples.
 */
static void perf_unit(const struct tch_flame_reader *r, char *ret, size_t size)
{
    const char *wanted = r->options.event;
    struct tch_span event =
        tch_perf_plain_event(wanted ? (struct tch_span){wanted, strlen(wanted)} : r->notes.event);
    bool clock = tch_perf_same_event(event, (struct tch_span){"cpu-clock", 9}) ||
                 tch_perf_same_event(event, (struct tch_span){"task-clock", 10});

    if (tch_stacks_total(r->stacks) == r->notes.samples)
        snprintf(ret, size, "samples");
    else if (clock)
        snprintf(ret, size, "nanoseconds");
    else if (event.len == 0)
        snprintf(ret, size, "event counts");
    else
        snprintf(ret, size, "%.*s", (int)event.len, event.p);
}

/* Stores what perf's text says about its counts. */
static void set_counted(const struct tch_flame_reader *r)
{
    struct tch_counted *counted = &r->stacks->counted;
    double total = (double)tch_stacks_total(r->stacks);

    *counted = (struct tch_counted){.samples = r->notes.samples};
    perf_unit(r, counted->unit, sizeof counted->unit);
    if (tch_unit_ns(counted->unit) > 0)
        snprintf(counted->measure, sizeof counted->measure, "cpu");
    if (total > 0 && strcmp(counted->unit, "samples") != 0)
        counted->quantum = r->stacks->squares / total;
}

static int read_lines(struct tch_flame_reader *r, struct tch_lines *lines, tacho_error *err)
{
    struct tch_line line;
    int status;

    while ((status = tch_lines_next(lines, &line, err)) > 0) {
        struct tch_span text = {line.text, line.len};

        r->line = line.number;
        if (line.too_long) {
            tch_read_ignore(r);
            continue;
        }
        tch_counted_read(r->stacks, text);
        if (!r->ops) {
            enum tch_read_kind kind = r->options.kind;

            if (kind == TCH_READ_AUTO)
                kind = detect_kind(text);
            if (kind == TCH_READ_AUTO)
                continue;
            r->ops = kinds[kind];
            status = r->ops->open(r, err);
            if (status < 0)
                break;
        }
        status = at_line(r, r->ops->line(r, text, err), err);
        if (status < 0)
            break;
    }
    if (status == 0 && r->ops)
        status = at_line(r, r->ops->end(r, err), err);
    if (status == 0 && r->ops == &tch_read_perf)
        set_counted(r);
    return status;
}

void tch_read_unit(const struct tch_flame_reader *r, char *ret, size_t size)
{
    const char *unit = r->stacks->counted.unit;

    snprintf(ret, size, "%s", unit[0] ? unit : "samples");
}

uint64_t tch_read_samples(const struct tch_flame_reader *r)
{
    uint64_t known = r->stacks->counted.samples;

    return r->ops == &tch_read_perf ? r->notes.samples
           : known > 0              ? known
                                    : tch_stacks_total(r->stacks);
}

int tch_read_fd(struct tch_flame_reader *r, int fd, const char *name, tacho_error *err)
{
    struct tch_packed *packed = NULL;
    struct tch_lines lines;
    struct tch_span head;
    int status = tch_packed_open(&packed, fd, name, err);

    if (status < 0)
        return status;
    head.p = tch_packed_head(packed, &head.len);
    status = refuse_foreign(head, name, err);
    if (status == 0) {
        tch_lines_init_source(&lines, tch_packed_read, packed, name, 0);
        status = read_lines(r, &lines, err);
        tch_lines_release(&lines);
    }
    tch_packed_close(packed);
    return status;
}

int tch_read_mem(struct tch_flame_reader *r, const char *data, size_t len, tacho_error *err)
{
    struct tch_span head = {data, len < TCH_PACKED_HEAD ? len : TCH_PACKED_HEAD};
    struct tch_lines lines;
    int status = refuse_foreign(head, NULL, err);

    if (status < 0)
        return status;
    tch_lines_init_mem(&lines, data, len, 0);
    status = read_lines(r, &lines, err);
    tch_lines_release(&lines);
    return status;
}
