/*
 * Writes the model as a recording, in the format of recording_format.h, with nanoseconds as ticks.
 *
 * Each track, and each row of spans that overlap on it, becomes a lane with the tid of the track,
 * so that a reader puts them back on one track. The chunks of a lane are copies (TCH_REC_COPY),
 * never stages. Names come last. The header names the process of the first track; chunks of other
 * processes name theirs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "trace_write.h"
#include "wide_record.h"

enum {
    NAMES_MAX = 1 << 20, /* the reader's limit */
    HEAD_WORDS = 2,
};

#define FAR_TICKS \
    (UINT64_C(1) << 46) /* records farther apart than this do not fit into one chunk */

struct lane {
    uint64_t *words; /* contents of the chunk, without its header */
    size_t room, count;
    uint32_t number, tid;
    uint64_t process; /* in the form of a chunk's header */
    uint64_t base, sequence;
    uint64_t ticks; /* time of the previous record */
};

struct site {
    uint32_t name, category;
};

struct recording {
    struct tch_intern sites; /* keys: struct site */
    struct lane *lanes;      /* lanes of the track; the first lane_count are in use */
    size_t lane_room, lane_count;
    uint32_t track; /* 1 + the track being written */
    uint32_t pid;
    uint32_t lane_numbers;
    uint64_t slots; /* number of chunks written */
    uint64_t origin;
    uint64_t last;  /* the latest ticks */
    bool foreign;   /* there are other processes */
    uint8_t *named; /* by process: whether its name was written */
    size_t named_room;
    struct tch_wide_record record;
};

/* Chunks. */

