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

/** How user stacks are unwound. */
enum tacho_call_graph {
    TACHO_CALL_GRAPH_AUTO = 0, /**< the best one for most programs: DWARF */
    TACHO_CALL_GRAPH_FP = 1,   /**< by frame pointers: cheapest, wrong in code without them */
    TACHO_CALL_GRAPH_DWARF = 2 /**< from copies of the stack and .eh_frame */
};

/** Bits of tacho_flame_request.flags. */
enum tacho_flame_flags {
    TACHO_FLAME_ALL = 1 << 0,         /**< profile every process of the machine */
    TACHO_FLAME_OFF_CPU = 1 << 1,     /**< show where threads wait, in microseconds */
    TACHO_FLAME_PER_THREAD = 1 << 2,  /**< show each thread separately */
    TACHO_FLAME_KERNEL = 1 << 3,      /**< sample kernel code only */
    TACHO_FLAME_USER = 1 << 4,        /**< sample user code only */
    TACHO_FLAME_NO_INLINE = 1 << 5,   /**< leave out inlined functions */
    TACHO_FLAME_SOURCE = 1 << 6,      /**< add ":file:line" to the names */
    TACHO_FLAME_DEBUGINFOD = 1 << 7,  /**< fetch debug files from servers (debuginfod-find) */
    TACHO_FLAME_FORCE = 1 << 8,       /**< overwrite an SVG of another label */
    TACHO_FLAME_FOLDED = 1 << 9,      /**< also write the folded stacks, beside the SVG */
    TACHO_FLAME_TREE = 1 << 10,       /**< with pid: profile its children, too */
    TACHO_FLAME_ORPHANS = 1 << 11,    /**< with argv: when the capture is stopped, also kill
                                         descendants    of the command whose parent has exited */
    TACHO_FLAME_PPROF = 1 << 12,      /**< also write pprof's format, beside the SVG */
    TACHO_FLAME_SPEEDSCOPE = 1 << 13, /**< also write speedscope's format, beside the SVG */
    TACHO_FLAME_INVERTED = 1 << 14    /**< draw the root on top */
};

/** A request for a capture. Start with TACHO_FLAME_REQUEST_INIT. Everything that it points to is
    borrowed for the call. */
typedef struct tacho_flame_request {
    size_t size;             /**< set by TACHO_FLAME_REQUEST_INIT */
    const char *const *argv; /**< the command, terminated by NULL; NULL with pid or ALL */
    const char *output_dir;  /**< made if missing; NULL: the current folder */
    const char *label;       /**< NULL: the command's name */
    const char *cwd;         /**< the command's working folder; NULL: the current one */
    const char *const *env;  /**< "NAME=VALUE" to add, terminated by NULL; or NULL */
    const char *profiler;    /**< one of tacho_flame_profilers(); NULL: the best one here */
    const char *event;       /**< such as "cpu-clock"; NULL: cycles, or cpu-clock without them */
    int32_t pid;             /**< a running process, instead of argv */
    uint32_t rate;           /**< samples per second and CPU; 0: 997, by ptrace 250 */
    uint32_t stack_bytes;    /**< size of the copy of a stack; 0: 16384, at most 64512 */
    enum tacho_call_graph call_graph;
    uint32_t flags;       /**< enum tacho_flame_flags */
    int32_t stop_fd;      /**< when readable: stop now and draw the samples so far; -1: none */
    uint64_t duration_ns; /**< stop after this time, and kill the command and its descendants; 0:
                             stop when the command exits */
    const char *palette;  /**< colours by "hash", "library" or "language"; NULL: hash */
    const struct tacho_flame_profiler *own; /**< a profiler of your own, instead of `profiler` */
    int *wait_status;   /**< set to how the command exited, as by tacho_flame_wait_status(), also if
                           the capture fails; may be NULL */
    const char *output; /**< where the standard output of the command goes: "null" discards it,
                           "inherit" is ours, "stderr" is our standard error, anything else names a
                           file, which is emptied first; NULL: inherit */
} tacho_flame_request;

