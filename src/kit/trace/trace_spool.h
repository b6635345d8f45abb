/*
 * Sorts any number of events: sorted runs in a temporary file, merged at the end (external merge
 * sort).
 *
 *     tch_spool_init(&s, tch_by_track_and_time);
 *     tch_spool_add(&s, ev, &err);  ...
 *     tch_spool_sort(&s, &err);
 *     while ((more = tch_spool_next(&s, &ev, &err)) > 0) ...
 *     tch_spool_release(&s);
 *
 * Memory is limited to TCH_SPOOL_ROWS events and some buffers. The temporary files are in TMPDIR,
 * or /tmp, and have no name.
 */
#ifndef TCH_TRACE_SPOOL_H
#define TCH_TRACE_SPOOL_H

#include "trace_read.h"

enum { TCH_SPOOL_ROWS = 1 << 20 };

/** Compares two events, as for qsort(). Never returns 0 for two events of one trace. */
typedef int tch_ev_order(const struct tch_ev *a, const struct tch_ev *b);

/*
 * The order of events at the same time decides which span is the outer one.
 *
 * - Spans whose begin and end are both in the file (`closed` is set: begins and ends of any format,
 *   and recordings): as in the file. The order of begins and ends there is the nesting, even for
 *   spans without length.
 * - Whole spans (X of Chrome JSON, CSV): the longer one first, because it contains the other. If
 *   both times are equal, the file does not say which one is the outer one; tch_trace_load_next()
 *   finds out by the other spans of the track.
 * - Async events that were moved in time have the time by which they moved in `dur`.
 */

/** Orders by track and time, then as described above. */
tch_ev_order tch_by_track_and_time;

/** Orders by track and time, then as in the file, so that begins and ends match as viewers match
    them. */
tch_ev_order tch_by_track_as_in_file;

/** Orders by time, then as described above. */
tch_ev_order tch_by_time;

/** Orders async events by lane, category and id, then by time, then as in the file. */
tch_ev_order tch_by_async_id;

/** Returns whether two events have the same lane, category and id. */
static inline bool tch_same_async(const struct tch_ev *a, const struct tch_ev *b)
{
    return a->id == b->id && a->category == b->category && a->lane == b->lane;
}

struct tch_spool_run {
    uint64_t at, end; /* offsets of the part in the file that is not in the buffer */
    struct tch_ev *buf;
    size_t next, count;
};

struct tch_spool {
    tch_ev_order *order;
    struct tch_ev *rows;
    size_t count, room;
    uint64_t total; /**< number of events added */
    size_t next;    /* index of the next row, if all rows fit into memory */
    int fd;         /* file of the runs; -1: none */
    uint64_t fd_len;
    struct tch_spool_run *runs;
    size_t run_count;
    size_t *heap; /* runs, ordered by their first event */
    size_t heap_count;

    int args_fd; /* file of the arguments, one after the other; -1: none */
    uint64_t args_len;
    char *args_buf; /* arguments that are not written yet */
    size_t args_held;
    char *args_map;
    size_t args_mapped;
};

void tch_spool_init(struct tch_spool *s, tch_ev_order *order);
void tch_spool_release(struct tch_spool *s);

/** Adds a copy of the event and its arguments. */
int tch_spool_add(struct tch_spool *s, const struct tch_ev *ev, tacho_error *err);

/** Sorts the events after the last one was added. */
int tch_spool_sort(struct tch_spool *s, tacho_error *err);

/** Reads the next event. Returns 1, 0 after the last, or a negative code. The data that ev points
    to is valid until the release. */
int tch_spool_next(struct tch_spool *s, struct tch_ev *ev, tacho_error *err);

/** Opens an unnamed file for temporary data in TMPDIR or /tmp. Returns its descriptor or a negative
    code. */
int tch_temporary_file(tacho_error *err);

#endif
