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
} tacho_flame_request;

#define TACHO_FLAME_REQUEST_INIT                                                        \
    {                                                                                   \
        sizeof(tacho_flame_request), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, \
            TACHO_CALL_GRAPH_AUTO, 0, -1, 0, NULL                                       \
    }

/** What became of it. Immutable. */
typedef struct tacho_flame tacho_flame;

/**
 * Runs the command under a profiler, waits for its end and writes flamegraph-LABEL.svg. The
 * calling thread does the sampling; another one and a child process look up symbols and are gone
 * afterwards. The files of an earlier capture are kept, as flamegraph-LABEL.old.svg and so on.
 *
 * Messages of err: "profiler command failed: PROGRAM: REASON", "failed to create output directory
 * PATH: REASON", "failed to write flamegraph SVG to PATH: REASON", "profiler produced no output"
 * (and why). A command that fails is no failure of the capture: see tacho_flame_wait_status().
 *
 * @param ret  set on success only; the caller owns it
 * @param err  set on failure only; may be NULL
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

/** 1 when it is a function of the kernel. */
TACHO_API int tacho_flame_hottest_is_kernel(const tacho_flame *flame, size_t index);

/** Who sampled: "native", "perf", "perf + inferno", "dtrace", "cargo-flamegraph". */
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

/** 1 when kernel frames are in it. */
TACHO_API int tacho_flame_has_kernel(const tacho_flame *flame);

/** How the command ended, as waitpid() tells it; -1 when there was none, or it goes on. */
TACHO_API int tacho_flame_wait_status(const tacho_flame *flame);

/** The names that tacho_flame_request.profiler may have, NULL-ended. */
TACHO_API const char *const *tacho_flame_profilers(void);

TACHO_END_DECLS

#endif
