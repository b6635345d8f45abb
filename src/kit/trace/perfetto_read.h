/*
 * The reader of Perfetto traces, in four files: packets, clocks, tracks, and events with their
 * arguments.
 */
#ifndef TCH_PERFETTO_READ_H
#define TCH_PERFETTO_READ_H

#include "base/buf.h"
#include "base/protobuf.h"
#include "lib/trace/perfetto_fields.h"
#include "trace_readers.h"
#include "trace_source.h"

enum tch_pf_kind { TCH_PF_KIND_NAMED, TCH_PF_KIND_PROCESS, TCH_PF_KIND_THREAD };

struct tch_pf_track {
    uint64_t uuid, parent;
    uint32_t name;   /* number of its text */
    uint32_t unit;   /* for a counter: its series */
    uint32_t labels; /* for a process: text number; 0: none */
    int64_t sort;
    bool sorted; /* whether sort is set */
    uint64_t pid, tid;
    enum tch_pf_kind kind;
    bool counter, told;
    uint32_t model; /* 1 + number of its track in the model; 0: none yet */
};

struct tch_pf_sequence {
    uint32_t generation; /* generation of the interned texts */
    bool valid;          /* no interned text is missing */
    uint64_t default_track;
    uint64_t default_clock; /* 0: the clock of the trace */
    uint64_t clock_id;      /* the clock used last, and its number */
    uint32_t clock;
};

struct tch_pf_reader {
    struct tch_trace_reading *r;
    struct tch_trace_source *s;
    uint64_t offset;                 /* offset of the packet in the file */
    struct tch_intern interned_keys; /* keys: sequence, generation, kind and iid */
    uint32_t *interned;              /* text numbers, by the number of the key */
    size_t interned_room;
    struct tch_intern track_keys; /* uuids */
    struct tch_pf_track *tracks;
    size_t track_room;
    struct tch_intern sequence_keys;
    struct tch_pf_sequence *sequences;
    size_t sequence_room;
    struct tch_pf_clocks *clocks;
    struct tch_intern flows; /* ids seen so far */
    uint32_t named_tracks;   /* number of tracks named so far */
    struct tch_buf args;
};

/** The relevant fields of a packet. */
struct tch_pf_packet {
    uint32_t sequence; /* number of its sequence */
    uint64_t time;
    uint64_t clock;
    bool has_time;
    struct tch_pb_field event;
};

/** Finds a text interned on a sequence. Returns 0 if there is none. */
uint32_t tch_pf_interned(const struct tch_pf_reader *p, uint32_t sequence, uint32_t what,
                         uint64_t iid);

#endif
