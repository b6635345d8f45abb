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
    const char *path;   /* path of the recording; absolute, and unchanged while it is open */
    atomic_uint lost;   /* the program closed the descriptor; records are dropped */
    atomic_uint unsaid; /* ... and no message has said so */
    struct tch_rec_header *head; /* mapped */
    struct tch_clock clock;
    atomic_uint_fast64_t slots;   /* number of chunks taken */
    atomic_uint_fast64_t spare;   /* 1 + a chunk below `slots` that was given back; 0: none */
    atomic_uint_fast64_t refused; /* ticks when the disk refused a chunk; 0: it accepts chunks */
    uint64_t most;                /* number of chunks that the limit allows */
    bool ring;
    atomic_uint ahead;           /* blocks were allocated after the end of the file */
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

#endif
