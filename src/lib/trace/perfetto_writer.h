/*
 * Writes Perfetto's native format: protobuf packets, in one sequence per track. Within a sequence
 * names are interned, and times are relative to the packet before.
 *
 *     tch_perfetto_init(&p, &model, &out);
 *     tch_perfetto_names(&p);            before the events, if the names are known; always after
 *     tch_perfetto_add(&p, &ev);  ...
 *     tch_perfetto_end_span(&p, lane, ts);
 *     tch_perfetto_release(&p);
 *
 * perfetto_writer.c writes events, perfetto_writer_tracks.c packets, tracks and sequences, and
 * perfetto_writer_args.c arguments.
 */
#ifndef TCH_PERFETTO_WRITER_H
#define TCH_PERFETTO_WRITER_H

#include "base/protobuf.h"
#include "base/sink.h"
#include "perfetto_fields.h"
#include "trace_model.h"

/* The part of a begin or end packet that follows the time. It is the same for all plain events of
   one name and category on a sequence. */
struct tch_pf_tail {
    uint8_t len;
    uint8_t bytes[24]; /* two tags and lengths, sequence, flags, type, name and category */
};

/* The state of a text on the sequences, which are numbered from 1. */
struct tch_pf_text {
    uint32_t name, category; /* the last sequence on which it was interned as such */
    /* The last sequence on which `begin` was made for it as a name, with this category. */
    uint32_t tail;
    uint32_t tail_category;
    struct tch_pf_tail begin;
};

struct tch_perfetto {
    struct tch_model *m;
    struct tch_sink *out;
    struct tch_buf packet; /* content of the packet that is being made */
    struct tch_buf text;   /* an unescaped text, or a name that is being made */
    struct tch_pf_text *texts;
    size_t text_room;
    uint32_t *processes,
        *tracks; /* 1 + the name with which each was described last; 0: not described yet */
    size_t process_room, track_room;
    struct tch_intern counters; /* process, name and series of each counter that has a track */
    struct tch_intern lanes;    /* uuids of the lanes that were described */
    bool global;                /* the track of global instants was described */

    uint32_t sequence; /* number of the current sequence */
    uint32_t track;    /* 1 + the track of the sequence; 0: none */
    uint64_t last;     /* time of the last packet of this sequence */
    struct tch_pf_tail end;
};

/** Prepares a writer and writes the first packet. Failures are in out->status. The arguments
    must outlive p. */
void tch_perfetto_init(struct tch_perfetto *p, struct tch_model *m, struct tch_sink *out);
void tch_perfetto_release(struct tch_perfetto *p);

/** Describes all processes and tracks that have not been described, or were renamed since.
    @return the status */
int tch_perfetto_names(struct tch_perfetto *p);

/**
 * Writes an event. For a whole span it writes the begin only. It can be used as a tch_ev_sink; ctx
 * is a struct tch_perfetto *.
 * @return the status
 */
int tch_perfetto_add(void *ctx, const struct tch_ev *ev);

/** Ends the innermost span of a lane, on the track of the last event.
    @return the status */
int tch_perfetto_end_span(struct tch_perfetto *p, uint32_t lane, int64_t ts);

#endif
