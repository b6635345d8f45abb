/*
 * What programs recorded about themselves in each run: peaks of memory categories, stages of
 * profile events. Samples have it as "recorded", so that runs can be judged by it.
 *
 * - "kv_cache", "activation", "temp_buffer": bytes, the largest of all snapshots of all processes.
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
    TCH_RECORDED_TEXT = 128,  /* of a name with its NUL; longer names are left out */
    TCH_RECORDED_MOST = 1024, /* names; more are left out */
};

/** Returns the number of a name, SIZE_MAX when no run recorded it. */
size_t tch_recorded_find(const struct tch_run_samples *samples, const char *name);

/** Sets what a sample recorded under a name. Ignores values that are not finite or pass the limits
    above. 0 or TACHO_ENOMEM. */
int tch_recorded_set(struct tch_run_samples *samples, struct tch_run_sample *sample,
                     const char *name, const struct tch_recorded *value, tacho_error *err);

/** Writes the member "recorded" of a sample, unless it is empty. Each value is a number when p50,
   p95 and p99 are equal, else an object of the three. */
void tch_recorded_write(struct tch_buf *b, const struct tch_run_sample *sample,
                        const struct tch_run_samples *of);

/** Parses the value of that member. 0, TACHO_EPARSE, TACHO_ENOMEM. */
int tch_recorded_parse(struct tch_json_reader *r, struct tch_run_samples *samples,
                       struct tch_run_sample *sample, tacho_error *err);

/** Reads the parts (FOLDER/iter/NNNN) of all samples that have nothing yet. A damaged file counts
   up to the damage. 0, TACHO_EIO, TACHO_ENOMEM. */
int tch_recorded_read(struct tch_run_samples *samples, const char *folder, tacho_error *err);

#endif
