/*
 * The recorder of this process: its state, and the functions that its files share. There is one
 * recording at a time.
 *
 * `lock` guards everything but the cursors and the atomic members. All signals and cancellation are
 * blocked while a thread holds the lock or turns over its stage (copies a full one to the file and
 * clears it). So a signal handler that records never sees a half-done state of its own thread, and
 * a cancelled thread never leaves one.
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
#include "base/no_cancel.h"
#include "base/owned_fd.h"
#include "recording_format.h"

enum {
    TCH_LANES = 4096,         /* threads that can record at the same time */
    TCH_TABLES = 64,          /* chunks of names: 16 MiB */
    TCH_TEXT_MAX = 16 * 1024, /* bytes of a name, category or text */
    TCH_TRACE_PATH = 4096,
    TCH_LIMIT_LEAST = 15, /* smallest limit, in chunks: 4 MiB with the header */
};

/** A stage and the thread that writes to it: see thread_stage.c. */
struct tch_lane {
    bool taken;
    uint32_t number;
    struct tch_rec_chunk *stage; /* NULL: not made yet */
    void *address; /* address of its stage in the last recording; the next one is mapped there */
    struct tacho_trace_cursor *cursor;
    uintptr_t next; /* address at which the last thread of the lane stopped */
};

enum tch_trace_state {
    TCH_TRACE_OFF,
    TCH_TRACE_WAITING, /* a forked child: its recording is made at its first record */
    TCH_TRACE_ON,
};

struct tch_recorder {
    pthread_mutex_t lock;
    enum tch_trace_state state;
    struct tch_owned_fd file;
    const char *path;            /* of the recording; absolute, and unchanged while it is open */
    atomic_bool lost;            /* the program closed the descriptor; records are dropped */
    atomic_bool unsaid;          /* ... and no message has said so */
    struct tch_rec_header *head; /* mapped */
    struct tch_clock clock;
    atomic_uint_fast64_t slots;   /* number of chunks taken */
    atomic_uint_fast64_t spare;   /* 1 + a chunk below `slots` that was given back; 0: none */
    atomic_uint_fast64_t refused; /* ticks when the disk refused a chunk; 0: it accepts chunks */
    uint64_t most;                /* number of chunks that the limit allows */
    bool ring;
    atomic_bool ahead;           /* blocks were allocated after the end of the file */
    atomic_uint_fast64_t victim; /* in ring mode: the chunk that was replaced last */
    atomic_flag overwriting;     /* in ring mode: set while a thread takes and fills a chunk */
    atomic_uint_fast32_t threads;
    atomic_uint_fast32_t traces; /* recordings made by this process and those it was forked from */
    atomic_uint_fast64_t calibrated; /* ticks of the last calibration */
    atomic_uint_fast32_t turning;    /* number of threads that are turning over their stage */
    uint32_t lane_count;
    struct tch_lane lanes[TCH_LANES];
};

extern struct tch_recorder tch_recorder;

/** The signal mask and cancellation of a thread before it raised its shield. */
struct tch_shield {
    sigset_t signals;
    struct tch_cancel cancel;
};

/** Block all signals and cancellation, and restore them. Both are signal-safe. */
void tch_shield_on(struct tch_shield *before);
void tch_shield_off(const struct tch_shield *before);

/** Raise the shield and take the lock, and the reverse. */
void tch_trace_lock(struct tch_shield *before);
void tch_trace_unlock(const struct tch_shield *before);

/* trace_recorder.c: the recording as a whole. The lock must be held, unless a function says
   otherwise. */

/** Makes the recording. Leaves no file on failure. `path` is absolute and must stay as it is until
    the recording is closed. */
int tch_recorder_open(const char *path, uint64_t limit, bool ring, tacho_error *err);

/** Closes the recording. The next record of every thread finds that the trace is over. Returns
    the descriptor of the file, which the caller closes and which may be lost. */
struct tch_owned_fd tch_recorder_close(void);

/** Leaves the recording to the parent, in a child made by fork. */
void tch_recorder_forked(void);

/** Counts events that could not be kept. A span is one event, counted by its begin. Needs no
    lock. */
void tch_recorder_drop(uint64_t events, enum tch_rec_reason why);

/** Counts a truncated text or an argument that was left out. Needs no lock. */
void tch_recorder_cut(void);

