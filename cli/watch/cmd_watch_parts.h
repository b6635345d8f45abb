/*
 * Declarations that the files of tacho watch share.
 */
#ifndef CLI_CMD_WATCH_PARTS_H
#define CLI_CMD_WATCH_PARTS_H

#include "cli/core/opt.h"
#include "kit/watch/process_watch.h"
#include "process/keeper.h"

enum { WATCH_GRAPH = 40, WATCH_LINE = 64 << 10 };

struct watch_job {
    struct tch_watch_plan plan;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: until the process exits */
    uint64_t idle_ns;     /* how long to measure the idle power before; 0: do not */
    bool pass_status;
    const volatile sig_atomic_t *stop; /* not 0: the signal that asks to stop */
    bool spawned;
    uint64_t own_peak; /* tacho's own largest resident size at the start */
    bool ended;        /* the command was waited for */
    struct tch_spawn_end end;
    struct tch_keeper keeper; /* the parent of the command */
    int pidfd;
    int output; /* pseudo-terminal for the command's output; -1: tacho's own output */
    struct tch_buf unfinished; /* its output after the last line feed */
    tacho_error no_power;
    /* The live display. */
    bool live;
    size_t lines; /* number of its lines on the terminal now */
    size_t points;
    double memory[WATCH_GRAPH];
    double cpu[WATCH_GRAPH];
    double watts[WATCH_GRAPH];
    struct tch_watch_now now;
};

/** Appends the current sample to the graphs. */
void cli_watch_remember(struct watch_job *job);

/** Draw the live display at the cursor, and erase it. */
void cli_watch_draw(struct watch_job *job, const struct args *args);
void cli_watch_erase(struct watch_job *job);

void cli_watch_add_report(struct tch_buf *b, const struct watch_job *job,
                          const struct tch_watch_report *r, const struct args *args);

/**
 * Redirects the command's output. With a live display it goes to a pseudo-terminal, from which
 * cli_watch_relay() copies it above the display. The caller closes *child, which may be -1, after
 * the command has started.
 */
void cli_watch_redirect(struct watch_job *job, const struct args *args, struct tch_spawn *s,
                        int *child);

/** Copies the output so far; at_end: including an incomplete last line. */
void cli_watch_relay(struct watch_job *job, bool at_end);

#endif
