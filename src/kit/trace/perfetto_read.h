/*
 * The reader of Perfetto traces, in four files: packets, clocks, tracks, events and their
 * arguments.
 */
#ifndef TCH_PERFETTO_READ_H
#define TCH_PERFETTO_READ_H

#include "base/buf.h"
#include "base/protobuf.h"
#include "lib/trace/perfetto_fields.h"
#include "trace_readers.h"

enum tch_pf_kind { TCH_PF_KIND_NAMED, TCH_PF_KIND_PROCESS, TCH_PF_KIND_THREAD };

struct tch_pf_track {
    uint64_t uuid, parent;
    uint32_t name;   /* text */
    uint32_t unit;   /* of a counter: its series */
    uint32_t labels; /* of a process: text, 0: none */
    int64_t sort;
    bool sorted; /* sort is given */
    uint64_t pid, tid;
    enum tch_pf_kind kind;
    bool counter, told;
    uint32_t model; /* 1 + the number of its track there; 0: none yet */
};

struct tch_pf_sequence {
    uint32_t generation; /* of what is interned */
    bool valid;          /* nothing of that is missing */
    uint64_t default_track;
    uint64_t default_clock; /* 0: that of the trace */
    uint64_t clock_id;      /* that was used last, and its number */
    uint32_t clock;
};

struct tch_pf_reader {
    struct tch_trace_reading *r;
    struct tch_trace_source *s;
    uint64_t offset;                 /* of the packet, in the file */
    struct tch_intern interned_keys; /* sequence, generation, what and iid */
    uint32_t *interned;              /* texts, by number of the key */
    size_t interned_room;
    struct tch_intern track_keys; /* uuids */
    struct tch_pf_track *tracks;
    size_t track_room;
    struct tch_intern sequence_keys;
    struct tch_pf_sequence *sequences;
    size_t sequence_room;
    struct tch_pf_clocks *clocks;
    struct tch_intern flows; /* ids that were seen */
    uint32_t named_tracks;   /* so far */
    struct tch_buf args;
};

/** The fields of a packet that count. */
struct tch_pf_packet {
    uint32_t sequence; /* number */
    uint64_t time;
    uint64_t clock;
    bool has_time;
    struct tch_pb_field event;
};

int tch_pf_clocks_init(struct tch_pf_reader *p);
void tch_pf_clocks_release(struct tch_pf_reader *p);

/** Takes a snapshot of clocks. */
int tch_pf_read_clocks(struct tch_pf_reader *p, uint32_t sequence,
                       const struct tch_pb_field *snapshot);

/** Sets the packet's time on the clock of the trace. False: no snapshot ties its clock to that. */
bool tch_pf_time(struct tch_pf_reader *p, const struct tch_pf_packet *packet, int64_t *ret);

/** Gives the event of a packet to the sink. ts is on the clock of the trace. */
int tch_pf_event(struct tch_pf_reader *p, const struct tch_pf_packet *packet, int64_t ts);

/** What is interned on a sequence; 0 when there is no such thing. */
uint32_t tch_pf_interned(const struct tch_pf_reader *p, uint32_t sequence, uint32_t what,
                         uint64_t iid);

/** The track by its uuid, made when it is not known. NULL: no memory. */
struct tch_pf_track *tch_pf_track_of(struct tch_pf_reader *p, uint64_t uuid);

/** Takes the descriptor of a track. */
int tch_pf_read_track(struct tch_pf_reader *p, const struct tch_pb_field *descriptor);

#endif