static int put_at(struct tch_trace_writer *w, const void *data, size_t len, uint64_t offset)
{
    const char *p = data;

    while (len > 0) {
        ssize_t got = pwrite(w->file.file.fd, p, len, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return w->out.status =
                       tch_fail_errno(w->out.err, errno, "cannot write '%s'", w->file.path);
        p += got;
        len -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

/* Writes a chunk. The unused rest of its slot stays a hole in the file. */
static int put_chunk(struct tch_trace_writer *w, const struct tch_rec_chunk *head,
                     const uint64_t *words, size_t count)
{
    struct recording *r = w->own;
    uint64_t offset = TCH_REC_HEADER + r->slots++ * TCH_REC_CHUNK;
    int status = put_at(w, head, sizeof *head, offset);

    return status < 0 ? status
                      : put_at(w, words, count * sizeof *words, offset + TCH_REC_CHUNK_HEADER);
}

static int flush_lane(struct tch_trace_writer *w, struct lane *lane)
{
    struct tch_rec_chunk head = {.magic = TCH_REC_CHUNK_MAGIC,
                                 .type = TCH_REC_COPY,
                                 .lane = lane->number,
                                 .thread = lane->number + 1,
                                 .sequence = lane->sequence,
                                 .base = lane->base,
                                 .cleared = lane->base,
                                 .tid = lane->tid,
                                 .process = lane->process};
    int status = lane->count > 0 ? put_chunk(w, &head, lane->words, lane->count) : 0;

    lane->sequence += lane->count > 0;
    lane->count = 0;
    return status;
}

static int leave_lanes(struct tch_trace_writer *w)
{
    struct recording *r = w->own;
    int status = 0;

    for (size_t i = 0; status == 0 && i < r->lane_count; i++)
        status = flush_lane(w, &r->lanes[i]);
    r->lane_count = 0;
    return status;
}

/* Adds a record whose first word does not contain its ticks yet. */
static int emit(struct tch_trace_writer *w, struct lane *lane, uint64_t ticks, uint64_t *record,
                size_t count)
{
    uint64_t apart = ticks > lane->ticks ? ticks - lane->ticks : lane->ticks - ticks;
    int status = 0;

    if (lane->count + count > TCH_REC_WORDS || apart > FAR_TICKS)
        status = flush_lane(w, lane);
    if (status < 0)
        return status;
    if (tch_array_reserve(&lane->words, &lane->room, lane->count + count) < 0)
        return tch_trace_writer_no_memory(w);
    /* Readers treat two chunks with the same base as one. */
    if (lane->count == 0)
        lane->base = lane->sequence > 0 && ticks <= lane->base ? lane->base + 1 : ticks;
    lane->ticks = ticks;
    record[0] |= ticks << TCH_REC_LOW_BITS;
    memcpy(lane->words + lane->count, record, count * sizeof *record);
    lane->count += count;
    return 0;
}

/* Lanes. */

static int end_record(struct tch_trace_writer *w, struct lane *lane, uint64_t ticks)
{
    struct recording *r = w->own;

    return emit(w, lane, ticks, r->record.words, r->record.len);
}

static uint64_t ticks_of(struct recording *r, int64_t ts)
{
    uint64_t ticks = r->origin + (uint64_t)ts;

    if (ticks > r->last)
        r->last = ticks;
    return ticks;
}

static int put_name(struct tch_trace_writer *w, struct lane *lane, unsigned kind, uint32_t name,
                    uint64_t ticks)
{
    struct recording *r = w->own;
    uint32_t text = tch_wide_record_text(&r->record, tch_intern_text(&w->m->texts, name),
                                         tch_intern_len(&w->m->texts, name));

    if (text == TCH_INTERN_NONE)
        return tch_trace_writer_no_memory(w);
    tch_wide_record_begin(&r->record, kind, text, &(uint64_t){0});
    return end_record(w, lane, ticks);
}

/* Finds or makes a lane of the track. Returns NULL on failure. */
static struct lane *lane_of(struct tch_trace_writer *w, uint32_t number, uint32_t track,
                            uint64_t ticks)
{
    struct recording *r = w->own;
    const struct tch_trace_track *t = &w->m->tracks[track];
    const struct tch_trace_process *p = &w->m->processes[t->process];
    int status = 0;

    if (number < r->lane_count)
        return &r->lanes[number];
    if (tch_array_reserve_zero(&r->named, &r->named_room, (size_t)t->process + 1) < 0 ||
        tch_array_reserve_zero(&r->lanes, &r->lane_room, (size_t)number + 1) < 0) {
        tch_trace_writer_no_memory(w);
        return NULL;
    }
    for (; status == 0 && r->lane_count <= number; r->lane_count++) {
        struct lane *lane = &r->lanes[r->lane_count];

        *lane = (struct lane){.words = lane->words,
                              .room = lane->room,
                              .number = r->lane_numbers++,
                              .tid = (uint32_t)t->tid,
                              .process = p->pid != r->pid ? p->pid + 1 : 0,
                              .ticks = ticks};
        if (!r->named[t->process] && p->name)
            status = put_name(w, lane, TCH_REC_PROCESS_NAME, p->name, ticks);
        r->named[t->process] = 1;
        if (status == 0 && t->name)
            status = put_name(w, lane, TCH_REC_THREAD_NAME, t->name, ticks);
    }
    return status < 0 ? NULL : &r->lanes[number];
}

/* The functions of the format. */

static int refuse(struct tch_trace_writer *w, const char *what)
{
    return w->out.status = tch_fail(w->out.err, TACHO_EINVAL, 0, "%s", what);
}

/* Starts a track. Only tracks with events count, because a slice may have left out others. */
static int enter_track(struct tch_trace_writer *w, uint32_t track)
{
    struct recording *r = w->own;
    const struct tch_trace_track *t = &w->m->tracks[track];
    uint64_t pid = w->m->processes[t->process].pid;
    int status = leave_lanes(w);

    if (status < 0)
        return status;
    if (t->tid > UINT32_MAX || pid > UINT32_MAX)
        return refuse(w, "a recording cannot hold ids above 32 bits; 'tacho trace validate --fix' "
                         "makes them smaller");
    if (r->track == 0)
        r->pid = (uint32_t)pid;
    r->foreign |= r->pid != pid;
    r->track = track + 1;
    return 0;
}

static int begin(struct tch_trace_writer *w)
{
    struct recording *r = calloc(1, sizeof *r);
    int64_t origin = (int64_t)w->m->clock.first.ns - w->options.shift;

    if (!r)
        return tch_trace_writer_no_memory(w);
    w->own = r;
    tch_wide_record_init(&r->record);
    if (w->m->clock.known && origin > 0)
        r->origin = (uint64_t)origin;
    r->last = r->origin + 1;
    return 0;
}

static int add(struct tch_trace_writer *w, const struct tch_ev *ev)
{
    struct recording *r = w->own;
    uint64_t ticks = ticks_of(r, ev->ts), plain;
    struct site key = {ev->name, ev->category};
    uint32_t number = tch_intern_add(&r->sites, (const char *)&key, sizeof key);
    uint32_t site = number + TCH_REC_SITE_FIRST;
    struct lane *lane;
    int status = 0;

    if (r->track != ev->track + 1)
        status = enter_track(w, ev->track);
    if (number == TCH_INTERN_NONE)
        return tch_trace_writer_no_memory(w);
    lane = status == 0 ? lane_of(w, ev->lane, ev->track, ticks) : NULL;
    if (!lane)
        return w->out.status;
    if (site < TCH_REC_SITE_PLAIN && ev->args_len == 0 &&
        (ev->kind == TCH_EV_SPAN || ev->kind == TCH_EV_BEGIN)) {
        plain = (uint64_t)site << 1;
        return emit(w, lane, ticks, &plain, 1);
    }
    if (tch_wide_record_make(&r->record, ev, site) < 0)
        return tch_trace_writer_no_memory(w);
    return end_record(w, lane, ticks);
}

static int end_span(struct tch_trace_writer *w, uint32_t number, int64_t ts)
{
    struct recording *r = w->own;
    uint64_t end = TCH_REC_SITE_ANY << 1 | 1;

    return emit(w, &r->lanes[number], ticks_of(r, ts), &end, 1);
}

/* Tables. */

struct table {
    uint64_t *words; /* contents of a chunk, without its header */
    size_t count;
    uint32_t number;
};

static int flush_table(struct tch_trace_writer *w, struct table *t)
{
    struct tch_rec_chunk head = {
        .magic = TCH_REC_CHUNK_MAGIC, .type = TCH_REC_TABLE, .lane = t->number++};
    int status = put_chunk(w, &head, t->words, t->count);

    t->count = 0;
    return status;
}

static int put_entry(struct tch_trace_writer *w, struct table *t, unsigned kind, uint32_t id,
                     const char *first, size_t first_len, const char *second, size_t second_len)
{
    size_t words = HEAD_WORDS + (first_len + second_len + 7) / 8;
    char *bytes;
    int status = t->count + words + 1 > TCH_REC_WORDS ? flush_table(w, t) : 0;

    if (status < 0)
        return status;
    t->words[t->count] = kind | (uint64_t)words << 8 | (uint64_t)id << 32;
    t->words[t->count + 1] = first_len | (uint64_t)second_len << 16;
    if (words > HEAD_WORDS)
        t->words[t->count + words - 1] = 0; /* padding */
    bytes = (char *)(t->words + t->count + HEAD_WORDS);
    memcpy(bytes, first, first_len);
    memcpy(bytes + first_len, second, second_len);
    t->count += words;
    return 0;
}

static size_t name_len(struct recording *r, const struct tch_intern *texts, uint32_t text)
{
    size_t len = tch_intern_len(texts, text);

    r->record.cut += len > TCH_RECORD_TEXT;
    return len > TCH_RECORD_TEXT ? TCH_RECORD_TEXT : len;
}

static int put_tables(struct tch_trace_writer *w, struct table *t)
{
    struct recording *r = w->own;
    const struct tch_intern *names = &w->m->texts;
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < r->record.texts.count; i++)
        status = put_entry(w, t, TCH_REC_TEXT, i + 1, tch_intern_text(&r->record.texts, i),
                           tch_intern_len(&r->record.texts, i), "", 0);
    for (uint32_t i = 0; status == 0 && i < r->sites.count; i++) {
        struct site site;

        memcpy(&site, tch_intern_text(&r->sites, i), sizeof site);
        status =
            put_entry(w, t, TCH_REC_SITE, i + TCH_REC_SITE_FIRST, tch_intern_text(names, site.name),
                      name_len(r, names, site.name), tch_intern_text(names, site.category),
                      name_len(r, names, site.category));
    }
    return status == 0 && t->count > 0 ? flush_table(w, t) : status;
}

static struct tch_rec_pair pair_at(uint64_t ns, uint64_t error)
{
    return (struct tch_rec_pair){.ticks = ns, .ns = ns, .error = error, .check = error};
}

static int put_header(struct tch_trace_writer *w)
{
    const struct recording *r = w->own;
    const struct tch_model *m = w->m;
    bool known = m->clock.known && r->origin > 0;
    uint64_t error =
        m->clock.first.error > 0 ? m->clock.first.error : 1; /* 0 would not be a valid pair */
    struct tch_rec_header head = {.version = TCH_REC_VERSION,
                                  .byte_order = TCH_REC_BYTE_ORDER,
                                  .header_size = TCH_REC_HEADER,
                                  .chunk_size = TCH_REC_CHUNK,
                                  .clock = TCH_REC_CLOCK_NS,
                                  .first = pair_at(r->origin, error),
                                  .last = {pair_at(r->last, error)},
                                  .dropped = m->dropped,
                                  .clock_faults = m->clock_faults,
                                  .cut = r->record.cut,
                                  .ended = 1,
                                  .foreign = r->foreign};

    memcpy(head.magic, TCH_REC_MAGIC, sizeof head.magic);
    if (known) {
        memcpy(head.boot_id, m->clock.boot_id, sizeof head.boot_id);
        head.wall_ns = m->clock.wall_ns - (uint64_t)w->options.shift;
        head.wall_error = m->clock.wall_error;
    }
    head.pid = r->pid;
    return put_at(w, &head, sizeof head, 0);
}

static int finish(struct tch_trace_writer *w)
{
    struct recording *r = w->own;
    struct table t = {.words = malloc(TCH_REC_CHUNK)};
    int status = t.words ? leave_lanes(w) : tch_trace_writer_no_memory(w);

    if (status == 0 &&
        (r->sites.count > NAMES_MAX - TCH_REC_SITE_FIRST || r->record.texts.count > NAMES_MAX - 1))
        status = refuse(w, "a recording cannot hold more than a million distinct names");
    if (status == 0)
        status = put_tables(w, &t);
    free(t.words);
    if (status == 0)
        status = put_header(w);
    w->changed = r->record.cut;
    w->moved = 0; /* readers put all lanes of a track back on it */
    if (status == 0 &&
        ftruncate(w->file.file.fd, (off_t)(TCH_REC_HEADER + r->slots * TCH_REC_CHUNK)) < 0)
        status = w->out.status =
            tch_fail_errno(w->out.err, errno, "cannot write '%s'", w->file.path);
    return status;
}

static void release(struct tch_trace_writer *w)
{
    struct recording *r = w->own;

    for (size_t i = 0; i < r->lane_room; i++)
        free(r->lanes[i].words);
    free(r->lanes);
    free(r->named);
    tch_intern_release(&r->sites);
    tch_wide_record_release(&r->record);
}

const struct tch_write_format tch_trace_as_recording = {.extension = ".tacho",
                                                        .name = "recording",
                                                        .needs_lanes = true,
                                                        .begin = begin,
                                                        .add = add,
                                                        .end_span = end_span,
                                                        .finish = finish,
                                                        .release = release};