/** Notes in the header that there are events with explicit times. Needs no lock. */
void tch_recorder_has_tracks(void);

/** Reports once that the descriptor of the recording is lost. Call it without the lock. */
void tch_recorder_say_lost(void);

/** Calibrates the clock and stores the pair in the header. */
void tch_recorder_calibrate(void);

/* recording_chunks.c: the chunks of the file. Only the first two functions need the lock. */

/** Sets the limit of a new recording. */
void tch_chunks_begin(uint64_t limit, bool ring);

/** Releases blocks that were allocated and not used. */
void tch_chunks_end(void);

/** Returns whether the descriptor of the recording can be used. Opens the recording again if the
    program has closed it. */
bool tch_chunks_hold(void);

/** Allocates blocks on disk before they are mapped, so that a full disk is an error here and not a
    SIGBUS at a store. Returns 0, or -1 and errno. */
int tch_allocate(int fd, off_t offset, off_t len);

/** Maps a new chunk that starts with `len` bytes of content, followed by zeros, at `at` or, when
   that is NULL, anywhere. Returns NULL and the reason when there is none. */
void *tch_chunk_map(void *at, const void *content, size_t len, enum tch_rec_reason *why);

/** Writes the content of a stage to a new chunk. `records` is what its header says. Returns false
 * and the reason on failure. */
bool tch_chunk_copy(const struct tch_rec_chunk *stage, uint32_t records, enum tch_rec_reason *why);

/* thread_stage.c: the threads that write. The lock must be held for the first three functions. */

int tch_trace_stages_init(tacho_error *err);
void tch_trace_stages_close(void);
void tch_trace_stages_forked(void);

/** Reserves bytes of the calling thread's stage, even beyond its end: the caller then compares
   the returned address with the cursor's end or room. This is one instruction on x86-64, so a
   signal handler runs before or after it. */
static inline uintptr_t tch_cursor_take(uintptr_t bytes)
{
#if defined(__x86_64__)
    return tacho_trace_take(bytes);
#else
    return __atomic_fetch_add(&tacho_trace_cursor.next, bytes, __ATOMIC_RELAXED);
#endif
}

/** Marks bytes that were taken as written, or as never to be written. */
static inline void tch_cursor_done(uintptr_t bytes)
{
#if defined(__x86_64__)
    tacho_trace_done(bytes);
#else
    __atomic_fetch_add(&tacho_trace_cursor.done, bytes, __ATOMIC_RELEASE);
#endif
}

/** Takes `words` words for a record of this thread. Takes the lock only when the thread has no
    lane. The caller writes the words, then calls tch_cursor_done().
    @return the first word, or NULL after the record was counted as dropped */
uint64_t *tch_recorder_take(unsigned words);

/* trace_span.c */

/** Frees the calling thread's stack of open spans. */
void tch_trace_spans_release(void);

/* trace_start.c */

/** Makes the recording of a child that does not have one yet. Returns false on failure. The lock
    must be held. */
bool tch_trace_make_waiting(void);

/** Leaves a file to another writer: stops a trace to it that an environment variable started, if
    nothing was recorded. Returns TACHO_EALREADY when this process records to it. `path` must be
    absolute. Takes the lock. */
int tch_trace_make_way(const char *path, tacho_error *err);

/* trace_signal.c */

/** Resets the thread that flushes on a signal, in a child made by fork. */
void tch_trace_signal_forked(void);

/* trace_names.c */

/** Return the number of a site or text, or 0 when there is no room for another name. They take
    the lock for new names only. */
uint32_t tch_trace_site(const char *name, const char *category);
uint32_t tch_trace_text(const char *text);

/** Returns the number of values that follow a plain begin of the site. Needs no lock. */
unsigned tch_trace_site_values(uint32_t site);

/** Returns whether all these words are plain records without values. Needs no lock. */
bool tch_trace_all_plain(const uint64_t *words, size_t count);

/** Does what tch_trace_site() does, for a site whose begins carry the values of these arguments.
    All of them must be numbers. */
uint32_t tch_trace_site_args(const char *name, const char *category, tacho_fields args);

/** Copies all names to a new recording. Sites keep their numbers for the life of the process.
    The lock must be held. */
bool tch_table_move(void);

/** Detaches the tables from the file and keeps them in memory. The lock must be held. */
void tch_table_detach(void);

#endif
