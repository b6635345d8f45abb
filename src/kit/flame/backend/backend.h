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
#include "process_guard.h"

/** Files beside the SVG, in the order of the table in capture.c. */
enum tch_flame_extra { TCH_EXTRA_FOLDED, TCH_EXTRA_PPROF, TCH_EXTRA_SPEEDSCOPE, TCH_EXTRAS };

enum { TCH_HOTTEST = 10 };

/** The result, which the tacho_flame_*() functions read. */
struct tacho_flame {
    char *svg_path;
    char *extra_paths[TCH_EXTRAS]; /**< each or NULL */
    char *previous_path;           /**< where an earlier SVG of the label went; or NULL */
    struct tacho_flame_hot {
        char *name;
        double self;
        double total;
        bool kernel;
    } hottest[TCH_HOTTEST];
    size_t hottest_count;
    char profiler[64];
    char event[32];
    uint64_t duration_ns;
    uint64_t after_ns;
    uint64_t samples;
    uint64_t lost;
    uint64_t truncated;
    bool kernel;
    char notice[2 * sizeof(tacho_error)]; /**< or empty */
    char *warnings;                       /**< each ended by '\0'; one more '\0' at the end */
    int wait_status;
};

/** Frees what the struct points to. */
void tch_flame_release(struct tacho_flame *flame);

struct tch_capture;

/** A profiler. */
struct tch_backend {
    const char *name;  /**< as asked for: "perf" */
    const char *used;  /**< as reported: "perf + inferno" */
    const char *needs; /**< for the "not available" message */
    bool runs_only;    /**< needs a command; cannot attach to a process */
    bool own_event;    /**< chooses its event itself; a request with one is refused */
    bool draws;        /**< draws the SVG itself: a palette is refused */
    bool copies;       /**< unwinds copies of stacks only: frame pointers are refused */
    uint32_t cannot;   /**< enum tacho_flame_flags that it does not support */
    uint32_t rate;     /**< samples per second where none is asked for; 0: 997 */

    /** Checks whether it can be used on this machine. */
    int (*probe)(tacho_error *err);

    /** Checks whether it can profile what the request names; NULL: probe() is enough. */
    int (*fits)(const struct tch_capture *c, tacho_error *err);

    /** Tries to sample, where the kernel has refused this process; NULL: probe() is enough. */
    int (*works)(tacho_error *err);

    /** Fills c->stacks, or writes c->svg_path and sets c->drawn; sets c->ended_ns and the counts
        of c->result. Leaves no other file. */
    int (*capture)(struct tch_capture *c, tacho_error *err);
};

/** A capture: a request, which a back end reads, and its result, which it fills. */
struct tch_capture {
    tacho_flame_request request;
    const struct tch_backend *backend;
    struct tch_backend own; /**< of the request's own profiler, if there is one */
    tacho_flame_profiler own_profiler;
    const char *folder; /**< for the result and for intermediate files */
    const char *label;
    struct tch_orphans orphans; /**< with TACHO_FLAME_ORPHANS */
    struct tch_guard guard;     /**< likewise; it has no command yet */
    struct tch_buf svg_path;
    struct tch_stacks stacks; /**< what to draw, unless `drawn` */
    bool drawn;               /**< the back end wrote the SVG itself */
    uint64_t ended_ns;        /**< when the command exited */
    struct tch_buf warnings;  /**< what to tell about the result, each ended by '\0' */
    const char *count_name;   /**< the unit of the counts; NULL: samples */
    double rate_reached;      /**< samples per second of CPU time; 0: not known */
    unsigned palette;         /**< enum tch_palette */
    struct tacho_flame result;
};

/** Returns whether the caller has asked to stop. */
bool tch_capture_stopped(const struct tch_capture *c);

extern const struct tch_backend tch_backend_cargo;
extern const struct tch_backend tch_backend_dtrace;
extern const struct tch_backend tch_backend_dtrace_inferno;
extern const struct tch_backend tch_backend_inferno;
extern const struct tch_backend tch_backend_native;
extern const struct tch_backend tch_backend_perf;
extern const struct tch_backend tch_backend_preload;
extern const struct tch_backend tch_backend_ptrace;

/** All of them, the best one first; NULL-ended. */
extern const struct tch_backend *const tch_backends[];

/**
 * Sets c->backend to the one that the request names or, if it names none, to the first that can
 * profile what the request asks for on this machine.
 *
 * @param better  why the better ones cannot be used, when another was found in their place; else
 *                its message is empty
 */
int tch_backend_find(struct tch_capture *c, tacho_error *better, tacho_error *err);

/** Captures by c->own_profiler. */
int tch_own_capture(struct tch_capture *c, tacho_error *err);

/** Fails like tacho_flame_fail(), with the message, the code and the errno of `why`, which may be
    err itself. */
int tch_flame_failed(tacho_error *err, enum tacho_flame_error kind, const char *subject,
                     const tacho_error *why);

#endif
