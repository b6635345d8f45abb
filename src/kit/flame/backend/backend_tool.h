/*
 * Runs the profilers of others.
 */
#ifndef TCH_BACKEND_TOOL_H
#define TCH_BACKEND_TOOL_H

#include <sys/types.h>

#include "backend.h"

enum { TCH_TOOL_TAIL = 4096 };

/** Set the fields before pid, then start and wait. */
struct tch_tool {
    const char *name; /**< for errors: "perf record"; NULL: argv[0] */
    const char *const *argv;
    const char *cwd;
    const char *const *env;
    int in;                            /**< its standard input; -1: /dev/null */
    int out;                           /**< its standard output; -1: ours */
    const struct tch_capture *command; /**< whose command it runs: input, messages and the word to
                                            stop go through; NULL: it runs none */

    pid_t pid;
    int status;               /**< as of waitpid(), after tch_tool_wait() */
    char tail[TCH_TOOL_TAIL]; /**< the end of what it wrote to standard error */
    int messages;             /* descriptor to read that from */
};

/** "profiler command failed: PROGRAM: REASON" when it cannot be started. */
int tch_tool_start(struct tch_tool *tool, tacho_error *err);

/** Waits until the tool exits. Call it, or tch_tool_finish(), after every start that returned 0. */
int tch_tool_wait(struct tch_tool *tool, tacho_error *err);

/** Fails with the end of what the tool wrote to standard error as the reason. */
int tch_tool_failed(const struct tch_tool *tool, tacho_error *err);

/** Waits until the tool exits. Returns `status` if that is a failure already; else fails if the
    tool did. */
int tch_tool_finish(struct tch_tool *tool, int status, tacho_error *err);

/** Starts the tool and finishes it. */
int tch_tool_run(struct tch_tool *tool, tacho_error *err);

/** Checks that program `name` is on PATH. */
int tch_tool_probe(const char *name, tacho_error *err);

/** DIR/.tacho-PID.NAME, in the folder of the result, by its full name. 0 or a negative code. */
int tch_tool_file(const struct tch_capture *c, const char *name, char *ret, size_t size,
                  tacho_error *err);

/** Creates a file for a tool to write, and opens it. */
int tch_tool_create(const char *path, int *ret, tacho_error *err);

/** Reads text of a profiler into c->stacks and counts its samples; `kind` is an enum
    tch_read_kind. */
int tch_tool_read(struct tch_capture *c, int fd, const char *name, int kind, tacho_error *err);

/** Reads a file like tch_tool_read(). */
int tch_tool_read_file(struct tch_capture *c, const char *path, int kind, tacho_error *err);

/** Makes an SVG the result, marked with its label: NO_OUTPUT when it is none. */
int tch_tool_adopt_text(struct tch_capture *c, const struct tch_buf *svg, tacho_error *err);

/** Makes the SVG that a tool drew the result, marked with its label, and deletes `from`. */
int tch_tool_adopt(struct tch_capture *c, const char *from, const char *program, tacho_error *err);

/* perf, which two of the back ends run. */

/** Runs `perf record` into `data`, which may exist afterwards even on failure. */
int tch_perf_record(struct tch_capture *c, const char *data, tacho_error *err);

enum { TCH_PERF_SCRIPT_WORDS = 8 };

/** Starts `perf script` of `data` with its output into the descriptor `out`, which is closed here.
    argv is room for TCH_PERF_SCRIPT_WORDS words. */
int tch_perf_script(const struct tch_capture *c, const char *data, int out, struct tch_tool *tool,
                    const char **argv, tacho_error *err);

/** Tries whether `perf record` may sample: it may have rights that this process lacks. */
int tch_perf_works(tacho_error *err);

/* dtrace, which two others run. */

enum {
    TCH_DTRACE_CANNOT = TACHO_FLAME_ALL | TACHO_FLAME_OFF_CPU | TACHO_FLAME_PER_THREAD |
                        TACHO_FLAME_KERNEL | TACHO_FLAME_SOURCE | TACHO_FLAME_DEBUGINFOD,
};

/** Tries whether dtrace is the tracer: SystemTap has a program of that name for something else. */
int tch_dtrace_works(tacho_error *err);

/** Runs the command under dtrace, which writes its stacks to `data`. */
int tch_dtrace_record(struct tch_capture *c, const char *data, tacho_error *err);

#endif
