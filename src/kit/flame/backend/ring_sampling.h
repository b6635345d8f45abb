/*
 * Functions that the samplers with a ring share. They are rows of struct tch_sampling_ops.
 */
#ifndef TCH_RING_SAMPLING_H
#define TCH_RING_SAMPLING_H

#include "own_sampling.h"

int tch_ring_sampling_open(struct tch_sampling *n, tacho_error *err);
int tch_ring_sampling_drain(struct tch_sampling *n, uint64_t until, tacho_error *err);
void tch_ring_sampling_stop(struct tch_sampling *n);
void tch_ring_sampling_finish(struct tch_sampling *n);
void tch_ring_sampling_close(struct tch_sampling *n);

#endif
