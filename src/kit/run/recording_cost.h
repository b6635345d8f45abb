/*
 * Estimates what recording costs a program: the number of its records times the cost of one record,
 * which is measured here with libtacho's own recorders. A program may use other recorders,
 * arguments or more threads, so this is only an estimate.
 */
#ifndef TCH_RECORDING_COST_H
#define TCH_RECORDING_COST_H

#include <tacho/error.h>

#include "base/buf.h"
#include "run_sample.h"

enum { TCH_RECORDINGS = 3 }; /* spans, events, latencies */

/** Records that metrics are computed from. */
struct tch_recording_cost {
    double records[TCH_RECORDINGS]; /**< mean number of records per run; 0: not counted */
    double each_ns[TCH_RECORDINGS]; /**< NAN: not known */
};

/**
 * Counts the records in FOLDER/iter, of the kinds that the metrics use. Measures the cost of one
 * record in a child process, with files in a temporary folder.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM
 */
int tch_recording_cost_find(struct tch_recording_cost *ret, const struct tch_run_samples *samples,
                            const char *folder, tacho_error *err);

/** Returns whether there were any records. */
bool tch_recording_counted(const struct tch_recording_cost *cost);

/** Adds a text such as "1000 spans in each run cost about 25 us, 0.1% of the wall time (estimated:
    25 ns each, measured on this machine)". Adds nothing if nothing was counted. */
void tch_recording_cost_describe(struct tch_buf *b, const struct tch_recording_cost *cost,
                                 double wall_ns);

/** Keys of the two numbers of each kind in "costs" of run.json. */
extern const char *const tch_recording_keys[TCH_RECORDINGS][2];

#endif
