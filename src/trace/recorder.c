/* The recording while it is written: its file, its chunks, and the lane of each thread. */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

struct tch_recorder tch_recorder = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1, .overwriting = ATOMIC_FLAG_INIT};

int tacho_trace_mode;
TACHO_TRACE_TLS struct tacho_trace_cursor tacho_trace_cursor;

static struct tch_recorder *const rec = &tch_recorder;
static pthread_key_t thread_end;
static bool have_thread_end;

void tch_signals_block(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

void tch_signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void tch_trace_lock(sigset_t *before)
{
    tch_signals_block(before);
    pthread_mutex_lock(&rec->lock);
}

void tch_trace_unlock(const sigset_t *before)
{
    pthread_mutex_unlock(&rec->lock);
    tch_signals_restore(before);
}

/* The header. */

void tch_recorder_drop(uint64_t records, enum tch_rec_reason why)
{
    struct tch_rec_header *head = __atomic_load_n(&rec->head, __ATOMIC_ACQUIRE);

    if (!head)
        return;
    __atomic_fetch_add(&head->dropped, records, __ATOMIC_RELAXED);
    __atomic_fetch_or(&head->reasons, (uint64_t)why, __ATOMIC_RELAXED);
}

void tch_recorder_cut(void)
{
    struct tch_rec_header *head = __atomic_load_n(&rec->head, __ATOMIC_ACQUIRE);

    if (head)
        __atomic_fetch_add(&head->cut, 1, __ATOMIC_RELAXED);
}

void tch_recorder_has_tracks(void)
{
    struct tch_rec_header *head = __atomic_load_n(&rec->head, __ATOMIC_ACQUIRE);

    if (head)
        __atomic_store_n(&head->tracks, 1, __ATOMIC_RELAXED);
}

static struct tch_rec_pair pair_of(const struct tch_clock_pair *p)
{
    return (struct tch_rec_pair){p->ticks, p->ns, p->error, p->ticks ^ p->ns ^ p->error};
}

void tch_recorder_calibrate(void)
{
    struct tch_rec_pair *older = &rec->head->last[0];

    if (older->ticks > rec->head->last[1].ticks)
        older = &rec->head->last[1];
    tch_clock_calibrate(&rec->clock);
    atomic_store(&rec->calibrated, rec->clock.last.ticks);
    *older = pair_of(&rec->clock.last);
}

static void read_text(const char *path, char *out, size_t size)
{
    struct tch_buf b;

    tch_buf_init_on(&b, out, size, size - 1);
    if (tch_file_read(path, size - 1, &b, NULL) < 0)
        tch_buf_clear(&b);
    out[strcspn(out, "\n")] = '\0';
    tch_buf_release(&b);
}

static void read_program(char out[TCH_REC_PROGRAM])
{
    ssize_t got = readlink("/proc/self/exe", out, TCH_REC_PROGRAM - 1);

    out[got > 0 ? got : 0] = '\0';
}

static void fill_header(struct tch_rec_header *head, uint64_t limit)
{
    tch_clock_init(&rec->clock);
    head->version = TCH_REC_VERSION;
    head->byte_order = TCH_REC_BYTE_ORDER;
    head->header_size = TCH_REC_PAGE;
    head->chunk_size = TCH_REC_CHUNK;
    read_text("/proc/sys/kernel/random/boot_id", head->boot_id, sizeof head->boot_id);
    head->pid = (uint32_t)getpid();
    head->parent = (uint32_t)getppid();
    head->clock = tch_clock_why_not_tsc() ? TCH_REC_CLOCK_NS : TCH_REC_CLOCK_TSC;
    head->ring = rec->ring;
    head->limit = limit;
    head->first = pair_of(&rec->clock.first);
    head->last[0] = pair_of(&rec->clock.last);
    head->wall_ns = tch_wall_ns() - (tch_now_ns() - head->first.ns);
    read_program(head->program);
    /* Last: a file with the magic is whole. */
    memcpy(head->magic, TCH_REC_MAGIC, sizeof head->magic);
}

/* Blocks on disk for what is to be mapped, so that a full disk is an error here and not a SIGBUS
   at some store. Where the file system cannot do it, zeros are written. */
static int allocate(int fd, off_t offset, off_t len)
{
    static const char zeros[TCH_REC_PAGE];

    if (fallocate(fd, 0, offset, len) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return -1;
    for (off_t end = offset + len; offset < end; offset += (off_t)sizeof zeros)
        if (pwrite(fd, zeros, sizeof zeros, offset) != (ssize_t)sizeof zeros)
            return -1;
    return 0;
}

/* Bytes taken by records that a signal interrupted before they were written. The count stays with
   the cursor wherever that points: they will count themselves off. */
static uintptr_t not_written(const struct tacho_trace_cursor *c)
{
    return c->next - c->done;
}

static void set_next(struct tacho_trace_cursor *c, uintptr_t next)
{
    uintptr_t open = not_written(c);

    c->next = next;
    c->done = next - open;
}

static void forget(struct tacho_trace_cursor *c)
{
    uintptr_t open = not_written(c);

    *c = (struct tacho_trace_cursor){.next = open};
}

/* Only ticks of the TSC are taken inline. */
static void set_end(struct tacho_trace_cursor *c, uintptr_t end)
{
    bool tsc = atomic_load_explicit(&tch_ticks_are_tsc, memory_order_relaxed);

    __atomic_store_n(&c->room, end, __ATOMIC_RELAXED);
    __atomic_store_n(&c->end, tsc ? end : 0, __ATOMIC_RELAXED);
}

/* The next thread that takes the lane goes on where this one stopped. */
static void end_of_thread(void *arg)
{
    struct tacho_trace_cursor *c = arg;
    struct tch_lane *lane;
    sigset_t before;

    tch_trace_lock(&before);
    lane = c->lane;
    if (lane && lane->cursor == c) {
        lane->cursor = NULL;
        lane->next = c->next;
        lane->taken = false;
    }
    forget(c);
    tch_trace_unlock(&before);
}

int tch_recorder_open(const char *path, uint64_t limit, bool ring, tacho_error *err)
{
    int fd, status;
    void *head;

    if (!have_thread_end && pthread_key_create(&thread_end, end_of_thread) != 0)
        return tch_fail(err, TACHO_ELIMIT, 0, "cannot trace: no thread-specific key is left");
    have_thread_end = true;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot make the recording '%s'", path);
    if (allocate(fd, 0, TCH_REC_PAGE) < 0)
        goto failed;
    head = mmap(NULL, TCH_REC_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (head == MAP_FAILED)
        goto failed;
    rec->fd = fd;
    rec->most = limit > 0 ? (limit - TCH_REC_PAGE) / TCH_REC_CHUNK : UINT64_MAX;
    if (rec->most < TCH_LIMIT_LEAST)
        rec->most = TCH_LIMIT_LEAST;
    rec->ring = ring && limit > 0;
    atomic_store(&rec->slots, 0);
    atomic_store(&rec->victim, 0);
    fill_header(head, limit);
    __atomic_store_n(&rec->head, head, __ATOMIC_RELEASE);
    return 0;
failed:
    status = tch_fail_errno(err, errno, "cannot make the recording '%s'", path);
    close(fd);
    unlink(path);
    return status;
}

/* A thread may be between taking its words and writing them: its stage becomes memory of no file
   and stays where it is until the next recording needs it. */
void tch_recorder_close(void)
{
    for (uint32_t i = 0; i < rec->lane_count; i++)
        if (rec->lanes[i].cursor) {
            __atomic_store_n(&rec->lanes[i].cursor->end, 0, __ATOMIC_SEQ_CST);
            __atomic_store_n(&rec->lanes[i].cursor->room, 0, __ATOMIC_SEQ_CST);
        }
    while (atomic_load(&rec->turning) > 0)
        sched_yield();
    for (uint32_t i = 0; i < rec->lane_count; i++) {
        struct tch_lane *lane = &rec->lanes[i];

        if (lane->stage)
            lane->address = mmap(lane->stage, TCH_REC_CHUNK, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        *lane = (struct tch_lane){.address = lane->address != MAP_FAILED ? lane->address : NULL};
    }
    rec->lane_count = 0;
    tch_table_detach();
    /* The header stays mapped: someone may be counting a drop. It is one page. */
    __atomic_store_n(&rec->head, NULL, __ATOMIC_RELEASE);
    close(rec->fd);
    rec->fd = -1;
}

void tch_recorder_forked(void)
{
    for (uint32_t i = 0; i < rec->lane_count; i++) {
        struct tch_lane *lane = &rec->lanes[i];

        if (lane->stage)
            munmap(lane->stage, TCH_REC_CHUNK);
        *lane = (struct tch_lane){0};
    }
    rec->lane_count = 0;
    forget(&tacho_trace_cursor);
    munmap(rec->head, TCH_REC_PAGE);
    rec->head = NULL;
    close(rec->fd);
    rec->fd = -1;
    atomic_store(&rec->threads, 0);
    atomic_store(&rec->turning, 0);
    atomic_flag_clear(&rec->overwriting);
}

/* Chunks. */

static off_t chunk_offset(uint64_t slot)
{
    return TCH_REC_PAGE + (off_t)slot * TCH_REC_CHUNK;
}

/* In a ring that is full: the next copy, whose records are counted as dropped. */
static bool overwrite_oldest(uint64_t *ret)
{
    struct tch_rec_chunk old;

    for (uint64_t tries = 0; tries < rec->most; tries++) {
        uint64_t slot = atomic_fetch_add(&rec->victim, 1) % rec->most;

        if (pread(rec->fd, &old, sizeof old, chunk_offset(slot)) != (ssize_t)sizeof old ||
            old.magic != TCH_REC_CHUNK_MAGIC || old.type != TCH_REC_COPY)
            continue;
        tch_recorder_drop(old.records, TCH_REC_RING);
        *ret = slot;
        return true;
    }
    return false;
}

static bool take_slot(uint64_t *ret, enum tch_rec_reason *why)
{
    uint64_t slot = atomic_load(&rec->slots);

    while (slot < rec->most)
        if (atomic_compare_exchange_weak(&rec->slots, &slot, slot + 1)) {
            *ret = slot;
            return true;
        }
    *why = TCH_REC_LIMIT;
    return rec->ring && overwrite_oldest(ret);
}

/* In a ring one at a time takes a chunk and fills it: two writers of one chunk would mix. The wait
   is bounded. */
static bool ring_enter(enum tch_rec_reason *why)
{
    for (int i = 0; rec->ring && atomic_flag_test_and_set(&rec->overwriting); i++) {
        *why = TCH_REC_RING;
        if (i == 1000000)
            return false;
        sched_yield();
    }
    return true;
}

static void ring_leave(void)
{
    if (rec->ring)
        atomic_flag_clear(&rec->overwriting);
}

static void *map_slot(uint64_t slot, void *at, const void *content, size_t len)
{
    off_t offset = chunk_offset(slot);
    void *chunk;

    if (allocate(rec->fd, offset, TCH_REC_CHUNK) < 0 ||
        (len > 0 && pwrite(rec->fd, content, len, offset) != (ssize_t)len))
        return NULL;
    chunk = mmap(at, TCH_REC_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
                 rec->fd, offset);
    if (chunk == MAP_FAILED)
        return NULL;
    memset((char *)chunk + len, 0, TCH_REC_CHUNK - len); /* also brings the pages in */
    return chunk;
}

void *tch_recorder_map_chunk(void *at, const void *content, size_t len, enum tch_rec_reason *why)
{
    void *chunk = NULL;
    uint64_t slot;

    if (!ring_enter(why))
        return NULL;
    if (take_slot(&slot, why)) {
        *why = TCH_REC_DISK;
        chunk = map_slot(slot, at, content, len);
    }
    ring_leave();
    return chunk;
}

/* Records in a full chunk. */
static uint32_t count_records(const uint64_t *words)
{
    uint32_t records = 0;
    uint64_t step;

    for (uint64_t i = 0; i < TCH_REC_WORDS; i += step) {
        uint64_t low = words[i] & 0xFFFF;

        step = 1;
        if (low == TCH_REC_SKIP) {
            step = tch_rec_skip(words[i]);
            continue;
        }
        if (low == TCH_REC_WIDE)
            step = words[i + 1] & 0xFFFF;
        else if (!(low & 1))
            step += tch_trace_site_values((uint32_t)low >> 1);
        records += words[i] != 0;
    }
    return records;
}

static bool write_copy(struct tch_rec_chunk *head, const struct tch_rec_chunk *stage, uint64_t slot)
{
    struct iovec parts[] = {{head, sizeof *head},
                            {(void *)(uintptr_t)(stage + 1), TCH_REC_CHUNK - sizeof *head}};

    if (pwritev(rec->fd, parts, 2, chunk_offset(slot)) == TCH_REC_CHUNK)
        return true;
    /* What is half written is no chunk. */
    memset(head, 0, sizeof *head);
    if (pwrite(rec->fd, head, sizeof *head, chunk_offset(slot)) < 0)
        return false;
    return false;
}

/* The stage's content goes behind what is there already. */
static bool copy_out(const struct tch_rec_chunk *stage, uint32_t records, enum tch_rec_reason *why)
{
    struct tch_rec_chunk head = *stage;
    uint64_t slot;
    bool ok = false;

    head.type = TCH_REC_COPY;
    head.records = records;
    if (!ring_enter(why))
        return false;
    if (take_slot(&slot, why)) {
        *why = TCH_REC_DISK;
        ok = write_copy(&head, stage, slot);
    }
    ring_leave();
    return ok;
}

/* Lanes. */

static void begin_stage(struct tch_rec_chunk *stage, const struct tacho_trace_cursor *c,
                        uint32_t lane, uint64_t sequence)
{
    stage->magic = TCH_REC_CHUNK_MAGIC;
    stage->type = TCH_REC_STAGE;
    stage->lane = lane;
    stage->sequence = sequence;
    stage->thread = c->thread;
    stage->tid = c->tid;
}

static void point_at(struct tacho_trace_cursor *c, struct tch_rec_chunk *stage)
{
    set_next(c, (uintptr_t)(stage + 1));
    set_end(c, c->next + TCH_REC_WORDS * 8);
}

/* A new stage for the lane. One it had stays as it is, an ordinary chunk. */
static bool make_stage(struct tch_lane *lane, struct tacho_trace_cursor *c,
                       enum tch_rec_reason *why)
{
    uint64_t sequence = lane->stage ? lane->stage->sequence + 1 : 0;
    struct tch_rec_chunk *stage = tch_recorder_map_chunk(lane->address, NULL, 0, why);

    if (!stage)
        return false;
    begin_stage(stage, c, lane->number, sequence);
    stage->base = tch_ticks();
    __atomic_store_n(&stage->cleared, stage->base, __ATOMIC_RELEASE);
    lane->stage = stage;
    lane->address = NULL;
    point_at(c, stage);
    return true;
}

static void calibrate_now_and_then(uint64_t now)
{
    const uint64_t often = UINT64_C(1) << 28; /* ticks: a tenth to a quarter of a second */

    if (now - atomic_load(&rec->calibrated) < often || pthread_mutex_trylock(&rec->lock) != 0)
        return;
    if (rec->head)
        tch_recorder_calibrate();
    pthread_mutex_unlock(&rec->lock);
}

/* The stage is full: copies it out, or drops it, and begins it anew. */
static void turn_over(struct tch_lane *lane, struct tacho_trace_cursor *c)
{
    struct tch_rec_chunk *stage = lane->stage;
    uint64_t *words = (uint64_t *)(stage + 1);
    enum tch_rec_reason why = TCH_REC_DISK;

    /* Someone further down on this thread's stack is about to write into this stage. */
    if (not_written(c) > 0 && make_stage(lane, c, &why))
        return;
    if (!copy_out(stage, rec->ring ? count_records(words) : 0, &why))
        tch_recorder_drop(count_records(words), why);
    /* One store retires the records; until `cleared` follows, the stage counts as empty. */
    __atomic_store_n(&stage->base, tch_ticks(), __ATOMIC_RELEASE);
    memset(words, 0, TCH_REC_WORDS * 8);
    begin_stage(stage, c, lane->number, stage->sequence + 1);
    __atomic_store_n(&stage->cleared, stage->base, __ATOMIC_RELEASE);
    point_at(c, stage);
}

/* Of a thread that has a lane, unless the recording is closed right now. Signals are blocked. */
static void turn_over_own(struct tacho_trace_cursor *c)
{
    uintptr_t room;

    atomic_fetch_add(&rec->turning, 1);
    room = __atomic_load_n(&c->room, __ATOMIC_SEQ_CST);
    /* A signal handler may have done it in between. */
    if (room != 0 && c->next >= room)
        turn_over(c->lane, c);
    atomic_fetch_sub(&rec->turning, 1);
    calibrate_now_and_then(tch_ticks());
}

static struct tch_lane *free_lane(void)
{
    for (uint32_t i = 0; i < rec->lane_count; i++)
        if (!rec->lanes[i].taken)
            return &rec->lanes[i];
    if (rec->lane_count == TCH_LANES)
        return NULL;
    rec->lanes[rec->lane_count].number = rec->lane_count;
    return &rec->lanes[rec->lane_count++];
}

enum { THREAD_WORDS = 5 };

/* Whose records follow in this lane. */
static void put_thread(struct tacho_trace_cursor *c)
{
    char name[16] = "";
    uint64_t *slot = (uint64_t *)c->next;

    prctl(PR_GET_NAME, name);
    set_next(c, c->next + THREAD_WORDS * 8);
    slot[1] = tch_rec_wide(THREAD_WORDS, TCH_REC_THREAD, 0, c->thread);
    slot[2] = c->tid;
    memcpy(slot + 3, name, sizeof name);
    __atomic_store_n(slot, tch_ticks() << TCH_REC_LOW_BITS | TCH_REC_WIDE, __ATOMIC_RELEASE);
}

static bool enter_lane(struct tch_lane *lane, struct tacho_trace_cursor *c,
                       enum tch_rec_reason *why)
{
    if (!lane->stage)
        return make_stage(lane, c, why);
    set_next(c, lane->next);
    set_end(c, (uintptr_t)(lane->stage + 1) + TCH_REC_WORDS * 8);
    if (c->next + THREAD_WORDS * 8 <= c->room)
        return true;
    if (c->next < c->room)
        *(uint64_t *)c->next = tch_rec_rest(c->room - c->next);
    turn_over(lane, c);
    return true;
}

/* The lock is held and signals are blocked. */
static bool take_lane(struct tacho_trace_cursor *c)
{
    enum tch_rec_reason why = TCH_REC_LANES;
    struct tch_lane *lane;

    if (rec->state == TCH_TRACE_WAITING && !tch_trace_make_waiting())
        return false;
    if (rec->state != TCH_TRACE_ON)
        return false;
    lane = free_lane();
    c->thread = (uint32_t)atomic_fetch_add(&rec->threads, 1) + 1;
    c->tid = (uint32_t)syscall(SYS_gettid);
    if (!lane || !enter_lane(lane, c, &why)) {
        tch_recorder_drop(1, why);
        return false;
    }
    lane->taken = true;
    lane->cursor = c;
    c->lane = lane;
    pthread_setspecific(thread_end, c);
    put_thread(c);
    tch_recorder_calibrate();
    return true;
}

static uintptr_t take(uintptr_t bytes)
{
#if defined(__x86_64__)
    return tacho_trace_take(bytes);
#else
    return __atomic_fetch_add(&tacho_trace_cursor.next, bytes, __ATOMIC_RELAXED);
#endif
}

void tch_recorder_done(unsigned words)
{
#if defined(__x86_64__)
    tacho_trace_done((uintptr_t)words * 8);
#else
    __atomic_fetch_add(&tacho_trace_cursor.done, (uintptr_t)words * 8, __ATOMIC_RELEASE);
#endif
}

/* There was no room: takes a lane, or begins the stage anew. */
static bool make_room(struct tacho_trace_cursor *c)
{
    sigset_t before;
    bool ok = true;

    if (__atomic_load_n(&c->room, __ATOMIC_RELAXED) == 0) {
        tch_trace_lock(&before);
        forget(c);
        ok = take_lane(c);
        if (!ok)
            forget(c);
        tch_trace_unlock(&before);
        return ok;
    }
    tch_signals_block(&before);
    turn_over_own(c);
    tch_signals_restore(&before);
    return true;
}

uint64_t *tch_recorder_take(unsigned words)
{
    struct tacho_trace_cursor *c = &tacho_trace_cursor;
    uintptr_t bytes = (uintptr_t)words * 8;

    for (;;) {
        uintptr_t slot = take(bytes);
        uintptr_t room = __atomic_load_n(&c->room, __ATOMIC_RELAXED);

        if (slot + bytes <= room)
            return (uint64_t *)slot;
        /* What is left at the end of the stage is not to be read. */
        if (slot < room)
            *(uint64_t *)slot = tch_rec_rest(room - slot);
        tch_recorder_done(words);
        if (!make_room(c))
            return NULL;
    }
}