#define TACHO_FLAME_REQUEST_INIT                                                        \
    {                                                                                   \
        sizeof(tacho_flame_request), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, \
            TACHO_CALL_GRAPH_AUTO, 0, -1, 0, NULL, NULL, NULL, NULL                     \
    }

/** The kinds of failed captures, as in tacho_error.kind, and how their messages begin. */
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

/* A profiler of your own takes the samples. tacho creates the folder, names and draws the file,
   renames the earlier file, writes the other formats and finds the hottest functions. See
   examples/profiler. */

/** Collects the stacks of a profiler. Valid until its capture() returns. One thread at a time. */
typedef struct tacho_flame_output tacho_flame_output;

typedef struct tacho_flame_profiler {
    size_t size;      /**< size of this struct, set by TACHO_FLAME_PROFILER_INIT */
    const char *name; /**< as tacho_flame_profiler_used() returns it; at most 63 bytes */
    void *ctx;        /**< passed to capture() */

    /**
     * Profiles the command or process of the request, whose rate and stack_bytes are set, and adds
     * stacks to out. It may ignore the folder, label, formats and colours of the request.
     *
     * @return 0, or a negative code after filling in err, preferably by tacho_flame_fail()
     */
    int (*capture)(void *ctx, const tacho_flame_request *request, tacho_flame_output *out,
                   tacho_error *err);
} tacho_flame_profiler;

#define TACHO_FLAME_PROFILER_INIT                      \
    {                                                  \
        sizeof(tacho_flame_profiler), NULL, NULL, NULL \
    }

/** Adds `count` to a stack, written as "main;work;hot" with the root first.
    @return 0, TACHO_EINVAL for a stack without frames or with a line break, TACHO_ENOMEM, or
    TACHO_ELIMIT if the sum of all counts exceeds 64 bits */
TACHO_API TACHO_MUST_CHECK int tacho_flame_add_stack(tacho_flame_output *out, const char *frames,
                                                     uint64_t count, tacho_error *err);

/** Sets the SVG, which is copied. It replaces the one that tacho draws from the stacks.
    @return 0 or TACHO_ENOMEM */
TACHO_API TACHO_MUST_CHECK int tacho_flame_set_svg(tacho_flame_output *out, const char *svg,
                                                   size_t len, tacho_error *err);

/** Sets the status of the command, in the form that waitpid() returns. */
TACHO_API void tacho_flame_set_wait_status(tacho_flame_output *out, int status);

/** The result of a capture. Immutable. */
typedef struct tacho_flame tacho_flame;

/**
 * Runs the command under a profiler, waits for its exit and writes flamegraph-LABEL.svg. The
 * calling thread does the sampling. Another thread and a child process look up symbols; both have
 * exited when this returns. The files of the capture before are kept as flamegraph-LABEL.old.svg
 * and so on.
 *
 * If only the command fails, the capture still succeeds; see tacho_flame_wait_status().
 *
 * @param ret  set on success only; the caller owns it
 * @param err  set on failure only; may be NULL; its kind is an enum tacho_flame_error
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM, TACHO_EIO, TACHO_EUNSUPPORTED (no permission, no profiler)
 */
TACHO_API TACHO_MUST_CHECK int tacho_flame_capture(const tacho_flame_request *request,
                                                   tacho_flame **ret, tacho_error *err);

/** Frees the result. Accepts NULL. */
TACHO_API void tacho_flame_free(tacho_flame *flame);

/* The texts that the following functions return are valid as long as the result. */

/** Returns the path of the SVG. */
TACHO_API const char *tacho_flame_svg_path(const tacho_flame *flame);

/** Returns the path of the folded stacks; NULL without TACHO_FLAME_FOLDED. */
TACHO_API const char *tacho_flame_folded_path(const tacho_flame *flame);

