/*
 * A capture, from a request to a file, and the profilers that take the samples. Each profiler is
 * one file; backend.c has a table of them.
 *
 * This is the face of src/kit/flame/backend/.
 */
#ifndef TCH_BACKEND_H
#define TCH_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/flame.h>

#include "base/buf.h"
#include "kit/flame/stack/origins.h"
#include "kit/flame/stack/stacks.h"
#include "process/keeper.h"
#include "process/spawn.h"

/** Files beside the SVG, in the order of the table in capture.c. */
enum tch_flame_extra { TCH_EXTRA_FOLDED, TCH_EXTRA_PPROF, TCH_EXTRA_SPEEDSCOPE, TCH_EXTRAS };

enum { TCH_HOTTEST = 10 };

/** The result, read by the tacho_flame_*() functions. */
struct tacho_flame {
    char *svg_path;
    char *extra_paths[TCH_EXTRAS]; /**< each may be NULL */
    char *previous_path;           /**< new path of an earlier SVG of the same label, or NULL */
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
    char notice[2 * sizeof(tacho_error)]; /**< may be empty */
    char *warnings; /**< each terminated by '\0', with one more '\0' at the end */
    int wait_status;
};

struct tch_capture;

/** A back end: one profiler. */
struct tch_backend {
    const char *name;  /**< name in a request: "perf" */
    const char *used;  /**< name in a result: "perf + inferno" */
    const char *needs; /**< what it needs, for the "not available" message */
    bool runs_only;    /**< needs a command to run; cannot attach to a process */
    bool own_event;    /**< chooses the event itself; refuses a request with an event */
    bool draws;        /**< draws the SVG itself; refuses a palette */
    bool copies;       /**< always unwinds copies of stacks; refuses frame pointers */
    uint32_t cannot;   /**< enum tacho_flame_flags that it refuses */
    uint32_t rate;     /**< default number of samples per second; 0: 997 */
    bool own_defaults; /**< the tool chooses the rate and the size of stack copies, unless given */

    /** Checks whether the profiler can be used on this machine. */
    int (*probe)(tacho_error *err);

    /** Checks whether it can profile the target of the request; NULL: probe() is enough. */
    int (*fits)(const struct tch_capture *c, tacho_error *err);

    /** Takes a test sample, when the kernel has refused perf events to this process; NULL: probe()
        is enough. */
    int (*works)(tacho_error *err);

    /** Fills c->stacks, or writes c->svg_path and sets c->drawn. Sets c->ended_ns and the counts of
        c->result. Leaves no other files. */
    int (*capture)(struct tch_capture *c, tacho_error *err);
};

/** A capture: a request, which the back end reads, and its result, which the back end fills. */
struct tch_capture {
    tacho_flame_request request;
    const struct tch_backend *backend;
    struct tch_backend own; /**< back end of the request's own profiler, if it has one */
    tacho_flame_profiler own_profiler;
    const char *folder; /**< folder of the result and of intermediate files */
    const char *label;
    struct tch_keeper keeper; /**< keeper of the command, or of its profiler */
    struct tch_buf svg_path;
    struct tch_stacks stacks;   /**< the profile to draw, unless `drawn` */
    struct tch_origins origins; /**< where its frames come from; empty: unknown */
    bool drawn;                 /**< the back end wrote the SVG itself */
    uint64_t ended_ns;          /**< when the command exited */
    struct tch_buf warnings;    /**< what to report about the result, each terminated by '\0' */
    const char *count_name;     /**< the unit of the counts; NULL: samples */
    const char *measure;        /**< what they measure if they are times; NULL: unknown */
    uint64_t period_ns;         /**< CPU time of a sample; 0: unknown */
    char unit[64];              /**< room for it, if it is found in a profiler's text */
    bool rate_given;            /**< the request has a rate */
    bool stack_given;           /**< the request has a size of stack copies */
    double rate_reached;        /**< samples per second of CPU time; 0: unknown */
    double used_ns;             /**< CPU time of the command that can be sampled; 0: unknown */
    double covered_ns;          /**< CPU time that its samples represent */
    unsigned palette;           /**< enum tch_palette */
    struct tacho_flame result;
};

/** Returns where the standard output of the command goes, as the request says. */
struct tch_io tch_capture_output(const struct tch_capture *c);

/** Returns whether the caller has asked to stop. */
bool tch_capture_stopped(const struct tch_capture *c);

/** Returns the keeper whose descendants are stopped together with the command; 0: only those of the
    command itself are. */
pid_t tch_capture_adopter(const struct tch_capture *c);

extern const struct tch_backend tch_backend_cargo;
extern const struct tch_backend tch_backend_dtrace;
extern const struct tch_backend tch_backend_dtrace_inferno;
extern const struct tch_backend tch_backend_inferno;
extern const struct tch_backend tch_backend_native;
extern const struct tch_backend tch_backend_perf;
extern const struct tch_backend tch_backend_preload;
extern const struct tch_backend tch_backend_ptrace;

/** All back ends, the best one first, NULL-terminated. */
extern const struct tch_backend *const tch_backends[];

/**
 * Sets c->backend to the one that the request names. If it names none, takes the first that can
 * profile the target on this machine.
 *
 * @param better  why better back ends were skipped; its message is empty if none was
 */
int tch_backend_find(struct tch_capture *c, tacho_error *better, tacho_error *err);

/** Captures with c->own_profiler. */
int tch_own_capture(struct tch_capture *c, tacho_error *err);

/** Fails like tacho_flame_fail(), with the message, the code and the errno of `why`, which may be
    err itself. */
int tch_flame_failed(tacho_error *err, enum tacho_flame_error kind, const char *subject,
                     const tacho_error *why);

#endif
