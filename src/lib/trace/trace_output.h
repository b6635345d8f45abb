/*
 * What the writers of traces share: buffered output, arguments in order, text made UTF-8, rows for
 * spans with explicit times.
 */
#ifndef TCH_TRACE_OUTPUT_H
#define TCH_TRACE_OUTPUT_H

#include <tacho/trace.h>

#include "base/file.h"
#include "recording_file.h"

enum { TCH_OUT_SIZE = 1 << 20 };

/** Failure is sticky. */
struct tch_out {
    struct tch_replace *file;
    char *data; /* TCH_OUT_SIZE bytes */
    size_t len;
    int status;
    tacho_error *err;
};

/** @return 0 or TACHO_ENOMEM; tch_out_release() in any case */
int tch_out_init(struct tch_out *o, struct tch_replace *file, tacho_error *err);
void tch_out_release(struct tch_out *o);

/** Writes what is held. @return the status */
int tch_out_flush(struct tch_out *o);

/** Room for n bytes (at most TCH_OUT_SIZE), never NULL; then add to len what was written. */
static inline char *tch_out_room(struct tch_out *o, size_t n)
{
    if (o->len + n > TCH_OUT_SIZE)
        tch_out_flush(o);
    return o->data + o->len;
}

/** Any number of bytes. */
void tch_out_add(struct tch_out *o, const void *data, size_t len);

/** The arguments of an event, those of its end behind; of two with one key the later value counts,
    in the place of the first. */
struct tch_arg_list {
    struct tch_rec_arg list[2 * TACHO_ARGS_MAX];
    size_t count;
};

void tch_args_gather(struct tch_arg_list *ret, const struct tch_recording *r,
                     const struct tch_seen_event *e);

/** Adds its value as JSON. */
void tch_json_arg(struct tch_buf *b, const struct tch_rec_arg *arg);

/** The part of a path behind its last slash. */
const char *tch_base_name(const char *path);

/** The reasons in words, such as "limit, disk". */
void tch_add_reasons(struct tch_buf *b, uint64_t reasons);

/*
 * Rows. Viewers want spans of one track to nest. Those that overlap only partly go to rows of
 * their own.
 */

enum tch_row_kind {
    TCH_ROW_TRACK, /**< a: text of its name */
    TCH_ROW_PUSH,  /**< a: the track's number */
    TCH_ROW_PUT,   /**< a: pid, b: tid */
};

struct tch_row {
    enum tch_row_kind kind;
    uint64_t a, b;
    uint32_t lane; /**< 0 for the first of its track */
};

struct tch_rows {
    struct tch_row *rows;
    uint32_t count;
    struct tch_row_item *items; /* as they came */
    size_t item_count, item_room;
    size_t next; /* of the second walk */
};

/** Walks r once and lays out all that has explicit times. Nothing is allocated where there is none.
    @return 0, or a negative code; tch_rows_release() in any case */
int tch_rows_lay_out(struct tch_rows *rows, struct tch_recording *r, tacho_error *err);
void tch_rows_release(struct tch_rows *rows);

/** Is this an event that has a row? */
bool tch_rows_has(const struct tch_recording *r, const struct tch_seen_event *e);

#define TCH_NO_ROW UINT32_MAX

/** The number of the row of such an event; they come in the order of the walk. TCH_NO_ROW: it was
    not there, nor its track, when the rows were laid out; or the header is damaged. */
uint32_t tch_rows_next(struct tch_rows *rows, const struct tch_recording *r,
                       const struct tch_seen_event *e);

/** When such an event begins and ends, in CLOCK_MONOTONIC nanoseconds. */
void tch_rows_times(const struct tch_recording *r, const struct tch_seen_event *e, uint64_t *start,
                    uint64_t *end);

/** When a push began, in microseconds from the start of the trace, and how long it is. */
void tch_push_times(const struct tch_recording *r, const struct tch_seen_event *e, uint64_t *ts_us,
                    uint64_t *dur_us);

#endif
