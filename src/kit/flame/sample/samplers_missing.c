/* Takes the place of preload_fit.c, sample_stopped.c, tracer.c and tracer_loop.c on a CPU whose
   registers the samplers without perf events cannot read. */
#include "base/fail.h"
#include "preload_fit.h"
#include "sample_record.h"
#include "sample_stopped.h"
#include "tracer.h"

static int refuse(tacho_error *err)
{
    return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                    "it is not supported on this CPU: sampling without perf events needs x86-64");
}

int tch_preload_probe(tacho_error *err)
{
    return refuse(err);
}

int tch_preload_fits(const char *program, const char *cwd, tacho_error *err)
{
    (void)program;
    (void)cwd;
    return refuse(err);
}

int tch_tracer_probe(tacho_error *err)
{
    return refuse(err);
}

int tch_tracer_start(const struct tch_tracer_options *o, struct tch_keeper *keeper, pid_t *ret,
                     tacho_error *err)
{
    (void)keeper;
    (void)o;
    (void)ret;
    return refuse(err);
}

int64_t tch_sample_stopped(struct tch_collect *c, pid_t tid, uint8_t *room, tacho_error *err)
{
    (void)c;
    (void)tid;
    (void)room;
    return refuse(err);
}
