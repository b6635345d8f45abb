/*
 * Writes the documents that `tacho trace` prints with --json, and provides the words that its texts
 * share with them.
 */
#ifndef TCH_TRACE_JSON_H
#define TCH_TRACE_JSON_H

#include "base/buf.h"
#include "lib/trace/recording_events.h"
#include "lib/trace/recording_file.h"
#include "trace_compare.h"
#include "trace_summary.h"
#include "trace_validate.h"

/** Names by enum tch_trace_summary_by, terminated by NULL. */
extern const char *const tch_trace_summary_by_names[];

/** Adds "Chrome JSON (array), gzip". */
void tch_model_add_kind(struct tch_buf *b, const struct tch_model *m);

/** Returns "new", "gone", "too few", "slower", "faster" or "no difference seen". */
const char *tch_compare_verdict(const struct tch_compare_row *row);

/** Returns whether both traces have spans with this name. */
bool tch_compare_in_both(const struct tch_compare_row *row);

/** Returns the number of known places of a finding. Only text files have byte offsets. */
size_t tch_finding_places(const struct tch_validation *v, const struct tch_finding *f);

/** Counts that the header of a recording does not contain. */
struct tch_recording_counts {
    uint64_t others; /**< events that are not spans */
    uint64_t last_ns;
};

/** Counts all events by reading them. Returns 0 or a negative code. */
int tch_recording_count(struct tch_recording *r, struct tch_recording_counts *counts,
                        tacho_error *err);

uint64_t tch_recording_duration(const struct tch_recording *r,
                                const struct tch_recording_counts *counts);
uint32_t tch_recording_names(const struct tch_recording *r);

/* Each function adds a document and a line feed. `top` limits the rows. */

void tch_trace_summary_json(struct tch_buf *b, const struct tch_trace_summary *s, const char *path,
                            size_t top);
void tch_trace_comparison_json(struct tch_buf *b, const struct tch_trace_comparison *c,
                               char *const *paths, size_t top);
void tch_validation_json(struct tch_buf *b, const struct tch_validation *v, const char *path);
void tch_trace_file_json(struct tch_buf *b, const struct tch_model *m, int64_t first, int64_t last,
                         const char *path);
void tch_recording_json(struct tch_buf *b, const struct tch_recording *r,
                        const struct tch_recording_counts *counts);

#endif
