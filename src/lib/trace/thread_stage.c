/*
 * Stages: the memory that threads write their records into.
 *
 * A recording is a file of chunks (recording_format.h). A stage is one of these chunks, mapped
 * shared: a record is in the page cache of the file as soon as it is written, so kill -9 loses
 * nothing that is complete. When a stage is full, its thread copies it to a new chunk, clears it
 * and starts again at its first word.
 *
 *     tacho_trace_cursor (thread-local)  -->  lane (tch_recorder.lanes)  -->  stage
 *
 * A thread holds a lane from its first record until it exits. The next new thread continues in
 * the lane and stage of one that has exited. The reader orders the chunks of a lane by `base`.
 *
 * States of a stage
 *     none       lane->stage is NULL. The first record of a thread makes the stage.
 *     live       stage->base equals stage->cleared. Its records are valid.
 *     retired    base differs from cleared. The records are in a copy already, or dropped and
 *                counted. A reader treats the stage as empty. turn_over() is clearing it.
 *     abandoned  full, but an interrupted record is still to be written into it (see Signals).
 *                It stays in the file as an ordinary chunk, and the lane gets a new stage.
 *     private    the recording is closed. Anonymous memory replaces the mapping at the same
 *                address, because a thread may be between taking its words and writing them.
 *                The stage of the next recording is mapped there (lane->address).
 *
 * Who writes what
 *     cursor.next   its thread, with one instruction: xadd takes the words of a record.
 *     cursor.done   its thread, with one instruction, after the record is written.
 *                   next - done is the number of bytes that are taken and not written.
 *     cursor.room   its thread: the end of the stage; 0 means no lane.
 *                   tch_trace_stages_close() sets it to 0 from another thread.
 *     cursor.end    like room, for records made inline by <tacho/trace.h>. It is below room at
 *                   a stop (see FIRST_STOP), and 0 when ticks are not those of the TSC.
 *     records       the thread that took the words. The first word of a record is written last;
 *                   a word of 0 is not a record. Until then, a record of several words starts
 *                   with TCH_REC_SKIP and its length, so that a reader can skip a record that
 *                   was never finished.
 *     stage header  the thread that holds the lane.
 *     lanes         the thread that holds the recorder's lock. A thread that turns over its own
 *                   stage replaces lane->stage without the lock; `turning` protects it.
 *
 * Memory order
 *     Readers work on the file, after the process or beside it. The first word of a record,
 *     base and cleared are release stores, so a reader that sees them sees everything that was
 *     written before.
 *
 *     Closing and turning over each do a store and a load, all sequentially consistent. A
 *     thread increments `turning`, then loads room. tch_trace_stages_close() stores 0 to room,
 *     then loads `turning`. At least one of the two sees the other. A thread that was already
 *     turning over sets room again, so tch_trace_stages_close() repeats until every room
 *     stays 0.
 *
 * Signals
 *     A handler may record between any two instructions of its thread. It sees consistent
 *     words, because taking and finishing are one instruction each, and because all signals are
 *     blocked while a thread holds the lock or turns over a stage. If a handler fills the stage
 *     while a record that it interrupted is unfinished (next - done > 0), the stage must not be
 *     cleared, and is abandoned. If no new chunk is available, it is cleared anyway, and the
 *     interrupted record may then overwrite words of later ones.
 *
 * Cancellation
 *     pthread_cancel() with the asynchronous type ends a thread at any instruction outside the
 *     regions that block signals, which block it, too. It leaves what a kill leaves: words that
 * were taken and not written. The lane is released by the thread's destructor as at any other exit.
 *
 * Fork
 *     The lock is held across fork() (trace_start.c). The child unmaps the stages of its parent
 *     and makes a recording of its own at its first record.
 *
 * Ring mode
 *     At the limit a new chunk replaces the oldest copy. The header of each copy contains its
 *     number of records, so that dropped ones are counted, and the thread's number, tid and
 *     name, because the record that contains them may be in a chunk that was replaced.
 */
#include "thread_stage.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "recording_chunks.h"
#include "trace_names.h"
#include "trace_span.h"
#include "trace_start.h"

TACHO_TRACE_TLS struct tacho_trace_cursor tacho_trace_cursor;

static struct tch_recorder *const rec = &tch_recorder;
static pthread_key_t thread_end;
static bool have_thread_end;

/* Cursors. */

/* Returns the number of bytes that interrupted records of this thread have taken and not
   written. The difference moves along with the cursor: each of these records adds to `done` when
   it is finished. */
