/*
 * Stages: the memory, mapped from the recording, that threads write their records into. A thread
 * has a lane for its life; a lane has one stage, which is copied out and begun anew when it is
 * full.
 */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "trace_recorder.h"

TACHO_TRACE_TLS struct tacho_trace_cursor tacho_trace_cursor;

static struct tch_recorder *const rec = &tch_recorder;
static pthread_key_t thread_end;
static bool have_thread_end;

/* Cursors. */

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

    *c = (struct tacho_trace_cursor){.next = open, .ended = c->ended};
}

/* Only ticks of the TSC are taken inline. */
static void set_end(struct tacho_trace_cursor *c, uintptr_t end)
{
    bool tsc = atomic_load_explicit(&tch_ticks_are_tsc, memory_order_relaxed);

    __atomic_store_n(&c->room, end, __ATOMIC_RELAXED);
    __atomic_store_n(&c->end, tsc ? end : 0, __ATOMIC_RELAXED);
}

/* Of the rounds of destructors, half of those that there are: a thread whose first record is made
   by a destructor is told of its end that much later. */
enum { LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS / 2 };

/* The next thread that takes the lane goes on where this one stopped. Other destructors and signal
   handlers may record after this one, so it asks for a second round; from then on nobody takes a
   lane for a cursor that is about to go. */
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
    if (++c->ended < LAST_ROUND)
        pthread_setspecific(thread_end, c);
    tch_trace_unlock(&before);
}

int tch_stages_init(tacho_error *err)
{
    if (!have_thread_end && pthread_key_create(&thread_end, end_of_thread) != 0)
        return tch_fail(err, TACHO_ELIMIT, 0, "cannot trace: no thread-specific key is left");
    have_thread_end = true;
    return 0;
}

/* Every thread's next record finds that the trace is over. False when it was over for all. */
static bool stop_cursors(void)
{
    bool any = false;

    for (uint32_t i = 0; i < rec->lane_count; i++)
        if (rec->lanes[i].cursor) {
            __atomic_store_n(&rec->lanes[i].cursor->end, 0, __ATOMIC_SEQ_CST);
            any |= __atomic_exchange_n(&rec->lanes[i].cursor->room, 0, __ATOMIC_SEQ_CST) != 0;
        }
    return any;
}

