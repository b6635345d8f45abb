/* The table of profilers. */
#include "backend.h"

#include "base/fail.h"

const struct tch_backend *const tch_backends[] = {
    &tch_backend_native,
    &tch_backend_perf,
    &tch_backend_inferno,
    &tch_backend_dtrace,
    &tch_backend_dtrace_inferno,
    &tch_backend_cargo,
    NULL,
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
    tacho_error inner = *why; /* which may be err */

    tacho_flame_fail(err, kind, subject, inner.message);
    if (err) {
        err->code = inner.code;
        err->system_errno = inner.system_errno;
    }
    return inner.code;
}

static int find_first(const struct tch_backend **ret, tacho_error *better, tacho_error *err)
{
    const struct tch_backend *best = tch_backends[0];

    if (best->probe(better) == 0) {
        better->message[0] = '\0';
        *ret = best;
        return 0;
    }
    for (size_t i = 1; tch_backends[i]; i++) {
        const struct tch_backend *other = tch_backends[i];

        if (other->probe(NULL) == 0 && (!other->works || other->works(NULL) == 0)) {
            *ret = other;
            return 0;
        }
    }
    /* The user is to fix what the best one lacks. */
    return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, best->name, better);
}

int tch_backend_find(const char *name, const struct tch_backend **ret, tacho_error *better,
                     tacho_error *err)
{
    better->message[0] = '\0';
    if (!name)
        return find_first(ret, better, err);
    for (size_t i = 0; tch_backends[i]; i++) {
        if (strcmp(tch_backends[i]->name, name) != 0)
            continue;
        tacho_error why;

        if (tch_backends[i]->probe(&why) < 0)
            return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, name, &why);
        *ret = tch_backends[i];
        return 0;
    }
    return tch_fail(err, TACHO_EINVAL, 0, "there is no profiler '%s'", name);
}
