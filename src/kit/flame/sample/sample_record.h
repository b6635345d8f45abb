/*
 * Samples that were not taken by the kernel, in the form of its records, which collect_records.c
 * reads.
 */
#ifndef TCH_SAMPLE_RECORD_H
#define TCH_SAMPLE_RECORD_H

#include <sys/types.h>

#include "collect_records.h"
#include "sample_ring.h"

enum { TCH_SAMPLE_ROOM = 1 << 16 }; /**< size limit of a record in bytes */

/**
 * Makes the record of a sample. Its period is the sample's weight in microseconds.
 *
 * @param room         has TCH_SAMPLE_ROOM bytes
 * @param stack_bytes  at least head->len
 * @param stack        head->len bytes, from TCH_RED_ZONE below the stack pointer on
 */
void tch_sample_record(uint8_t *room, const struct tch_ring_record *head, uint32_t stack_bytes,
                       const uint8_t *stack);

#endif
