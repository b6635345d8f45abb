/* Lists all profilers, chooses one for a request, and reads the request for it. */
#include "backend.h"

#include <poll.h>
#include <unistd.h>

#include "base/fail.h"

const struct tch_backend *const tch_backends[] = {
    &tch_backend_native,         &tch_backend_perf,   &tch_backend_inferno,
    &tch_backend_preload,        &tch_backend_ptrace, &tch_backend_dtrace,
    &tch_backend_dtrace_inferno, &tch_backend_cargo,  NULL,
};

int tacho_flame_fail(tacho_error *err, enum tacho_flame_error kind, const char *subject,
                     const char *reason)
{
    switch (kind) {
    case TACHO_FLAME_COMMAND_FAILED:
        tch_fail(err, TACHO_EIO, 0, "profiler command failed: %s: %s", subject, reason);
        break;
    case TACHO_FLAME_CREATE_DIR:
        tch_fail(err, TACHO_EIO, 0, "failed to create output directory %s: %s", subject, reason);
        break;
    case TACHO_FLAME_WRITE_SVG:
        tch_fail(err, TACHO_EIO, 0, "failed to write flamegraph SVG to %s: %s", subject, reason);
        break;
    case TACHO_FLAME_NO_OUTPUT:
        tch_fail(err, TACHO_EIO, 0, "profiler produced no output%s%s", reason ? ": " : "",
                 reason ? reason : "");
        break;
    default:
        return tch_fail(err, TACHO_EINVAL, 0, "%s", reason ? reason : "");
    }
    if (err)
        err->kind = (int)kind;
    return TACHO_EIO;
}

int tch_flame_failed(tacho_error *err, enum tacho_flame_error kind, const char *subject,
                     const tacho_error *why)
{
    tacho_error inner = *why; /* `why` may be err itself */

    tacho_flame_fail(err, kind, subject, inner.message);
    if (err) {
        err->code = inner.code;
        err->system_errno = inner.system_errno;
    }
    return inner.code;
}

/* Refuses options that the back end does not support. */
static int check_options(const struct tch_backend *b, const tacho_flame_request *r,
                         tacho_error *err)
{
    static const struct {
        uint32_t flag;
        const char *what;
    } options[] = {
        {TACHO_FLAME_ALL, "--all"},
        {TACHO_FLAME_OFF_CPU, "--off-cpu"},
        {TACHO_FLAME_PER_THREAD, "--per-thread"},
        {TACHO_FLAME_KERNEL, "--kernel"},
        {TACHO_FLAME_USER, "--user"},
        {TACHO_FLAME_NO_INLINE, "--no-inline"},
        {TACHO_FLAME_SOURCE, "--source"},
        {TACHO_FLAME_DEBUGINFOD, "--debuginfod"},
        {TACHO_FLAME_FOLDED, "--folded"},
        {TACHO_FLAME_PPROF, "--pprof"},
        {TACHO_FLAME_SPEEDSCOPE, "--speedscope"},
        {TACHO_FLAME_INVERTED, "--inverted"},
    };
    const char *what = b->own_event && r->event                            ? "--event"
                       : b->copies && r->call_graph == TACHO_CALL_GRAPH_FP ? "--call-graph fp"
                       : b->draws && r->palette                            ? "--palette"
                                                                           : NULL;

    if (b->runs_only && !r->argv)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "profiler '%s' can only profile a command that it starts", b->name);
    for (size_t i = 0; !what && i < sizeof options / sizeof options[0]; i++)
        if (r->flags & b->cannot & options[i].flag)
            what = options[i].what;
    if (what)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "profiler '%s' does not support %s; use '%s'",
                        b->name, what, tch_backends[0]->name);
    return 0;
}

/* Checks whether the back end can now profile the target of the request on this machine. */
static int try_backend(const struct tch_backend *b, const struct tch_capture *c, tacho_error *err)
{
    int status = b->probe(err);

    if (status == 0 && b->works)
        status = b->works(err);
    return status == 0 && b->fits ? b->fits(c, err) : status;
}

/* Adds the reason why another of tacho's own samplers cannot be used either. */
static void add_reason(tacho_error *better, const struct tch_backend *b, const tacho_error *why)
{
    size_t len = strlen(better->message);

    if (b->fits)
        snprintf(better->message + len, sizeof better->message - len, "; not '%s', because %s",
                 b->name, why->message);
}

static int find_first(struct tch_capture *c, tacho_error *better, tacho_error *err)
{
    const struct tch_backend *best = tch_backends[0];
    tacho_error first;

    if (best->probe(better) == 0) {
        better->message[0] = '\0';
        c->backend = best;
        return check_options(best, &c->request, err);
    }
    first = *better;
    for (size_t i = 1; tch_backends[i]; i++) {
        const struct tch_backend *other = tch_backends[i];
        tacho_error why;

        if (check_options(other, &c->request, NULL) < 0)
            continue;
        if (try_backend(other, c, &why) == 0) {
            c->backend = other;
            return 0;
        }
        add_reason(better, other, &why);
    }
    /* Reports the problem of the best profiler, which is the one to fix. */
    return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, best->name, &first);
}

int tch_backend_find(struct tch_capture *c, tacho_error *better, tacho_error *err)
{
    const char *name = c->request.profiler;

    better->message[0] = '\0';
    if (c->backend) /* the caller's own profiler */
        return check_options(c->backend, &c->request, err);
    if (!name)
        return find_first(c, better, err);
    for (size_t i = 0; tch_backends[i]; i++) {
        const struct tch_backend *b = tch_backends[i];
        tacho_error why;
        int status;

        if (strcmp(b->name, name) != 0)
            continue;
        c->backend = b;
        status = check_options(b, &c->request, err);
        if (status < 0)
            return status;
        status = b->probe(&why);
        if (status == 0 && b->fits && (status = b->fits(c, &why)) < 0) {
            size_t len = strlen(why.message);

            snprintf(why.message + len, sizeof why.message - len, "; use --profiler %s",
                     tch_backend_ptrace.name);
        }
        if (status < 0)
            return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, name, &why);
        return 0;
    }
    return tch_fail(err, TACHO_EINVAL, 0, "there is no profiler '%s'", name);
}

struct tch_io tch_capture_output(const struct tch_capture *c)
{
    const char *output = c->request.output;

    if (!output || strcmp(output, "inherit") == 0)
        return (struct tch_io){.kind = TCH_IO_INHERIT};
    if (strcmp(output, "null") == 0)
        return (struct tch_io){.kind = TCH_IO_NULL};
    if (strcmp(output, "stderr") == 0)
        return (struct tch_io){.kind = TCH_IO_FD, .fd = STDERR_FILENO};
    return (struct tch_io){.kind = TCH_IO_WRITE, .path = output};
}

bool tch_capture_stopped(const struct tch_capture *c)
{
    struct pollfd p = {.fd = c->request.stop_fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

pid_t tch_capture_adopter(const struct tch_capture *c)
{
    return c->request.flags & TACHO_FLAME_ORPHANS ? c->keeper.keeper : 0;
}