/* The stage becomes memory of no file and stays where it is. */
static void *make_private(struct tch_rec_chunk *stage)
{
    return mmap(stage, TCH_REC_CHUNK, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void tch_stages_close(void)
{
    /* Who turns a stage over right now sets its cursor again, so the cursors are stopped until all
       stay so. */
    while (stop_cursors())
        while (atomic_load(&rec->turning) > 0)
            sched_yield();
    /* A thread may be between taking its words and writing them: its stage stays until the next
       recording needs it. */
    for (uint32_t i = 0; i < rec->lane_count; i++) {
        struct tch_lane *lane = &rec->lanes[i];

        if (lane->stage)
            lane->address = make_private(lane->stage);
        *lane = (struct tch_lane){.address = lane->address != MAP_FAILED ? lane->address : NULL};
    }
    rec->lane_count = 0;
}

void tch_stages_forked(void)
{
    for (uint32_t i = 0; i < rec->lane_count; i++) {
        struct tch_lane *lane = &rec->lanes[i];

        /* A handler may have forked: then the record that it interrupted is yet to be written. */
        if (lane->stage && lane->cursor == &tacho_trace_cursor && not_written(lane->cursor) > 0)
            make_private(lane->stage);
        else if (lane->stage)
            munmap(lane->stage, TCH_REC_CHUNK);
        *lane = (struct tch_lane){0};
    }
    rec->lane_count = 0;
    forget(&tacho_trace_cursor);
}

/* Records in a full chunk. In a ring that is part of the cost of each, hence the blocks: in them no
   word waits for the one before to tell where it begins. */
static uint32_t count_records(const uint64_t *words)
{
    enum { BLOCK = 64 };
    uint32_t records = 0;
    uint64_t step, looked = 0;

    /* A step of 0 is of no record of ours: see turn_over(). */
    for (uint64_t i = 0; i<TCH_REC_WORDS; i += step> 0 ? step : 1) {
        uint64_t low = words[i] & 0xFFFF;

        if (i >= looked && i + BLOCK <= TCH_REC_WORDS) {
            looked = i + BLOCK;
            step = BLOCK;
            if (tch_trace_all_plain(words + i, BLOCK)) {
                records += BLOCK;
                continue;
            }
        }
        step = 1;
        if (low == TCH_REC_SKIP) {
            step = tch_rec_skip(words[i]);
            continue;
        }
        if (low == TCH_REC_WIDE && i + 1 < TCH_REC_WORDS)
            step = words[i + 1] & 0xFFFF;
        else if (!(low & 1))
            step += tch_trace_site_values((uint32_t)low >> 1);
        records += words[i] != 0;
    }
    return records;
}

/* Lanes. */

static void begin_stage(struct tch_rec_chunk *stage, const struct tacho_trace_cursor *c,
                        uint32_t lane, uint64_t sequence)
{
    stage->name = c->name;
    stage->magic = TCH_REC_CHUNK_MAGIC;
    stage->type = TCH_REC_STAGE;
    stage->lane = lane;
    stage->sequence = sequence;
    stage->thread = c->thread;
    stage->tid = c->tid;
}

static void calibrate_now_and_then(uint64_t now, uint64_t often)
{
    if (now - atomic_load(&rec->calibrated) < often || pthread_mutex_trylock(&rec->lock) != 0)
        return;
    if (rec->head)
        tch_recorder_calibrate();
    pthread_mutex_unlock(&rec->lock);
}

/* Inline records of a lane's first stage stop after FIRST_STOP words, and after STOP_FACTOR times
   as many, to take a pair of clocks: then a process that is killed early, or records little, has
   pairs that are not much closer together than its records. */
enum { FIRST_STOP = 16, STOP_FACTOR = 16 };

static void stop_after(struct tacho_trace_cursor *c, uintptr_t start, uintptr_t words)
{
    uintptr_t room = __atomic_load_n(&c->room, __ATOMIC_RELAXED);
    uintptr_t end = start + words * 8 < room ? start + words * 8 : room;

    if (__atomic_load_n(&c->end, __ATOMIC_RELAXED) != 0) /* ticks are of the TSC */
        __atomic_store_n(&c->end, end, __ATOMIC_RELAXED);
}

static void pass_stop(struct tacho_trace_cursor *c)
{
    const uint64_t often = UINT64_C(1) << 18; /* ticks: about a tenth of a millisecond */
    sigset_t before;

    tch_signals_block(&before);
    atomic_fetch_add(&rec->turning, 1);
    if (__atomic_load_n(&c->room, __ATOMIC_SEQ_CST) != 0) {
        uintptr_t start = (uintptr_t)(((struct tch_lane *)c->lane)->stage + 1);

        stop_after(c, start, (c->next - start) / 8 * STOP_FACTOR);
    }
    atomic_fetch_sub(&rec->turning, 1);
    calibrate_now_and_then(tch_ticks(), often);
    tch_signals_restore(&before);
}

static void point_at(struct tacho_trace_cursor *c, struct tch_rec_chunk *stage)
{
    set_next(c, (uintptr_t)(stage + 1));
    set_end(c, c->next + TCH_REC_WORDS * 8);
}

/* The pages, so that recording does not wait for them. */
static void bring_in(struct tch_rec_chunk *stage)
{
    volatile char *bytes = (volatile char *)stage;

    if (madvise(stage, TCH_REC_CHUNK, MADV_POPULATE_WRITE) < 0)
        for (size_t i = 0; i < TCH_REC_CHUNK; i += TCH_REC_PAGE)
            bytes[i] = 0; /* a kernel before 5.14 */
}

/* A new stage for the lane. One it had stays as it is, an ordinary chunk. */
static bool make_stage(struct tch_lane *lane, struct tacho_trace_cursor *c,
                       enum tch_rec_reason *why)
{
    uint64_t sequence = lane->stage ? lane->stage->sequence + 1 : 0;
    struct tch_rec_chunk *stage = tch_chunk_map(lane->address, NULL, 0, why);

    if (!stage)
        return false;
    bring_in(stage);
    begin_stage(stage, c, lane->number, sequence);
    stage->base = tch_ticks();
    __atomic_store_n(&stage->cleared, stage->base, __ATOMIC_RELEASE);
    lane->stage = stage;
    lane->address = NULL;
    point_at(c, stage);
    if (sequence == 0)
        stop_after(c, c->next, FIRST_STOP);
    return true;
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
    if (!tch_chunk_copy(stage, rec->ring ? count_records(words) : 0, &why))
        tch_recorder_drop(count_records(words), why);
    /* One store retires the records; until `cleared` follows, the stage counts as empty. */
    __atomic_store_n(&stage->base, tch_ticks(), __ATOMIC_RELEASE);
    memset(words, 0, TCH_REC_WORDS * 8);
    begin_stage(stage, c, lane->number, stage->sequence + 1);
    __atomic_store_n(&stage->cleared, stage->base, __ATOMIC_RELEASE);
    point_at(c, stage);
}

/* In a ring the record that tells the thread's name makes room some day. Before the turning is
   counted: a new text takes the lock, whose holder may wait for that. */
static void know_name(struct tacho_trace_cursor *c)
{
    char name[16] = "";

    if (!rec->ring || c->name != 0)
        return;
    prctl(PR_GET_NAME, name);
    c->name = tch_trace_text(name);
}

/* Of a thread that has a lane, unless the recording is closed right now. Signals are blocked. */
static void turn_over_own(struct tacho_trace_cursor *c)
{
    const uint64_t often = UINT64_C(1) << 28; /* ticks: a tenth to a quarter of a second */
    uintptr_t room;

    know_name(c);
    atomic_fetch_add(&rec->turning, 1);
    room = __atomic_load_n(&c->room, __ATOMIC_SEQ_CST);
    /* A signal handler may have done it in between. */
    if (room != 0 && c->next >= room)
        turn_over(c->lane, c);
    atomic_fetch_sub(&rec->turning, 1);
    calibrate_now_and_then(tch_ticks(), often);
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
    if (c->ended >= LAST_ROUND) {
        tch_recorder_drop(1, TCH_REC_LANES);
        return false;
    }
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

        if (slot + bytes <= room) {
            uintptr_t end = __atomic_load_n(&c->end, __ATOMIC_RELAXED);

            if (slot >= end && end != 0)
                pass_stop(c);
            return (uint64_t *)slot;
        }
        /* What is left at the end of the stage is not to be read. */
        if (slot < room)
            *(uint64_t *)slot = tch_rec_rest(room - slot);
        tch_recorder_done(words);
        if (!make_room(c))
            return NULL;
    }
}
