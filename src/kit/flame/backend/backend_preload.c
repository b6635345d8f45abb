/* Captures without perf events, by a sampler thread inside each process of the command. A preloaded
   object (LD_PRELOAD) starts the thread. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/flame/sample/preload_fit.h"
#include "own_sampling.h"
#include "process/preload_path.h"
#include "ring_sampling.h"

enum { VARIABLES = 3 };

/* Returns a variable of the command's environment: the request's value, else ours. */
static const char *variable(const tacho_flame_request *r, const char *name)
{
    size_t len = strlen(name);
    const char *value = getenv(name);

    for (const char *const *env = r->env; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            value = *env + len + 1;
    return value ? value : "";
}

/* Sets the variables. Our object comes last in LD_PRELOAD, because AddressSanitizer must come
   first; its check of that order is switched off. */
static int fill_variables(const struct tch_sampling *n, struct tch_buf *text, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    const char *loaded = variable(r, "LD_PRELOAD");
    const char *asan = variable(r, "ASAN_OPTIONS");
    char object[PATH_MAX];
    int status = tch_preload_path(TCH_PRELOAD_OBJECT, object, err);

    if (status < 0)
        return status;
    tch_buf_addf(text, "LD_PRELOAD=%s%s%s%c", loaded, *loaded ? ":" : "", object, '\0');
    tch_buf_addf(text, "ASAN_OPTIONS=%s%sverify_asan_link_order=0%c", asan, *asan ? ":" : "", '\0');
    tch_buf_addf(text, "TACHO_SAMPLER_RING=/proc/%d/fd/%d%c", (int)getpid(), n->ring.fd, '\0');
    return text->failed ? tch_fail_memory(err) : 0;
}

/* Starts the command with the variables of the sampler added to those of the request. */
static int start(struct tch_sampling *n, tacho_error *err)
{
    const char *const *given = n->c->request.env;
    const char **env;
    size_t count = 0;
    struct tch_buf text;
    int status;

    while (given && given[count])
        count++;
    tch_buf_init(&text, 1 << 20);
    env = calloc(count + VARIABLES + 1, sizeof *env);
    status = env ? fill_variables(n, &text, err) : tch_fail_memory(err);
    if (env && status == 0) {
        const char *at = text.data;

        if (count > 0)
            memcpy(env, given, count * sizeof *env);
        for (size_t i = 0; i < VARIABLES; i++, at += strlen(at) + 1)
            env[count + i] = at;
        status = tch_sampling_spawn(n, env, err);
    }
    free(env);
    tch_buf_release(&text);
    return status;
}

static void warn(struct tch_sampling *n, uint32_t trouble, const char *text)
{
    if (!(n->ring.ring->trouble & trouble))
        return;
    tch_buf_adds(&n->c->warnings, text);
    tch_buf_addc(&n->c->warnings, '\0');
}

static void warn_of_threads(struct tch_sampling *n, uint32_t count, const char *what)
{
    if (count == 0)
        return;
    tch_buf_addf(&n->c->warnings, "%u thread%s %s; use --profiler ptrace", (unsigned)count,
                 count == 1 ? "" : "s", what);
    tch_buf_addc(&n->c->warnings, '\0');
}

static void finish(struct tch_sampling *n)
{
    tch_ring_sampling_finish(n);
    warn_of_threads(n, n->ring.ring->blocked,
                    "missing, because the program blocks the sampler's signal");
    warn_of_threads(n, n->ring.ring->unsafe,
                    "missing, because the program did not start them by pthread_create()");
    warn(n, TCH_TROUBLE_TRACED,
         "a process called ptrace(PTRACE_TRACEME) and is missing from then on, because the "
         "sampler's signals would stop it; use --profiler native");
    warn(n, TCH_TROUBLE_NO_SIGNAL,
         "a process uses every real-time signal and is missing; use --profiler ptrace");
    warn(n, TCH_TROUBLE_TAKEN_AWAY,
         "a process replaced the sampler's signal handler and is missing from then on; use "
         "--profiler "
         "ptrace");
    warn(n, TCH_TROUBLE_NO_THREAD,
         "a process could not start the sampler's thread and is missing; use --profiler ptrace");
    warn(n, TCH_TROUBLE_NO_MEMORY,
         "some stacks that are not a thread's own could not be read; they have one frame");
}

/* Compares the weights of the samples, which are microseconds, with the CPU time. Does not if
   samples are missing for a reason that is reported. */
static void compare(struct tch_sampling *n, const struct rusage *usage)
{
    if (n->c->result.lost > 0 || n->ring.ring->blocked > 0 || n->ring.ring->unsafe > 0 ||
        n->ring.ring->trouble)
        return;
    n->c->used_ns = (double)(tch_timeval_ns(usage->ru_utime) + tch_timeval_ns(usage->ru_stime));
    n->c->covered_ns = (double)tch_stacks_total(&n->c->stacks) * 1e3;
}

static const struct tch_sampling_ops ops = {
    .name = "preload",
    .open = tch_ring_sampling_open,
    .start = start,
    .drain = tch_ring_sampling_drain,
    .stop = tch_ring_sampling_stop,
    .finish = finish,
    .compare = compare,
    .close = tch_ring_sampling_close,
};

static int capture(struct tch_capture *c, tacho_error *err)
{
    return tch_sampling_capture(c, &ops, err);
}

static int fits(const struct tch_capture *c, tacho_error *err)
{
    return tch_preload_fits(c->request.argv[0], c->request.cwd, err);
}

const struct tch_backend tch_backend_preload = {
    .name = "preload",
    .used = "preload",
    .needs = "tacho-sampler.so and a program that the dynamic linker starts",
    .runs_only = true,
    .own_event = true,
    .copies = true,
    .cannot = TACHO_FLAME_ALL | TACHO_FLAME_OFF_CPU | TACHO_FLAME_KERNEL,
    .probe = tch_preload_probe,
    .fits = fits,
    .capture = capture,
};