/** Return the paths of the files in pprof's and in speedscope's format; NULL without the flag. */
TACHO_API const char *tacho_flame_pprof_path(const tacho_flame *flame);
TACHO_API const char *tacho_flame_speedscope_path(const tacho_flame *flame);

/** Returns the path that the SVG of the previous capture was renamed to; NULL: there was none. */
TACHO_API const char *tacho_flame_previous_path(const tacho_flame *flame);

/** Returns how many of the hottest functions are listed: at most ten, the hottest at index 0; none
    if the profiler delivers an SVG only. In the next functions, index must be below this number. */
TACHO_API size_t tacho_flame_hottest_count(const tacho_flame *flame);

/** Returns the name of a function. */
TACHO_API const char *tacho_flame_hottest_name(const tacho_flame *flame, size_t index);

/** Return the share of the profile (0 to 1) that was spent in the function itself (self), and in
    the function and everything it called (total). */
TACHO_API double tacho_flame_hottest_self(const tacho_flame *flame, size_t index);
TACHO_API double tacho_flame_hottest_total(const tacho_flame *flame, size_t index);

/** Returns whether it is a function of the kernel. */
TACHO_API bool tacho_flame_hottest_is_kernel(const tacho_flame *flame, size_t index);

/** Returns the profiler: "native", "perf", "perf + inferno", "preload", "ptrace",
    "dtrace", "dtrace + inferno", "cargo-flamegraph", or the name of your own. */
TACHO_API const char *tacho_flame_profiler_used(const tacho_flame *flame);

/** Returns why tacho chose another profiler than the best one; NULL if it did not, or if the
    request named the profiler. */
TACHO_API const char *tacho_flame_notice(const tacho_flame *flame);

/** Returns the warning at index, from 0; NULL after the last one. Each is one line, which says
    which program's stacks are truncated or have no names, and what helps. */
TACHO_API const char *tacho_flame_warning(const tacho_flame *flame, size_t index);

/** Returns the event that was sampled, such as "cpu-clock". */
TACHO_API const char *tacho_flame_event(const tacho_flame *flame);

/** Return the time from the start to the SVG, and from the command's exit to the SVG. */
TACHO_API uint64_t tacho_flame_duration_ns(const tacho_flame *flame);
TACHO_API uint64_t tacho_flame_after_ns(const tacho_flame *flame);

/** Return how many samples were drawn, how many the kernel lost because its buffer was full, and
    how many have stacks that could not be unwound to the root. */
TACHO_API uint64_t tacho_flame_samples(const tacho_flame *flame);
TACHO_API uint64_t tacho_flame_lost(const tacho_flame *flame);
TACHO_API uint64_t tacho_flame_truncated(const tacho_flame *flame);

/** Returns whether the flamegraph contains kernel frames. */
TACHO_API bool tacho_flame_has_kernel(const tacho_flame *flame);

/** Returns the status of the command in the form of waitpid(); -1: there was no command, it
    still runs, or tacho terminated it after duration_ns. */
TACHO_API int tacho_flame_wait_status(const tacho_flame *flame);

/**
 * Writes the result as the JSON document tacho.flame.capture.v1, as `tacho flame --json` does: one
 * object with "svg_path", "profiler_used", "duration_ms" and more.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_flame_to_json(const tacho_flame *flame, char **ret,
                                                   size_t *ret_len, tacho_error *err);

/**
 * Reads a result back from JSON. "svg_path", "profiler_used" and "duration_ms" are required. Other
 * members may be missing, which leaves them empty. Unknown members are ignored. Durations are whole
 * milliseconds.
 *
 * @param ret  set on success only; the caller owns it
 * @return 0, TACHO_EPARSE with line and column, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_flame_from_json(const char *json, size_t len,
                                                     tacho_flame **ret, tacho_error *err);

/** Returns the names that tacho_flame_request.profiler may have, terminated by NULL. */
TACHO_API const char *const *tacho_flame_profilers(void);

TACHO_END_DECLS

#endif
