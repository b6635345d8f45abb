/* Opens a recording: reads its header, clock, list of chunks and names. */
#include "recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/trace.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "recording_walk.h"

enum {
    NAMES_MAX = 1 << 20,
    NAME_BYTES_MAX = 64 << 20,
    NAME_HEAD = 16,
};

/* Reads len bytes at offset. Returns 1, 0 when the file ends before that, or a negative code. */
static int read_at(const struct tch_recording *r, void *out, size_t len, uint64_t offset,
                   tacho_error *err)
{
    size_t have = 0;

    while (have < len) {
        ssize_t got = pread(r->fd, (char *)out + have, len - have, (off_t)(offset + have));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tch_fail_errno(err, errno, "cannot read '%s'", r->path);
        if (got == 0)
            return 0;
        have += (size_t)got;
    }
    return 1;
}

static uint64_t offset_of(const struct tch_recording *r, uint64_t slot)
{
    return r->head.header_size + slot * TCH_REC_CHUNK;
}

static uint64_t slot_count(const struct tch_recording *r)
{
    if (r->size < r->head.header_size)
        return 0;
    return (r->size - r->head.header_size + TCH_REC_CHUNK - 1) / TCH_REC_CHUNK;
}

static int update_size(struct tch_recording *r, tacho_error *err)
{
    struct stat st;

    if (fstat(r->fd, &st) < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", r->path);
    r->size = (uint64_t)st.st_size;
    return 0;
}

/* The header. */

static int check_header(const struct tch_recording *r, tacho_error *err)
{
    const struct tch_rec_header *head = &r->head;

    if (memcmp(head->magic, TCH_REC_MAGIC, sizeof head->magic) != 0)
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' is not a recording", r->path);
    if (head->byte_order != TCH_REC_BYTE_ORDER)
        return tch_fail(
            err, TACHO_EPARSE, 0,
            "'%s' was recorded on a machine of the other byte order; read it on such a machine",
            r->path);
    if (head->version == 0 || head->version > TCH_REC_VERSION)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "'%s' is a recording of version %u, and this tacho reads up to version %d",
                        r->path, head->version, TCH_REC_VERSION);
    if (head->header_size != (head->version == 1 ? TCH_REC_HEADER_V1 : TCH_REC_HEADER) ||
        head->chunk_size != TCH_REC_CHUNK)
        return tch_fail(err, TACHO_EPARSE, 0, "the header of the recording '%s' is damaged",
                        r->path);
    return 0;
}

static bool pair_is_valid(const struct tch_rec_pair *p)
{
    return p->check != 0 && p->check == (p->ticks ^ p->ns ^ p->error);
}

static struct tch_clock_pair pair_of(const struct tch_rec_pair *p)
{
    return (struct tch_clock_pair){p->ticks, p->ns, p->error};
}

static bool is_this_boot(const struct tch_rec_header *head)
{
    char mem[64];
    struct tch_buf id;
    bool same;

    tch_buf_init_on(&id, mem, sizeof mem, sizeof mem - 1);
    if (tch_file_read("/proc/sys/kernel/random/boot_id", sizeof mem - 1, &id, NULL) < 0)
        tch_buf_clear(&id);
    id.data[strcspn(id.data, "\n")] = '\0';
    same = id.len > 0 && strcmp(id.data, head->boot_id) == 0;
    tch_buf_release(&id);
    return same;
}

/* Sets r->until for a recording that may still be written to: records made after it was opened
   are not read. */
static void set_until(struct tch_recording *r, struct tch_clock_pair *now)
{
    bool tsc = !tch_clock_why_not_tsc();
    struct tch_clock_pair own;

    *now = (struct tch_clock_pair){0};
    if (r->head.ended || tsc != (r->head.clock == TCH_REC_CLOCK_TSC) || !is_this_boot(&r->head))
        return;
    own = tch_clock_pair_now();
    if (own.ticks <= r->clock.last.ticks || own.ns <= r->clock.last.ns)
        return;
    r->until = own.ticks;
    *now = own;
}

