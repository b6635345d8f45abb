/*
 * Runs external profilers.
 */
#ifndef TCH_BACKEND_TOOL_H
#define TCH_BACKEND_TOOL_H

#include <sys/types.h>

#include "backend.h"

enum { TCH_TOOL_TAIL = 4096 };

/** An external program. Set the fields before pid, then call tch_tool_start() and
    tch_tool_wait(). */
struct tch_tool {
    const char *name; /**< name for errors: "perf record"; NULL: argv[0] */
    const char *const *argv;
    const char *cwd;
    const char *const *env;
    int in;  /**< standard input; -1: /dev/null */
    int out; /**< standard output; -1: ours; not used with `command`, whose request says it */
    /** Capture whose command the tool runs: it gets our input, its messages are shown, and a
        request to stop stops it; NULL: the tool runs no command. */
    struct tch_capture *command;

    pid_t pid;
    int status;               /**< as of waitpid(), after tch_tool_wait() */
    bool terminated;          /**< tacho stopped it after the duration of the capture */
    char tail[TCH_TOOL_TAIL]; /**< the end of its messages on standard error */
    int messages;             /* descriptor to read the messages from */
};

/** Starts the tool. Fails with "profiler command failed: PROGRAM: REASON". */
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

/** Returns the status of the command that the tool ran, for tacho_flame_wait_status(). If tacho
    terminated the tool, its status says nothing about the command. */
static inline int tch_tool_wait_status(const struct tch_tool *tool)
{
    return tool->terminated ? -1 : tool->status;
}

/** Checks that program `name` is on PATH. */
int tch_tool_probe(const char *name, tacho_error *err);

/** Writes the absolute path DIR/.tacho-PID.NAME, in the folder of the result, to a buffer. @return
    0 or a negative code */
int tch_tool_file(const struct tch_capture *c, const char *name, char *ret, size_t size,
                  tacho_error *err);

/** Creates a file for a tool to write, and opens it. */
int tch_tool_create(const char *path, int *ret, tacho_error *err);

/** Reads a profiler's text into c->stacks and counts its samples. `kind` is an enum
    tch_read_kind. */
int tch_tool_read(struct tch_capture *c, int fd, const char *name, int kind, tacho_error *err);

/** Reads a file like tch_tool_read(). */
int tch_tool_read_file(struct tch_capture *c, const char *path, int kind, tacho_error *err);

/** Uses an SVG text as the result and adds its label. Fails with NO_OUTPUT if the text is not an
 * SVG. */
int tch_tool_adopt_text(struct tch_capture *c, const struct tch_buf *svg, tacho_error *err);

/** Uses the SVG file `from`, which a tool drew, as the result. Adds its label and deletes `from`.
 */
int tch_tool_adopt(struct tch_capture *c, const char *from, const char *program, tacho_error *err);

#endif
