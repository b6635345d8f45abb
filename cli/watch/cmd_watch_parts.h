/*
 * What the files of tacho watch share.
 */
#ifndef CLI_CMD_WATCH_PARTS_H
#define CLI_CMD_WATCH_PARTS_H

#include "base/spawn.h"
#include "cli/core/opt.h"
#include "kit/flame/backend/process_guard.h"
#include "kit/run/process_watch.h"

enum { WATCH_GRAPH = 40, WATCH_LINE = 64 << 10 };

struct watch_job {
    struct tch_watch_plan plan;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: until it ends */
    uint64_t idle_ns;     /* measure the idle power for so long before; 0: not */
    bool pass_status;
    const volatile sig_atomic_t *stop; /* not 0: the signal that asks to stop */
    bool spawned;
    uint64_t own_peak; /* our largest resident size when it started */
    bool ended;        /* the child was waited for */
    struct tch_spawn_end end;
    struct tch_guard guard; /* kills the command if we are killed */
    int pidfd;
    int output;                /* a terminal of our own, on which the command prints; -1: ours */
    struct tch_buf unfinished; /* its output after the last line feed */
    tacho_error no_power;
    /* The live display. */
    bool live;
    size_t lines; /* on the terminal now */
    size_t points;
    double memory[WATCH_GRAPH];
    double cpu[WATCH_GRAPH];
    double watts[WATCH_GRAPH];
    struct tch_watch_now now;
};

/** Appends the current sample to the graphs. */
void cli_watch_remember(struct watch_job *job);

/** The live display: draws it where the cursor is, and erases it. */
void cli_watch_draw(struct watch_job *job, const struct args *args);
void cli_watch_erase(struct watch_job *job);

void cli_watch_add_report(struct tch_buf *b, const struct watch_job *job,
                          const struct tch_watch_report *r, const struct args *args);

/**
 * Sends what the command prints to where it belongs. Beside a live display that is a terminal of
 * our own, from which cli_watch_relay() copies it above the display. The caller closes *child,
 * which may be -1, once the command has started.
 */
void cli_watch_redirect(struct watch_job *job, const struct args *args, struct tch_spawn *s,
                        int *child);

/** Copies what the command has printed so far. at_end: also a line that is not complete. */
void cli_watch_relay(struct watch_job *job, bool at_end);

#endif
