/*
 * The layout of a recording on disk, which the recorder writes and the reader reads.
 * docs/recording-format.md describes it in prose; change both together.
 *
 * A page of header is followed by chunks of one size, each at a multiple of it. Everything is in
 * the byte order of the machine that wrote it, which the header shows.
 */
#ifndef TCH_RECORDING_FORMAT_H
#define TCH_RECORDING_FORMAT_H

#include <stdint.h>

#define TCH_REC_MAGIC       "TACHOREC"
#define TCH_REC_CHUNK_MAGIC 0x4B4E4843u /* "CHNK" */

enum {
    TCH_REC_VERSION = 2,
    TCH_REC_BYTE_ORDER = 0x01020304,
    TCH_REC_PAGE = 4096,            /* size of the header */
    TCH_REC_CHUNK = 256 * 1024,     /* size of a chunk, including its header */
    TCH_REC_HEADER = TCH_REC_CHUNK, /* where chunks begin: a multiple of their size is faster */
    TCH_REC_HEADER_V1 = TCH_REC_PAGE,
    TCH_REC_CHUNK_HEADER = 64,
    TCH_REC_WORDS = (TCH_REC_CHUNK - TCH_REC_CHUNK_HEADER) / 8,
    TCH_REC_PROGRAM = 256,
};

enum tch_rec_clock {
    TCH_REC_CLOCK_TSC = 1, /* ticks of the CPU's time stamp counter */
    TCH_REC_CLOCK_NS = 2,  /* nanoseconds of CLOCK_MONOTONIC */
};

/* Why records were dropped. These are bits of the header's `reasons`. */
enum tch_rec_reason {
    TCH_REC_LIMIT = 1,  /* the recording reached its limit */
    TCH_REC_RING = 2,   /* ... and the oldest records were replaced */
    TCH_REC_DISK = 4,   /* the disk was full or failed */
    TCH_REC_LANES = 8,  /* too many threads at once */
    TCH_REC_NAMES = 16, /* too many distinct names */
    TCH_REC_CLOSED = 32 /* the program closed the descriptor of the recording */
};

/** The same instant on two clocks. It is valid when check is the exclusive or of the other three
    and is not 0. A pair that was half written at a kill is therefore recognised. */
struct tch_rec_pair {
    uint64_t ticks;
    uint64_t ns; /* CLOCK_MONOTONIC */
    uint64_t error;
    uint64_t check;
};

struct tch_rec_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t header_size;
    uint32_t chunk_size;
    char boot_id[40]; /* text filled up with NULs; empty when not known */
    uint32_t pid;
    uint32_t parent;
    uint32_t clock;   /* enum tch_rec_clock */
    uint32_t ring;    /* 1: at the limit the oldest records are replaced */
    uint64_t limit;   /* bytes; 0: no limit */
    uint64_t wall_ns; /* CLOCK_REALTIME at first.ns */
    struct tch_rec_pair first;
    struct tch_rec_pair last[2]; /* written alternately; the later valid one counts */
    uint64_t dropped;            /* number of dropped events; a span is one, counted by its begin */
    uint64_t reasons;            /* bits of enum tch_rec_reason */
    uint64_t cut;                /* number of truncated texts and of arguments left out */
    uint64_t ended;              /* 1 after an orderly exit of the process */
    uint64_t tracks;             /* 1 if there are events with explicit times */
    char program[TCH_REC_PROGRAM]; /* filled up with NULs */
    uint64_t wall_error;           /* error of wall_ns by tch_wall_error_ns(); 0: not known */
    uint64_t foreign;              /* 1 if there are chunks of other processes */
    uint64_t clock_faults;         /* how often CLOCK_MONOTONIC stood still or went back */
};

enum tch_rec_type {
    TCH_REC_STAGE = 1, /* the memory that a thread writes to; mapped */
    TCH_REC_COPY = 2,  /* the content of a stage when it was full */
    TCH_REC_TABLE = 3, /* names */
};

/** The first 64 bytes of a chunk. Stages and copies belong to a lane, which is the sequence of
    chunks written from one stage; base rises from chunk to chunk. One store to base retires all
    records of a stage. */
struct tch_rec_chunk {
    uint32_t magic;
    uint32_t type;
    uint32_t lane;   /* from 0; for a table: its place among the tables */
    uint32_t thread; /* the thread that made the first records of the chunk */
    uint64_t sequence;
    uint64_t base;    /* ticks at the start of the chunk; a record may be older by at most half the
                         range of its 48-bit time */
    uint64_t cleared; /* the records of a stage are valid when this equals base */
    uint32_t tid;     /* tid of that thread */
    uint32_t records; /* in a copy of a ring: events, counted like `dropped`; else 0 */
    uint64_t process; /* 1 + the pid, if the chunk is of another process than the header; else 0 */
    uint32_t name;    /* in a ring: that thread's name, a text, because the record with the name may
                         have been replaced */
    uint32_t reserved;
};

