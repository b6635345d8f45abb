/*
 * What the files of the Perfetto writer share: perfetto_writer.c has the events,
 * perfetto_writer_tracks.c packets, tracks, and the sequences with their interned names.
 */
#ifndef TCH_PERFETTO_WRITER_H
#define TCH_PERFETTO_WRITER_H

#include "base/protobuf.h"
#include "perfetto_fields.h"
#include "trace_output.h"

/* Uuids of tracks, apart by their upper bits. */
#define UUID_PROCESS UINT64_C(1)
#define UUID_GLOBAL  UINT64_C(2)
#define UUID_THREAD  (UINT64_C(1) << 32)
#define UUID_ROW     (UINT64_C(2) << 32)
#define UUID_COUNTER (UINT64_C(3) << 32)
#define UUID_ASYNC   (UINT64_C(1) << 63)

/** What stands behind the time in the packet of a plain begin or end: the same each time. */
struct tch_pf_tail {
    uint8_t len;
    uint8_t bytes[24]; /* two tags and lengths, sequence, flags, type, and the site twice */
};

/** A site on the sequence where it was interned last. */
struct tch_pf_site {
    uint32_t thread; /* 1 + its number; 0: on none yet */
    struct tch_pf_tail begin;
};

struct tch_perfetto {
    struct tch_recording *r;
    struct tch_out out;
    struct tch_rows rows;
    struct tch_buf packet; /* its content */
    struct tch_pf_site *sites;
    uint8_t *counters; /* by site: its counter's track is there */

    uint64_t sequence;
    uint64_t track;   /* of the thread */
    uint64_t last_ns; /* of the packet before, on this sequence */
    struct tch_pf_tail end;
    uint32_t thread;
    uint32_t tid;
    bool started, process_told, global_told;
};

/** A packet is made in p->packet, then goes out. */
void tch_pf_begin_packet(struct tch_perfetto *p);
void tch_pf_end_packet(struct tch_perfetto *p);

/** Text of any bytes. */
void tch_pf_add_utf8(struct tch_perfetto *p, uint32_t field, const char *text, size_t len);

/* Each is a packet of its own. */

void tch_pf_tell_process(struct tch_perfetto *p, const char *name, size_t len);
void tch_pf_tell_thread(struct tch_perfetto *p, const char *name, size_t len);
void tch_pf_tell_track(struct tch_perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
                       size_t len, bool counter);
void tch_pf_tell_row(struct tch_perfetto *p, uint32_t number);

/** From here on p writes the thread's sequence. */
void tch_pf_enter_thread(struct tch_perfetto *p, const struct tch_seen_event *e);

/** Interns a site's name and category on this sequence, under the site's number. */
void tch_pf_intern(struct tch_perfetto *p, uint32_t site);

#endif
