/*
 * Flamegraphs of a command, of a running process or of the whole machine. In libtachokit.
 *
 *     const char *argv[] = {"./bench", "--quick", NULL};
 *     tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
 *     tacho_flame *flame = NULL;
 *     tacho_error err;
 *
 *     request.argv = argv;
 *     request.output_dir = "profiles";
 *     request.label = "quick";
 *     if (tacho_flame_capture(&request, &flame, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *     else
 *         printf("%s\n", tacho_flame_svg_path(flame));
 *     tacho_flame_free(flame);
 */
#ifndef TACHO_FLAME_H
#define TACHO_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

TACHO_BEGIN_DECLS

/** How user stacks are followed. */
enum tacho_call_graph {
    TACHO_CALL_GRAPH_AUTO = 0, /**< what suits most programs: dwarf */
    TACHO_CALL_GRAPH_FP = 1,   /**< by frame pointers: cheapest, wrong without them */
    TACHO_CALL_GRAPH_DWARF = 2 /**< by copies of the stack and .eh_frame */
};

/** Bits of tacho_flame_request.flags. */
enum tacho_flame_flags {
    TACHO_FLAME_ALL = 1 << 0,        /**< every process of the machine, not argv or pid alone */
    TACHO_FLAME_OFF_CPU = 1 << 1,    /**< where threads wait, in microseconds */
    TACHO_FLAME_PER_THREAD = 1 << 2, /**< threads apart */
    TACHO_FLAME_KERNEL = 1 << 3,     /**< the kernel's code only */
    TACHO_FLAME_USER = 1 << 4,       /**< programs' code only */
    TACHO_FLAME_NO_INLINE = 1 << 5,  /**< inlined functions are part of their callers */
    TACHO_FLAME_SOURCE = 1 << 6,     /**< ":file:line" behind the names */
    TACHO_FLAME_DEBUGINFOD = 1 << 7, /**< fetch debug files from servers (debuginfod-find) */
    TACHO_FLAME_FORCE = 1 << 8,      /**< overwrite an SVG of another label */
    TACHO_FLAME_FOLDED = 1 << 9,     /**< also write the folded stacks, beside the SVG */
    TACHO_FLAME_TREE = 1 << 10,      /**< with pid: also the children that it has already */
    TACHO_FLAME_ORPHANS = 1 << 11, /**< with argv: what outlived its parent is ended, too, when the
                                       command is; for a process that starts nothing else
                                       meanwhile: its other children would be taken for such */
    TACHO_FLAME_PPROF = 1 << 12,   /**< also write pprof's format, beside the SVG */
    TACHO_FLAME_SPEEDSCOPE = 1 << 13, /**< also write speedscope's format, beside the SVG */
    TACHO_FLAME_INVERTED = 1 << 14    /**< draw the root on top */
};

/** What to profile, and how. Start with TACHO_FLAME_REQUEST_INIT; all that is pointed to is
    borrowed for the call. */
typedef struct tacho_flame_request {
    size_t size;             /**< set by TACHO_FLAME_REQUEST_INIT */
    const char *const *argv; /**< the command, NULL-ended; or NULL with pid or TACHO_FLAME_ALL */
    const char *output_dir;  /**< made if missing; NULL: the current one */
    const char *label;       /**< NULL: the command's name */
    const char *cwd;         /**< the command's folder; NULL: ours */
    const char *const *env;  /**< NULL, or "NAME=VALUE" to add, NULL-ended */
    const char *profiler;    /**< one of tacho_flame_profilers(); NULL: the best one here */
    const char *event;       /**< such as "cpu-clock"; NULL: cycles, or the clock without them */
    int32_t pid;             /**< a running process, in place of argv */
    uint32_t rate;           /**< samples a second and CPU; 0: 997 */
    uint32_t stack_bytes;    /**< of a stack's copy; 0: 16384, at most 64512 */
    enum tacho_call_graph call_graph;
    uint32_t flags;       /**< enum tacho_flame_flags */
    int32_t stop_fd;      /**< readable: end now, draw what there is; -1: none */
    uint64_t duration_ns; /**< end after this time; 0: when the command does. A command that
                               still runs at the end is ended, with all that it started */
    const char *palette;  /**< colours by "hash", "library" or "language"; NULL: hash */
    const struct tacho_flame_profiler *own; /**< a profiler of your own, in place of `profiler` */
} tacho_flame_request;

