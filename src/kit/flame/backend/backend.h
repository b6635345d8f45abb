/*
 * A capture, from a request to a file, and the profilers that do it: one file each, one table that
 * lists them.
 */
#ifndef TCH_BACKEND_H
#define TCH_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/flame.h>

#include "base/buf.h"
#include "kit/flame/stacks.h"
#include "process_family.h"

/** What tacho_flame_* reads. */
struct tacho_flame {
    char *svg_path;
    char *folded_path; /**< or NULL */
    char profiler[32];
    char event[32];
    uint64_t duration_ns;
    uint64_t after_ns;
    uint64_t samples;
    uint64_t lost;
    uint64_t truncated;
    bool kernel;
    char notice[2 * sizeof(tacho_error)]; /**< or empty */
    int wait_status;
};

struct tch_backend;

/** What a back end gets and fills. */
struct tch_capture {
    tacho_flame_request request;
    const struct tch_backend *backend;
    const char *folder; /**< for the result and for intermediate files */
    const char *label;
    struct tch_orphans orphans; /**< with TACHO_FLAME_ORPHANS */
    struct tch_buf svg_path;
    struct tch_stacks stacks; /**< what to draw, unless `drawn` */
    bool drawn;               /**< the back end wrote the SVG itself */
    uint64_t ended_ns;        /**< when the command did */
    const char *count_name;   /**< of what is counted; NULL: samples */
    struct tacho_flame result;
};

/** Whether the caller has said to stop. */
bool tch_capture_stopped(const struct tch_capture *c);

struct tch_backend {
    const char *name;  /**< as asked for: "perf" */
    const char *used;  /**< as told: "perf + inferno" */
    const char *needs; /**< for the "not available" message */
    bool runs_only;    /**< takes a command, no process that runs already */
    bool own_event;    /**< samples what it likes, not tacho_flame_request.event */
    uint32_t cannot;   /**< enum tacho_flame_flags that it has nothing for */

    /** Why it cannot be used here, or 0 when it can. */
    int (*probe)(tacho_error *err);

    /** Tries it for real, where the kernel has refused us; NULL: probe() tells enough. */
    int (*works)(tacho_error *err);

    /** Fills c->stacks, or writes c->svg_path and sets c->drawn; sets c->ended_ns and the counts
        of c->result. Leaves no file behind but that. */
    int (*capture)(struct tch_capture *c, tacho_error *err);
};

extern const struct tch_backend tch_backend_cargo;
extern const struct tch_backend tch_backend_dtrace;
extern const struct tch_backend tch_backend_inferno;
extern const struct tch_backend tch_backend_native;
extern const struct tch_backend tch_backend_perf;

/** The best one first; NULL-ended. */
extern const struct tch_backend *const tch_backends[];

/**
 * The one of that name, or, for NULL, the first that can be used here.
 *
 * @param better  why the best one cannot be used, when another was found in its place; else its
 *                message is empty
 */
int tch_backend_find(const char *name, const struct tch_backend **ret, tacho_error *better,
                     tacho_error *err);

/** "profiler command failed: PROGRAM: REASON" */
int tch_profiler_failed(tacho_error *err, int code, const char *program, const char *reason);

#endif