static uintptr_t unfinished_bytes(const struct tacho_trace_cursor *c)
{
    return c->next - c->done;
}

static void set_next(struct tacho_trace_cursor *c, uintptr_t next)
{
    uintptr_t unfinished = unfinished_bytes(c);

    c->next = next;
    c->done = next - unfinished;
}

static void reset_cursor(struct tacho_trace_cursor *c)
{
    *c = (struct tacho_trace_cursor){.next = unfinished_bytes(c), .ended = c->ended};
}

/* Points the cursor at words of a stage, from `next` to the end of the stage. */
static void point_at(struct tacho_trace_cursor *c, const struct tch_rec_chunk *stage,
                     uintptr_t next)
{
    uintptr_t end = (uintptr_t)(stage + 1) + TCH_REC_WORDS * 8;
    bool tsc = atomic_load_explicit(&tch_ticks_are_tsc, memory_order_relaxed);

    set_next(c, next);
    __atomic_store_n(&c->room, end, __ATOMIC_RELAXED);
    __atomic_store_n(&c->end, tsc ? end : 0, __ATOMIC_RELAXED);
}

/* A thread gets no new lane after this many rounds of thread-specific destructors. It is half of
   the rounds that the C library runs, so a thread whose first record is made by a destructor
   still has a round left to release its lane. */
enum { LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS / 2 };

/* Releases the lane of a thread that exits; the next thread continues where this one stopped. Other
   destructors and signal handlers may record after this one, so it asks for another round. */
static void release_lane(void *arg)
{
    struct tacho_trace_cursor *c = arg;
    struct tch_lane *lane;
    struct tch_shield before;

    tch_trace_lock(&before);
    lane = c->lane;
    if (lane && lane->cursor == c) {
        lane->cursor = NULL;
        lane->next = c->next;
        lane->taken = false;
    }
    reset_cursor(c);
    tch_trace_spans_release();
    if (++c->ended < LAST_ROUND)
        pthread_setspecific(thread_end, c);
    tch_trace_unlock(&before);
}

int tch_trace_stages_init(tacho_error *err)
{
    if (!have_thread_end && pthread_key_create(&thread_end, release_lane) != 0)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "cannot trace: the program uses all thread-specific keys");
    have_thread_end = true;
    return 0;
}

/* Makes the next record of every thread find that the trace is over. Returns false when all cursors
   were stopped already. */
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

