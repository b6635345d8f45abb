/*
 * The tracks of a Perfetto trace.
 */
#ifndef TCH_PERFETTO_READ_TRACKS_H
#define TCH_PERFETTO_READ_TRACKS_H

#include "perfetto_read.h"

/** Finds a track by its uuid, or makes it. Returns NULL if memory ran out. */
struct tch_pf_track *tch_pf_track_of(struct tch_pf_reader *p, uint64_t uuid);

/** Reads the descriptor of a track. */
int tch_pf_read_track(struct tch_pf_reader *p, const struct tch_pb_field *descriptor);

#endif