_Static_assert(sizeof(struct tch_rec_header) <= TCH_REC_PAGE, "the header is one page");
_Static_assert(sizeof(struct tch_rec_chunk) == TCH_REC_CHUNK_HEADER, "frozen");

/*
 * Records consist of 8-byte words. A plain record has 48 bits of ticks, 15 bits of site and 1 bit
 * "end". A begin is followed by the values of the site's arguments, if it has any. A word of 0 is
 * not a record: it was taken, but not written when the process was killed.
 */
enum {
    TCH_REC_SITE_ANY = 1, /* in an end: the innermost span, whatever its site */
    TCH_REC_SITE_FIRST = 2,
    TCH_REC_SITE_PLAIN = 0x7FF0, /* sites below this fit a plain record */
    TCH_REC_LOW_BITS = 16,
    TCH_REC_WIDE = 0xFFFE,   /* low 16 bits: a wide record begins here */
    TCH_REC_SKIP = 0xFFFF,   /* low 16 bits: an unfinished record, whose number of words is in the
                                other bits; with TCH_REC_REST: the unused end of a chunk */
    TCH_REC_WIDE_MAX = 4096, /* limit of a wide record, in words */
};

#define TCH_REC_REST (UINT64_C(1) << 63)

/** Returns the number of words that a TCH_REC_SKIP covers. */
static inline uint64_t tch_rec_skip(uint64_t word)
{
    return (word & ~TCH_REC_REST) >> TCH_REC_LOW_BITS;
}

/** Returns the mark of the unused end of a chunk. */
static inline uint64_t tch_rec_rest(uint64_t bytes)
{
    return TCH_REC_REST | bytes / 8 << TCH_REC_LOW_BITS | TCH_REC_SKIP;
}

/*
 * A wide record is [ticks | WIDE] [words:16 kind:8 args:8 id:32], fixed words, then arguments. Each
 * argument is [key:32 type:8 bytes:24] and its value: one word, or the bytes of a text filled up
 * with 0. The kinds, with the meaning of id and of the fixed words:
 */
enum tch_rec_kind {
    TCH_REC_BEGIN = 1,          /* id site */
    TCH_REC_END = 2,            /* id site */
    TCH_REC_INSTANT = 3,        /* id site; scope */
    TCH_REC_COUNTER = 4,        /* id site; type (enum tacho_field_type); value */
    TCH_REC_FLOW = 5,           /* id site; phase; flow */
    TCH_REC_ASYNC = 6,          /* id site; phase, possibly with TCH_REC_TRACE_ID; id */
    TCH_REC_PUSH = 7,           /* id site; dur_us; track */
    TCH_REC_PUT = 8,            /* id site; ts_us; dur_us; pid; tid; text of the phase */
    TCH_REC_TRACK_SPAN = 9,     /* id site; track; start ns; end ns */
    TCH_REC_TRACK_INSTANT = 10, /* id site; track; ns */
    TCH_REC_TRACK_COUNTER = 11, /* id site; track; ns; value (double) */
    TCH_REC_THREAD = 12, /* id thread, which made the records that follow; tid; name (2 words) */
    TCH_REC_THREAD_NAME = 13,  /* id text */
    TCH_REC_PROCESS_NAME = 14, /* id text */
    TCH_REC_KINDS = 15,
};

/* Bit in the phase of an async event: its id is valid in the whole trace, not only in its
   process. */
enum { TCH_REC_TRACE_ID = 4 };

/** Returns the number of fixed words of a kind, after the first two. */
static inline unsigned tch_rec_fixed(unsigned kind)
{
    static const uint8_t fixed[TCH_REC_KINDS] = {0, 0, 0, 1, 2, 2, 2, 2, 5, 3, 2, 3, 3, 0, 0};

    return fixed[kind];
}

static inline uint64_t tch_rec_wide(unsigned words, unsigned kind, unsigned args, uint32_t id)
{
    return (uint64_t)id << 32 | (uint64_t)args << 24 | (uint64_t)kind << 16 | words;
}

/*
 * A table is a sequence of entries. An entry is [kind:8 words:24 id:32] [first:16 second:16
 * args:32], the bytes of both texts without a gap, and 8 bytes per argument (key:32 type:32),
 * filled up to a whole word. A word of 0 ends the table.
 */
enum tch_rec_entry {
    TCH_REC_TEXT = 1, /* first: number of its bytes */
    TCH_REC_SITE = 2, /* first: bytes of the name, second: of the category. If the site has
                         arguments, its plain begins are followed by their values, one word each. */
};

#endif