#define TACHO_FLAME_REQUEST_INIT                                                        \
    {                                                                                   \
        sizeof(tacho_flame_request), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, \
            TACHO_CALL_GRAPH_AUTO, 0, -1, 0, NULL, NULL                                 \
    }

/** Kinds of failures of a capture, in tacho_error.kind, and how their messages begin. */
enum tacho_flame_error {
    TACHO_FLAME_OTHER = 0,          /**< an invalid request, or no memory */
    TACHO_FLAME_COMMAND_FAILED = 1, /**< "profiler command failed: COMMAND: REASON"; the command is
                                       "perf record", "perf script", "inferno-flamegraph", ... */
    TACHO_FLAME_CREATE_DIR = 2,     /**< "failed to create output directory PATH: REASON" */
    TACHO_FLAME_WRITE_SVG = 3,      /**< "failed to write flamegraph SVG to PATH: REASON" */
    TACHO_FLAME_NO_OUTPUT = 4       /**< "profiler produced no output", often with ": REASON" */
};

/**
 * Fills err with a failure of this kind and its message. For profilers of your own.
 *
 * @param err      may be NULL
 * @param subject  the command or the path; not used by TACHO_FLAME_NO_OUTPUT
 * @param reason   may be NULL with TACHO_FLAME_NO_OUTPUT
 * @return TACHO_EIO, or TACHO_EINVAL with TACHO_FLAME_OTHER, whose message is the reason
 */
TACHO_API int tacho_flame_fail(tacho_error *err, enum tacho_flame_error kind, const char *subject,
                               const char *reason);

/* A profiler of your own. It takes the samples; tacho makes the folder, names and draws the file,
   keeps the earlier one, writes the other formats and finds the hottest functions.
   examples/profiler is one. */

/** Takes what the profiler saw. Good until its capture() returns; for one thread at a time. */
typedef struct tacho_flame_output tacho_flame_output;

typedef struct tacho_flame_profiler {
    size_t size;      /**< of this struct, set by TACHO_FLAME_PROFILER_INIT */
    const char *name; /**< as tacho_flame_profiler_used() returns it; at most 63 bytes */
    void *context;    /**< passed to capture() */

    /**
     * Profiles what the request says, whose rate and stack_bytes are set, and hands over what it
     * saw. Folder, label, formats and colours of the request are not its business.
     *
     * @return 0, or a negative code with err filled, best by tacho_flame_fail()
     */
    int (*capture)(void *context, const tacho_flame_request *request, tacho_flame_output *out,
                   tacho_error *err);
} tacho_flame_profiler;

#define TACHO_FLAME_PROFILER_INIT                      \
    {                                                  \
        sizeof(tacho_flame_profiler), NULL, NULL, NULL \
    }

/** Adds `count` to a stack: "main;work;hot", the root first.
    @return 0, TACHO_EINVAL for a stack without frames or with a line break, TACHO_ENOMEM */
TACHO_API TACHO_MUST_CHECK int tacho_flame_add_stack(tacho_flame_output *out, const char *frames,
                                                     uint64_t count, tacho_error *err);

/** Hands over a picture, which is then used in place of one drawn from the stacks. It is copied.
    @return 0 or TACHO_ENOMEM */
TACHO_API TACHO_MUST_CHECK int tacho_flame_set_svg(tacho_flame_output *out, const char *svg,
                                                   size_t len, tacho_error *err);

/** Says how the command ended, as waitpid() does. */
TACHO_API void tacho_flame_set_wait_status(tacho_flame_output *out, int status);

/** The result of a capture. Immutable. */
typedef struct tacho_flame tacho_flame;

/**
 * Runs the command under a profiler, waits for its end and writes flamegraph-LABEL.svg. The
 * calling thread does the sampling; another one and a child process look up symbols and are gone
 * afterwards. The files of an earlier capture are kept, as flamegraph-LABEL.old.svg and so on.
 *
 * A failure of the command itself is no failure of the capture: see tacho_flame_wait_status().
 *
 * @param ret  set on success only; the caller owns it
 * @param err  set on failure only; may be NULL; its kind is an enum tacho_flame_error
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM, TACHO_EIO, TACHO_EUNSUPPORTED (no permission, no profiler)
 */