/* Chooses the clock pairs. Those of the file are normally used, so that every reading gives the
   same times. When the process was killed long after it took its last pair, these times would be
   wrong by more than a microsecond. The reader then uses a pair taken now, if the counter is still
   the same one. */
static int complete_clock(struct tch_recording *r, const struct tch_clock_pair *now,
                          tacho_error *err)
{
    const uint64_t far = 20; /* beyond this many times the distance of the pairs, their error of
                                some 50 ns exceeds a microsecond */
    uint64_t ticks;
    int status;

    if (now->ticks == 0 || r->head.clock != TCH_REC_CLOCK_TSC)
        return 0;
    status = tch_recording_reach(r, &ticks, err);
    if (status < 0)
        return status;
    if (ticks > r->clock.last.ticks &&
        (ticks - r->clock.first.ticks) / far > r->clock.last.ticks - r->clock.first.ticks) {
        tch_clock_set(&r->clock, r->clock.first, *now);
        r->clock_from_reader = true;
    }
    return 0;
}

static int set_clock(struct tch_recording *r, tacho_error *err)
{
    const struct tch_rec_pair *first = &r->head.first;
    const struct tch_rec_pair *last = NULL;

    for (int i = 0; i < 2; i++) {
        const struct tch_rec_pair *p = &r->head.last[i];

        if (pair_is_valid(p) && p->ticks > first->ticks && p->ns > first->ns &&
            (!last || p->ticks > last->ticks))
            last = p;
    }
    if (pair_is_valid(first) && r->head.clock == TCH_REC_CLOCK_NS) {
        tch_clock_set_ns(&r->clock, pair_of(first));
        if (last)
            r->clock.last = pair_of(last);
        return 0;
    }
    if (!pair_is_valid(first) || !last)
        return tch_fail(err, TACHO_EPARSE, 0, "the clock of the recording '%s' is damaged",
                        r->path);
    tch_clock_set(&r->clock, pair_of(first), pair_of(last));
    return 0;
}

static int read_header(struct tch_recording *r, tacho_error *err)
{
    int got = read_at(r, &r->head, sizeof r->head, 0, err);

    if (got < 0)
        return got;
    if (got == 0)
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' is too short for a recording", r->path);
    r->head.boot_id[sizeof r->head.boot_id - 1] = '\0';
    r->head.program[sizeof r->head.program - 1] = '\0';
    got = check_header(r, err);
    return got < 0 ? got : set_clock(r, err);
}

/* Names. */

static int add_name(struct tch_rec_names *names, uint32_t id, const struct tch_rec_name *name,
                    tacho_error *err)
{
    if (id >= names->count) {
        size_t room = names->count;

        if (tch_array_reserve_zero(&names->list, &room, (size_t)id + 1) < 0)
            return tch_fail_memory(err);
        names->count = (uint32_t)room;
    }
    names->list[id] = *name;
    return 0;
}

/* Reads the entries of one table, which is in r->words. Names are kept as offsets plus one until
   all are read, because the bytes move while they grow. */
static int read_names(struct tch_recording *r, tacho_error *err)
{
    const uint64_t *words = r->words + TCH_REC_CHUNK_HEADER / 8;
    size_t at = 0;

    while (at + 2 <= TCH_REC_WORDS && words[at] != 0) {
        uint64_t kind = words[at] & 0xFF, size = words[at] >> 8 & 0xFFFFFF;
        uint32_t id = (uint32_t)(words[at] >> 32);
        struct tch_rec_name name = {.name_len = words[at + 1] & 0xFFFF,
                                    .category_len = words[at + 1] >> 16 & 0xFFFF,
                                    .arg_count = (uint32_t)(words[at + 1] >> 32)};
        size_t bytes = name.name_len + name.category_len + (size_t)name.arg_count * 8;
        int status;

        if (size < 2 || size > TCH_REC_WORDS - at || bytes > (size - 2) * 8 || id >= NAMES_MAX ||
            name.arg_count > TACHO_ARGS_MAX) {
            r->damaged++;
            return 0;
        }
        name.name = (const char *)(uintptr_t)(r->bytes.len + 1);
        tch_buf_add(&r->bytes, words + at + 2, bytes);
        if (r->bytes.failed)
            return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the names of a recording");
        status = add_name(kind == TCH_REC_SITE ? &r->sites : &r->texts, id, &name, err);
        if (status < 0)
            return status;
        at += (size_t)size;
    }
    return 0;
}

