/*
 * What is in a recording: counts that its header does not have, and the document of `tacho trace
 * info`.
 */
#ifndef TCH_RECORDING_INFO_H
#define TCH_RECORDING_INFO_H

#include "base/buf.h"
#include "lib/trace/recording_events.h"
#include "lib/trace/recording_file.h"

struct tch_recording_counts {
    uint64_t others; /**< events that are no spans */
    uint64_t last_ns;
};

/** Reads all events. 0 or a negative code. */
int tch_recording_count(struct tch_recording *r, struct tch_recording_counts *counts,
                        tacho_error *err);

uint64_t tch_recording_duration(const struct tch_recording *r,
                                const struct tch_recording_counts *counts);
uint32_t tch_recording_names(const struct tch_recording *r);

/** Adds when the recording began, "2024-05-01T12:00:00Z". */
void tch_recording_add_start(struct tch_buf *b, const struct tch_recording *r);

/** Adds tacho.trace.info.v1 and a line feed. */
void tch_recording_json(struct tch_buf *b, const struct tch_recording *r,
                        const struct tch_recording_counts *counts);

#endif