TACHO_API TACHO_MUST_CHECK int tacho_flame_capture(const tacho_flame_request *request,
                                                   tacho_flame **ret, tacho_error *err);

/** Accepts NULL. */
TACHO_API void tacho_flame_free(tacho_flame *flame);

/** The file that was written. */
TACHO_API const char *tacho_flame_svg_path(const tacho_flame *flame);

/** The folded stacks beside it, with TACHO_FLAME_FOLDED; else NULL. */
TACHO_API const char *tacho_flame_folded_path(const tacho_flame *flame);

/** The same in pprof's and in speedscope's format, if asked for; else NULL. */
TACHO_API const char *tacho_flame_pprof_path(const tacho_flame *flame);
TACHO_API const char *tacho_flame_speedscope_path(const tacho_flame *flame);

/** The new name of the SVG that was there before; NULL: there was none. */
TACHO_API const char *tacho_flame_previous_path(const tacho_flame *flame);

/** The functions in which most time was spent, the hottest first, at most ten. None where the
    profiler gives a picture only. index is below the count. */
TACHO_API size_t tacho_flame_hottest_count(const tacho_flame *flame);

/** Its name, borrowed. */
TACHO_API const char *tacho_flame_hottest_name(const tacho_flame *flame, size_t index);

/** The share of the profile, 0 to 1, that was spent in the function itself, and in it and all that
    it called. */
TACHO_API double tacho_flame_hottest_self(const tacho_flame *flame, size_t index);
TACHO_API double tacho_flame_hottest_total(const tacho_flame *flame, size_t index);

/** Is it a function of the kernel? */
TACHO_API bool tacho_flame_hottest_is_kernel(const tacho_flame *flame, size_t index);

/** The profiler: "native", "perf", "perf + inferno", "dtrace", "dtrace + inferno",
    "cargo-flamegraph", or the name of your own. */
TACHO_API const char *tacho_flame_profiler_used(const tacho_flame *flame);

/** Why another profiler than the best one was taken, when none was asked for; else NULL. */
TACHO_API const char *tacho_flame_notice(const tacho_flame *flame);

/** What to know about the result, from index 0 on, one line each: which program's stacks are
   truncated or have no names, and what helps. NULL after the last one. */
TACHO_API const char *tacho_flame_warning(const tacho_flame *flame, size_t index);

/** The event that was sampled, such as "cpu-clock". */
TACHO_API const char *tacho_flame_event(const tacho_flame *flame);

/** From the start to the SVG, and from the command's end to the SVG, in nanoseconds. */
TACHO_API uint64_t tacho_flame_duration_ns(const tacho_flame *flame);
TACHO_API uint64_t tacho_flame_after_ns(const tacho_flame *flame);

/** Samples drawn; samples the kernel had no room for; samples whose stack was not followed to its
    root. */
TACHO_API uint64_t tacho_flame_samples(const tacho_flame *flame);
TACHO_API uint64_t tacho_flame_lost(const tacho_flame *flame);
TACHO_API uint64_t tacho_flame_truncated(const tacho_flame *flame);

/** Are kernel frames in it? */
TACHO_API bool tacho_flame_has_kernel(const tacho_flame *flame);

/** How the command ended, as waitpid() tells it; -1 when there was none, or it goes on. */
TACHO_API int tacho_flame_wait_status(const tacho_flame *flame);

/**
 * Writes the result as the JSON document tacho.flame.capture.v1, as `tacho flame --json` does: one
 * object with "svg_path", "profiler_used", "duration_ms" and more.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_flame_json(const tacho_flame *flame, char **ret,
                                                size_t *ret_len, tacho_error *err);

/**
 * Reads a result back from JSON. "svg_path", "profiler_used" and "duration_ms" must be there; what
 * else is missing is empty, and unknown members are ignored. Durations are whole milliseconds.
 *
 * @param ret  set on success only; the caller owns it
 * @return 0, TACHO_EPARSE with line and column, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_flame_parse(const char *json, size_t len, tacho_flame **ret,
                                                 tacho_error *err);

/** The names that tacho_flame_request.profiler may have, NULL-ended. */
TACHO_API const char *const *tacho_flame_profilers(void);

TACHO_END_DECLS

#endif
