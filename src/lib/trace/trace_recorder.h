/*
 * What the files of the recorder share. One recording at a time; everything here is of this
 * process.
 *
 * `lock` guards all but the cursors and what is atomic. Whoever holds it, or turns a stage over,
 * has all signals blocked: a signal handler that records never meets a half-done state of its own
 * thread.
 */
#ifndef TCH_TRACE_RECORDER_H
#define TCH_TRACE_RECORDER_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tacho/trace.h>

#include "base/clock.h"
#include "recording_format.h"

enum {
    TCH_LANES = 4096,         /* threads that can record at the same time */
    TCH_TABLES = 64,          /* chunks of names: 16 MiB */
    TCH_TEXT_MAX = 16 * 1024, /* bytes of a name, category or text */
    TCH_TRACE_PATH = 4096,
    TCH_LIMIT_LEAST = 15, /* chunks: 4 MiB with the header */
};

/** One stage and who writes to it. */
struct tch_lane {
    bool taken;
    uint32_t number;
    struct tch_rec_chunk *stage; /* NULL: not made yet */
    void *address;               /* of the stage of a recording that is over: for the next one */
    struct tacho_trace_cursor *cursor;
    uintptr_t next; /* where the thread that had it before stopped */
};

enum tch_trace_state {
    TCH_TRACE_OFF,
    TCH_TRACE_WAITING, /* a child's recording is made at its first record */
    TCH_TRACE_ON,
};

struct tch_recorder {
    pthread_mutex_t lock;
    enum tch_trace_state state;
    int fd;
    struct tch_rec_header *head; /* mapped */
    struct tch_clock clock;
    atomic_uint_fast64_t slots; /* chunks handed out */
    uint64_t most;              /* chunks that the limit allows */
    bool ring;
    atomic_bool ahead;           /* blocks were allocated behind the end of the file */
    atomic_uint_fast64_t victim; /* ring: the chunk that made room last */
    atomic_flag overwriting;     /* ring: one at a time */
    atomic_uint_fast32_t threads;
    atomic_uint_fast64_t calibrated; /* ticks of the last time */
    atomic_uint_fast32_t turning;    /* threads that turn their stage over right now */
    uint32_t lane_count;
    struct tch_lane lanes[TCH_LANES];
};

extern struct tch_recorder tch_recorder;

/** Blocks all signals, and sets them as they were. Signal-safe. */
void tch_signals_block(sigset_t *before);
void tch_signals_restore(const sigset_t *before);

/** Both, and the lock. */
void tch_trace_lock(sigset_t *before);
void tch_trace_unlock(const sigset_t *before);

/* trace_recorder.c: the recording as a whole. The lock is held but where it says otherwise. */

/** Makes the recording; nothing is left behind on failure. */
int tch_recorder_open(const char *path, uint64_t limit, bool ring, tacho_error *err);

/** Every thread's next record finds that the trace is over. */
void tch_recorder_close(void);

/** The same in a child made by fork, which leaves the parent's recording alone. */
void tch_recorder_forked(void);

/** Counts records that could not be kept. Needs no lock. */
void tch_recorder_drop(uint64_t records, enum tch_rec_reason why);

/** Counts a text cut or an argument left out. Needs no lock. */
void tch_recorder_cut(void);

/** From now on there are events with explicit times. Needs no lock. */
void tch_recorder_has_tracks(void);

/** Takes the later of the two clock pairs anew. */
void tch_recorder_calibrate(void);

/* recording_chunks.c: what the file consists of. Needs no lock but for the first two. */

void tch_chunks_begin(uint64_t limit, bool ring);

/** Gives back blocks that were not needed. */
void tch_chunks_end(void);

/** Blocks on disk for what is to be mapped, so that a full disk is an error here and not a SIGBUS
    at some store. 0, or -1 and errno. */
int tch_allocate(int fd, off_t offset, off_t len);

/** A new chunk that begins with `len` bytes of content, the rest zeros, mapped at `at` or, when
   that is NULL, anywhere; NULL when there is none. */
void *tch_chunk_map(void *at, const void *content, size_t len, enum tch_rec_reason *why);

/** Writes the stage's content behind what is there already. */
bool tch_chunk_copy(const struct tch_rec_chunk *stage, uint32_t records, enum tch_rec_reason *why);

/* thread_stage.c: who writes. The lock is held for the first three. */

int tch_trace_stages_init(tacho_error *err);
void tch_trace_stages_close(void);
void tch_trace_stages_forked(void);

/** Takes bytes of the calling thread's stage, whether it has them or not: the caller compares the
    address with the cursor's end or room. One instruction on x86-64, so a signal handler runs
   before or after it. */
static inline uintptr_t tch_cursor_take(uintptr_t bytes)
{
#if defined(__x86_64__)
    return tacho_trace_take(bytes);
#else
    return __atomic_fetch_add(&tacho_trace_cursor.next, bytes, __ATOMIC_RELAXED);
#endif
}

/** Says that bytes taken are written, or will never be. */
static inline void tch_cursor_done(uintptr_t bytes)
{
#if defined(__x86_64__)
    tacho_trace_done(bytes);
#else
    __atomic_fetch_add(&tacho_trace_cursor.done, bytes, __ATOMIC_RELEASE);
#endif
}

/** Takes `words` words for a record of this thread. Takes the lock only when the thread has no
   lane. The caller writes them, then calls tch_cursor_done().
    @return the first word, or NULL, and then the record is counted as dropped */
uint64_t *tch_recorder_take(unsigned words);

/* trace_start.c */

/** The lock is held: makes the recording of a child that has none yet. False: there is none. */
bool tch_trace_make_waiting(void);

/* trace_names.c: names. */

/** The number of a site or text, made when it is new; 0 when it cannot be. Takes the lock for new
    ones only. */
uint32_t tch_trace_site(const char *name, const char *category);
uint32_t tch_trace_text(const char *text);

/** How many values stand behind a plain begin of the site. Needs no lock. */
unsigned tch_trace_site_values(uint32_t site);

/** Is each of these words a record of its own, written, plain and without values? Needs no lock. */
bool tch_trace_all_plain(const uint64_t *words, size_t count);

/** A site whose begins carry the values of these arguments, none of them a text. */
uint32_t tch_trace_site_args(const char *name, const char *category, const tacho_arg *args,
                             size_t count);

/** The lock is held: copies all names to a new recording. Sites keep their numbers for the life of
    the process. */
bool tch_table_move(void);

/** The lock is held: the recording is over, the names stay in memory. */
void tch_table_detach(void);

#endif