static void resolve_names(struct tch_recording *r, struct tch_rec_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        struct tch_rec_name *n = &names->list[i];

        if (n->name) {
            n->name = r->bytes.data + (uintptr_t)n->name - 1;
            n->category = n->name + n->name_len;
            n->args = n->category + n->category_len;
        }
    }
}

/* Chunks. */

static int by_lane_and_time(const void *left, const void *right)
{
    const struct tch_rec_ref *a = left, *b = right;

    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1; /* the stage first, because the copy may be incomplete */
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static void sort_chunks(struct tch_recording *r)
{
    size_t kept = 0;

    if (r->chunk_count > 0)
        qsort(r->chunks, r->chunk_count, sizeof *r->chunks, by_lane_and_time);
    for (size_t i = 0; i < r->chunk_count; i++) {
        const struct tch_rec_ref *c = &r->chunks[i];

        if (kept > 0 && r->chunks[kept - 1].lane == c->lane && r->chunks[kept - 1].base == c->base)
            continue;
        r->chunks[kept++] = *c;
    }
    r->chunk_count = kept;
}

/* Reads one chunk into r->words. Bytes that the file does not have, because the writer was
   killed, become zeros. */
static int read_chunk(struct tch_recording *r, uint64_t slot, tacho_error *err)
{
    uint64_t offset = offset_of(r, slot);
    size_t len = TCH_REC_CHUNK;

    if (offset >= r->size)
        return 0;
    if (r->size - offset < len) {
        len = (size_t)(r->size - offset);
        memset((char *)r->words + len, 0, TCH_REC_CHUNK - len);
    }
    return read_at(r, r->words, len, offset, err);
}

/* Reads the header of a chunk, and sets the next slot to read: after the hole when this is one.
   A file from a full disk can have a hole of many gigabytes. The header is zeros when there is
   no chunk. */
static int read_head(const struct tch_recording *r, uint64_t slot, struct tch_rec_chunk *head,
                     uint64_t *next, tacho_error *err)
{
    int got = read_at(r, head, sizeof *head, offset_of(r, slot), err);
    off_t data;

    if (got <= 0)
        *head = (struct tch_rec_chunk){0};
    *next = slot + 1;
    if (got < 0 || head->magic == TCH_REC_CHUNK_MAGIC)
        return got < 0 ? got : 0;
    data = lseek(r->fd, (off_t)offset_of(r, slot + 1), SEEK_DATA);
    if (data > 0)
        *next = ((uint64_t)data - r->head.header_size) / TCH_REC_CHUNK;
    else if (errno == ENXIO) /* nothing follows */
        *next = UINT64_MAX;
    return 0;
}

/* Lists a chunk of records, or reads a table. */
static int list_chunk(struct tch_recording *r, size_t *room, uint64_t slot,
                      const struct tch_rec_chunk *head, bool copies, tacho_error *err)
{
    int got;

    if (head->magic != TCH_REC_CHUNK_MAGIC || (head->type == TCH_REC_COPY) != copies)
        return 0;
    if (head->type == TCH_REC_TABLE) {
        got = read_chunk(r, slot, err);
        return got > 0 ? read_names(r, err) : got;
    }
    if (head->type != TCH_REC_COPY && (head->type != TCH_REC_STAGE || head->cleared != head->base))
        return 0;
    if (tch_array_reserve(&r->chunks, room, r->chunk_count + 1) < 0)
        return tch_fail_memory(err);
    r->chunks[r->chunk_count++] = (struct tch_rec_ref){head->lane, head->type, head->base, slot};
    return 0;
}

/* Lists all chunks. A recording may grow during that time. Copies are listed after the stages,
   because records that were removed from a stage are in a copy by then. */
static int list_chunks(struct tch_recording *r, tacho_error *err)
{
    struct tch_rec_chunk head;
    size_t room = 0;
    uint64_t next;

    for (int copies = 0; copies < 2; copies++) {
        int status = update_size(r, err);

        for (uint64_t slot = 0; status == 0 && slot < slot_count(r); slot = next) {
            status = read_head(r, slot, &head, &next, err);
            if (status == 0)
                status = list_chunk(r, &room, slot, &head, copies, err);
        }
        if (status < 0)
            return status;
    }
    resolve_names(r, &r->sites);
    resolve_names(r, &r->texts);
    sort_chunks(r);
    return 0;
}

static bool is_chunk(const struct tch_rec_chunk *head, const struct tch_rec_ref *ref)
{
    return head->magic == TCH_REC_CHUNK_MAGIC && head->lane == ref->lane && head->base == ref->base;
}

/* Reads the copy of a stage that its thread has turned over since the chunks were listed. */
static int load_copy(struct tch_recording *r, const struct tch_rec_ref *ref, tacho_error *err)
{
    struct tch_rec_chunk head;
    int status = update_size(r, err);
    uint64_t next;

    for (uint64_t slot = 0; status == 0 && slot < slot_count(r); slot = next) {
        status = read_head(r, slot, &head, &next, err);
        if (status == 0 && head.type == TCH_REC_COPY && is_chunk(&head, ref))
            return read_chunk(r, slot, err);
    }
    return status;
}

int tch_recording_load(struct tch_recording *r, const struct tch_rec_ref *ref, tacho_error *err)
{
    const struct tch_rec_chunk *head = (const struct tch_rec_chunk *)r->words;
    struct tch_rec_chunk after;
    int got = read_chunk(r, ref->slot, err);

    /* While it was read, a stage may have been turned over, or a copy in a ring replaced. */
    if (got > 0)
        got = read_at(r, &after, sizeof after, offset_of(r, ref->slot), err);
    if (got < 0)
        return got;
    if (got > 0 && is_chunk(head, ref) && is_chunk(&after, ref))
        return 1;
    return load_copy(r, ref, err);
}

/* Opening and closing. */

int tch_recording_open(struct tch_recording *r, const char *path, tacho_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot open '%s'", path);
    return tch_recording_open_fd(r, fd, path, err);
}

int tch_recording_open_fd(struct tch_recording *r, int fd, const char *path, tacho_error *err)
{
    struct tch_clock_pair now;
    int status;

    *r = (struct tch_recording){.path = path, .fd = fd, .until = UINT64_MAX};
    tch_buf_init(&r->bytes, NAME_BYTES_MAX);
    status = read_header(r, err);
    if (status < 0)
        goto failed;
    r->words = malloc(TCH_REC_CHUNK);
    if (!r->words) {
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory for a chunk of a recording");
        goto failed;
    }
    set_until(r, &now);
    status = list_chunks(r, err);
    if (status == 0)
        status = complete_clock(r, &now, err);
    if (status == 0)
        return 0;
failed:
    tch_recording_close(r);
    return status;
}

void tch_recording_close(struct tch_recording *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    free(r->words);
    free(r->chunks);
    free(r->sites.list);
    free(r->texts.list);
    tch_buf_release(&r->bytes);
    r->words = NULL;
    r->chunks = NULL;
    r->sites = r->texts = (struct tch_rec_names){0};
    r->chunk_count = 0;
}
