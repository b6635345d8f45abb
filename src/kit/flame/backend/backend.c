/* The table of profilers. */
#include "backend.h"

#include "base/fail.h"

const struct tch_backend *const tch_backends[] = {
    &tch_backend_native, &tch_backend_perf,  &tch_backend_inferno,
    &tch_backend_dtrace, &tch_backend_cargo, NULL,
};

int tch_profiler_failed(tacho_error *err, int code, const char *program, const char *reason)
{
    tacho_error inner = {.message = ""};

    if (!reason && err) {
        inner = *err;
        reason = inner.message;
    }
    code = tch_fail(err, code, 0, "profiler command failed: %s: %s", program, reason ? reason : "");
    if (err)
        err->system_errno = inner.system_errno;
    return code;
}

static int find_first(const struct tch_backend **ret, tacho_error *better, tacho_error *err)
{
    const struct tch_backend *best = tch_backends[0];
    int status = best->probe(better);

    if (status == 0) {
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
    if (err)
        *err = *better;
    return tch_profiler_failed(err, status, best->name, NULL);
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
        int status = tch_backends[i]->probe(err);

        if (status < 0)
            return tch_profiler_failed(err, status, name, NULL);
        *ret = tch_backends[i];
        return 0;
    }
    return tch_fail(err, TACHO_EINVAL, 0, "there is no profiler '%s'", name);
}
