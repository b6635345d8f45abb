/*
 * Other people's profilers: started, listened to, waited for.
 */
#ifndef TCH_BACKEND_TOOL_H
#define TCH_BACKEND_TOOL_H

#include <sys/types.h>

#include "backend.h"

enum { TCH_TOOL_TAIL = 4096 };

/** Set what is above the line, then start and wait. */
struct tch_tool {
    const char *const *argv;
    const char *cwd;
    const char *const *env;
    int in;                            /**< its standard input; -1: /dev/null */
    int out;                           /**< its standard output; -1: ours */
    const struct tch_capture *command; /**< whose command it runs: input, messages and the word to
                                            stop go through; NULL: it runs none */

    pid_t pid;
    int status;               /**< as of waitpid(), after tch_tool_wait() */
    char tail[TCH_TOOL_TAIL]; /**< the end of what it said on standard error */
    int messages;             /* where that comes from */
};

/** "profiler command failed: PROGRAM: REASON" when it cannot be started. */
int tch_tool_start(struct tch_tool *tool, tacho_error *err);

/** Waits for its end. After a start that returned 0, always. */
int tch_tool_wait(struct tch_tool *tool, tacho_error *err);

/** The failure of a tool that ended, with what it said as the reason. */
int tch_tool_failed(const struct tch_tool *tool, tacho_error *err);

/** Both, and a failure when it ends with another status than 0. */
int tch_tool_run(struct tch_tool *tool, tacho_error *err);

/** Can `name` be run? */
int tch_tool_probe(const char *name, tacho_error *err);

/** DIR/.tacho-PID.NAME, in the folder of the result, by its full name. 0 or a negative code. */
int tch_tool_file(const struct tch_capture *c, const char *name, char *ret, size_t size,
                  tacho_error *err);

/** A descriptor for what a tool is to write. */
int tch_tool_create(const char *path, int *ret, tacho_error *err);

/** Reads text of a profiler into c->stacks and counts its samples; `kind` as of enum
    tch_read_kind. */
int tch_tool_read(struct tch_capture *c, int fd, const char *name, int kind, tacho_error *err);

/** The SVG that a tool drew becomes the result, marked with its label; `from` goes. */
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

#endif
