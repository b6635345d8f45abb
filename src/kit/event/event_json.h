/*
 * The documents that `tacho events` prints with --json.
 */
#ifndef TCH_EVENT_JSON_H
#define TCH_EVENT_JSON_H

#include "base/buf.h"
#include "event_compare.h"
#include "event_scan.h"
#include "event_settings.h"

/** Adds tacho.events.summary.v1 and a line feed. Sorts the values of the stages. */
void tch_events_summary_json(struct tch_buf *b, const struct tch_stages *stages,
                             const struct tch_scan_counts *total);

struct tch_events_comparison {
    const char *paths[2];
    struct tch_event_side sides[2]; /**< A and B */
    struct tch_event_comparison result;
};

/** Adds tacho.events.compare.v1 and a line feed. Returns 0 or TACHO_ENOMEM. */
int tch_events_comparison_json(struct tch_buf *b, const struct tch_events_comparison *c,
                               tacho_error *err);

/*
 * tacho.events.validate.v1, written as the files are read: begin, then for each file its name, its
 * errors and its counts, then the end.
 */
void tch_validate_json_begin(struct tch_buf *b);
void tch_validate_json_file(struct tch_buf *b, const char *path);
void tch_validate_json_error(struct tch_buf *b, const tacho_error *why);
void tch_validate_json_file_end(struct tch_buf *b, bool readable, const struct tch_scan_counts *c,
                                uint64_t listed);
void tch_validate_json_end(struct tch_buf *b, const tacho_event_groups *groups, bool valid);

#endif
