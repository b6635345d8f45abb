/*
 * What programs recorded of themselves, one entry a run: peaks of memory categories, stages of
 * profile events. It stands in the samples, as "recorded", so that a run can be judged by it.
 *
 * - "kv_cache", "activation", "temp_buffer": bytes, the most that any snapshot of any process told.
 * - "memory.NAME": the same of a category of the program's own.
 * - "stage:EVENT.STAGE": microseconds, or a count, of the run's events.
 */
#ifndef TCH_RECORDED_H
#define TCH_RECORDED_H

#include "base/json_read.h"
#include "run_sample.h"

#define TCH_RECORDED_MEMORY "memory."
#define TCH_RECORDED_STAGE  "stage:"

enum {
    TCH_RECORDED_TEXT = 128,  /* of a name, with the 0 at its end; what is longer is left out */
    TCH_RECORDED_MOST = 1024, /* names of a run; more are left out */
};

/** The number of a name, SIZE_MAX where no run recorded it. */
size_t tch_recorded_find(const struct tch_run_samples *samples, const char *name);

/** Sets what a sample recorded under a name. What is not finite is left out, as is what passes the
    limits above. 0 or TACHO_ENOMEM. */
int tch_recorded_set(struct tch_run_samples *samples, struct tch_run_sample *sample,
                     const char *name, const struct tch_recorded *value, tacho_error *err);

/** The member "recorded" of a sample's JSON, unless it has nothing. A number where p50, p95 and p99
   are the same, else an object of the three. */
void tch_recorded_write(struct tch_buf *b, const struct tch_run_sample *sample,
                        const struct tch_run_samples *of);

/** The value of that member. 0, TACHO_EPARSE, TACHO_ENOMEM. */
int tch_recorded_parse(struct tch_json_reader *r, struct tch_run_samples *samples,
                       struct tch_run_sample *sample, tacho_error *err);

/** Looks into the parts (FOLDER/iter/NNNN) of all samples that have nothing yet. A file that is not
    as it should be counts up to where that begins. 0, TACHO_EIO, TACHO_ENOMEM. */
int tch_recorded_read(struct tch_run_samples *samples, const char *folder, tacho_error *err);

#endif
