/*
 * Reads the segments of RVF files, whose payloads are lines of witness logs.
 */
#ifndef TCH_WITNESS_RVF_H
#define TCH_WITNESS_RVF_H

#include "witness_reader.h"

/** Converts a timestamp, in seconds by convention, to the nanoseconds of an entry of a witness
    segment. Returns 0 when the result does not fit 64 bits. */
uint64_t tch_witness_time_ns(uint64_t timestamp);

/** Switches r to reading segments. */
void tch_witness_rvf_begin(tacho_witness_reader *r);

/** Reads and checks the next line of any segment. Returns 1, 0 at the end, or a failure, which
   names the segment. */
int tch_witness_rvf_next(tacho_witness_reader *r, enum tch_witness_kind *kind,
                         struct tch_line *line, tacho_witness_entry *entry, tacho_error *err);

#endif