/* Replaces the mapping of the file by anonymous memory at the same address. */
static void *make_private(struct tch_rec_chunk *stage)
{
    return mmap(stage, TCH_REC_CHUNK, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void tch_trace_stages_close(void)
{
    /* A thread that turns over its stage sets its cursor again, so repeat until all stay stopped.
     */
    while (stop_cursors())
        while (atomic_load(&rec->turning) > 0)
            sched_yield();
    /* A thread may be between taking its words and writing them, so its stage stays mapped. */
    for (uint32_t i = 0; i < rec->lane_count; i++) {
        struct tch_lane *lane = &rec->lanes[i];

        if (lane->stage)
            lane->address = make_private(lane->stage);
        *lane = (struct tch_lane){.address = lane->address != MAP_FAILED ? lane->address : NULL};
    }
    rec->lane_count = 0;
}

void tch_trace_stages_forked(void)
{
    for (uint32_t i = 0; i < rec->lane_count; i++) {
        struct tch_lane *lane = &rec->lanes[i];

        /* When a signal handler forked, the record that it interrupted is still to be written
           into the stage. */
        if (lane->stage && lane->cursor == &tacho_trace_cursor &&
            unfinished_bytes(lane->cursor) > 0)
            make_private(lane->stage);
        else if (lane->stage)
            munmap(lane->stage, TCH_REC_CHUNK);
        *lane = (struct tch_lane){0};
    }
    rec->lane_count = 0;
    reset_cursor(&tacho_trace_cursor);
}

/* Returns the number of words of the record that starts at `at`, of which `left` are in the
   chunk. Never returns 0, even if an interrupted record has overwritten others. */
static uint64_t record_words(const uint64_t *at, uint64_t left)
{
    uint64_t low = *at & 0xFFFF;
    uint64_t words = 1;

    if (low == TCH_REC_SKIP)
        words = tch_rec_skip(*at);
    else if (low == TCH_REC_WIDE && left > 1)
        words = at[1] & 0xFFFF;
    else if (!(low & 1)) /* the begin of a span, followed by its values */
        words = 1 + tch_trace_site_values((uint32_t)low >> 1);
    return words > 0 ? words : 1;
}

/* Returns whether there is an event at `at`, of which `left` words are in the chunk. A span is
   one event: its begin counts, its end does not. */
static bool is_event(const uint64_t *at, uint64_t left)
{
    uint64_t low = *at & 0xFFFF;
    uint64_t kind = low == TCH_REC_WIDE && left > 1 ? at[1] >> 16 & 0xFF : TCH_REC_BEGIN;

    return *at != 0 && !(low & 1) && kind != TCH_REC_END && kind != TCH_REC_THREAD;
}

/* Counts the events of a full stage. In ring mode every record pays for this count, so blocks of
   plain records are counted at once: no word has to wait for the length of the record before it. */
static uint32_t count_events(const uint64_t *words)
{
    enum { BLOCK = 64 };
    uint32_t events = 0;
    size_t i = 0;

    while (i < TCH_REC_WORDS) {
        size_t block_end = i + BLOCK < TCH_REC_WORDS ? i + BLOCK : TCH_REC_WORDS;

        if (tch_trace_all_plain(words + i, block_end - i)) {
            for (; i < block_end; i++)
                events += !(words[i] & 1); /* a begin */
            continue;
        }
        for (; i < block_end; i += (size_t)record_words(words + i, TCH_REC_WORDS - i))
            events += is_event(words + i, TCH_REC_WORDS - i);
    }
    return events;
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

/* Returns the base of the stage that follows one with this base. Bases of a lane only rise, even
   if the clock does not, because readers order and distinguish chunks by them. */
static uint64_t base_after(uint64_t base)
{
    uint64_t now = tch_ticks();

    return now > base ? now : base + 1;
}

static void calibrate_now_and_then(uint64_t now, uint64_t often)
{
    if (now - atomic_load(&rec->calibrated) < often || pthread_mutex_trylock(&rec->lock) != 0)
        return;
    if (rec->head)
        tch_recorder_calibrate();
    pthread_mutex_unlock(&rec->lock);
}

/* In the first stage of a lane, inline records stop after FIRST_STOP words, and again after each
   STOP_FACTOR times as many, to calibrate the clock. The clock pairs of a process that records
   little, or is killed early, then span about the same time as its records. */
enum { FIRST_STOP = 16, STOP_FACTOR = 16 };

static void set_stop(struct tacho_trace_cursor *c, uintptr_t start, uintptr_t words)
{
    uintptr_t room = __atomic_load_n(&c->room, __ATOMIC_RELAXED);
    uintptr_t end = start + words * 8 < room ? start + words * 8 : room;

    if (__atomic_load_n(&c->end, __ATOMIC_RELAXED) != 0) /* inline records are allowed */
        __atomic_store_n(&c->end, end, __ATOMIC_RELAXED);
}

static void pass_stop(struct tacho_trace_cursor *c)
{
    const uint64_t often = UINT64_C(1) << 18; /* ticks: about a tenth of a millisecond */
    struct tch_shield before;

    tch_shield_on(&before);
    atomic_fetch_add(&rec->turning, 1);
    if (__atomic_load_n(&c->room, __ATOMIC_SEQ_CST) != 0) {
        uintptr_t start = (uintptr_t)(((struct tch_lane *)c->lane)->stage + 1);

        set_stop(c, start, (c->next - start) / 8 * STOP_FACTOR);
    }
    atomic_fetch_sub(&rec->turning, 1);
    calibrate_now_and_then(tch_ticks(), often);
    tch_shield_off(&before);
}

/* MADV_POPULATE_WRITE, which older headers do not have. */
enum { POPULATE_WRITE = 23 };

/* Maps a new stage for the lane. The one it had is abandoned. */
static bool make_stage(struct tch_lane *lane, struct tacho_trace_cursor *c,
                       enum tch_rec_reason *why)
{
    uint64_t sequence = lane->stage ? lane->stage->sequence + 1 : 0;
    uint64_t base = lane->stage ? base_after(lane->stage->base) : tch_ticks();
    struct tch_rec_chunk *stage = tch_chunk_map(lane->address, NULL, 0, why);
    volatile char *bytes = (volatile char *)stage;

    if (!stage)
        return false;
    /* Fault all pages in now, so that records do not wait for them. */
    if (madvise(stage, TCH_REC_CHUNK, POPULATE_WRITE) < 0)
        for (size_t i = 0; i < TCH_REC_CHUNK; i += TCH_REC_PAGE)
            bytes[i] = 0; /* a kernel before 5.14 */
    begin_stage(stage, c, lane->number, sequence);
    stage->base = base;
    __atomic_store_n(&stage->cleared, base, __ATOMIC_RELEASE);
    lane->stage = stage;
    lane->address = NULL;
    point_at(c, stage, (uintptr_t)(stage + 1));
    if (sequence == 0)
        set_stop(c, c->next, FIRST_STOP);
    return true;
}

/* Copies a full stage to a new chunk, or counts its records as dropped, and clears it. */
static void turn_over(struct tch_lane *lane, struct tacho_trace_cursor *c)
{
    struct tch_rec_chunk *stage = lane->stage;
    uint64_t *words = (uint64_t *)(stage + 1);
    enum tch_rec_reason why = TCH_REC_DISK;

    /* A record that a signal interrupted is still to be written into this stage. */
    if (unfinished_bytes(c) > 0 && make_stage(lane, c, &why))
        return;
    if (!tch_chunk_copy(stage, rec->ring ? count_events(words) : 0, &why))
        tch_recorder_drop(count_events(words), why);
    /* This store retires all records; the stage counts as empty until `cleared` follows. */
    __atomic_store_n(&stage->base, base_after(stage->base), __ATOMIC_RELEASE);
    memset(words, 0, TCH_REC_WORDS * 8);
    begin_stage(stage, c, lane->number, stage->sequence + 1);
    __atomic_store_n(&stage->cleared, stage->base, __ATOMIC_RELEASE);
    point_at(c, stage, (uintptr_t)words);
}

/* Turns over the stage of a thread that has a lane, unless the recording is being closed. Signals
   are blocked. */
static void turn_over_own(struct tacho_trace_cursor *c)
{
    const uint64_t often = UINT64_C(1) << 28; /* ticks: a tenth to a quarter of a second */
    uintptr_t room;

    /* Copies of a ring contain the thread's name. A new text takes the lock, whose holder may wait
       for `turning`, so this comes first. */
    if (rec->ring && c->name == 0) {
        char name[16] = "";

        prctl(PR_GET_NAME, name);
        c->name = tch_trace_text(name);
    }
    atomic_fetch_add(&rec->turning, 1);
    room = __atomic_load_n(&c->room, __ATOMIC_SEQ_CST);
    /* A signal handler may have turned it over before signals were blocked. */
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

/* Records which thread writes the records that follow in this lane. */
static void record_thread(struct tacho_trace_cursor *c)
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

/* Points the cursor at the lane's stage, with room for the record of record_thread(). */
static bool enter_lane(struct tch_lane *lane, struct tacho_trace_cursor *c,
                       enum tch_rec_reason *why)
{
    if (!lane->stage)
        return make_stage(lane, c, why);
    point_at(c, lane->stage, lane->next);
    if (c->next + THREAD_WORDS * 8 <= c->room)
        return true;
    if (c->next < c->room)
        *(uint64_t *)c->next = tch_rec_rest(c->room - c->next);
    turn_over(lane, c);
    return true;
}

/* Gives the thread a lane and a stage, or counts its record as dropped. The lock is held and
   signals are blocked. */
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
    record_thread(c);
    tch_recorder_calibrate();
    return true;
}

/* Takes a lane, or turns over a full stage. Returns false when the trace is over. */
static bool make_room(struct tacho_trace_cursor *c)
{
    struct tch_shield before;
    bool ok = true;

    if (__atomic_load_n(&c->room, __ATOMIC_RELAXED) == 0) {
        tch_trace_lock(&before);
        reset_cursor(c);
        ok = take_lane(c);
        if (!ok)
            reset_cursor(c);
        tch_trace_unlock(&before);
        tch_recorder_say_lost();
        return ok;
    }
    tch_shield_on(&before);
    turn_over_own(c);
    tch_shield_off(&before);
    tch_recorder_say_lost();
    return true;
}

uint64_t *tch_recorder_take(unsigned words)
{
    struct tacho_trace_cursor *c = &tacho_trace_cursor;
    uintptr_t bytes = (uintptr_t)words * 8;

    for (;;) {
        uintptr_t slot = tch_cursor_take(bytes);
        uintptr_t room = __atomic_load_n(&c->room, __ATOMIC_RELAXED);

        if (slot + bytes <= room) {
            uintptr_t end = __atomic_load_n(&c->end, __ATOMIC_RELAXED);

            if (slot >= end && end != 0)
                pass_stop(c);
            return (uint64_t *)slot;
        }
        /* Readers must skip the words left at the end of the stage. */
        if (slot < room)
            *(uint64_t *)slot = tch_rec_rest(room - slot);
        tch_cursor_done(bytes);
        if (!make_room(c))
            return NULL;
    }
}
