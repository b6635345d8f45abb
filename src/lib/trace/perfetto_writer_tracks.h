/*
 * Packets, tracks and sequences of the Perfetto format, for the files of the writer.
 */
#ifndef TCH_PERFETTO_WRITER_TRACKS_H
#define TCH_PERFETTO_WRITER_TRACKS_H

#include "perfetto_writer.h"

#define TCH_PF_UUID_GLOBAL  UINT64_C(1)
#define TCH_PF_UUID_PROCESS (UINT64_C(1) << 32)
#define TCH_PF_UUID_TRACK   (UINT64_C(2) << 32)
#define TCH_PF_UUID_LANE    (UINT64_C(3) << 32)
#define TCH_PF_UUID_COUNTER (UINT64_C(4) << 32)
#define TCH_PF_UUID_ASYNC   (UINT64_C(1) << 63)

/** Begins a packet in p->packet with the number of its sequence. tch_pf_end_packet() writes it
    out. */
void tch_pf_begin_packet(struct tch_perfetto *p);
int tch_pf_end_packet(struct tch_perfetto *p);
int tch_pf_out_of_memory(struct tch_perfetto *p);

/** Returns the uuid of a lane of a track. */
uint64_t tch_pf_lane_uuid(uint32_t track, uint32_t lane);

/** Writes a description of a track with its name. */
int tch_pf_describe(struct tch_perfetto *p, uint64_t uuid, uint64_t parent, const char *name);

/** Describes the lane, its track and its process, unless that was done before. */
int tch_pf_know_lane(struct tch_perfetto *p, uint32_t track, uint32_t lane);

/** Returns the uuid of the track of a counter's series. Describes the track when it is new. */
int tch_pf_counter_track(struct tch_perfetto *p, const struct tch_ev *ev, const char *series,
                         size_t len, uint64_t *ret);

/** Starts a new sequence for a track. */
int tch_pf_enter(struct tch_perfetto *p, uint32_t track, int64_t ts);

/** Interns the name and category of an event on the sequence, and prepares its tail. */
int tch_pf_intern(struct tch_perfetto *p, uint32_t name, uint32_t category);

#endif
