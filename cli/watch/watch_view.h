/*
 * How tacho watch shows what it sees: lines with small graphs while it runs, then a report.
 */
#ifndef CLI_WATCH_VIEW_H
#define CLI_WATCH_VIEW_H

#include "base/spawn.h"
#include "cli/core/opt.h"
#include "kit/run/process_watch.h"

enum { WATCH_GRAPH = 40 };

struct watch_job {
    struct tch_watch_plan plan;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: until it ends */
    bool pass_status;
    bool spawned;
    uint64_t own_peak; /* our largest resident size when it started */
    bool ended;        /* the child was waited for */
    struct tch_spawn_end end;
    int pidfd;
    tacho_error no_power;
    /* What is drawn. */
    size_t lines; /* on the terminal now */
    size_t points;
    double memory[WATCH_GRAPH];
    double cpu[WATCH_GRAPH];
    double watts[WATCH_GRAPH];
    struct tch_watch_now now;
};

/** What is seen now becomes the last point of the graphs. */
void cli_watch_remember(struct watch_job *job);

/** Three lines for a terminal. */
void cli_watch_add_live(struct tch_buf *b, const struct term *term, const struct watch_job *job);

void cli_watch_add_text(struct tch_buf *b, const struct watch_job *job,
                        const struct tch_watch_report *r, const struct args *args);

#endif
