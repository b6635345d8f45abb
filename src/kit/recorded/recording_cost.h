/*
 * Measures what recording costs a program, with libtacho's own recorders: one record of each kind,
 * and the start and the end of one recording of spans. A program may use other recorders, arguments
 * or more threads, so this is only an estimate.
 */
#ifndef TCH_RECORDING_COST_H
#define TCH_RECORDING_COST_H

#include <stdbool.h>

enum {
    TCH_COST_RECORDING, /**< what a process takes longer that starts and ends a recording */
    TCH_COST_SPAN,
    TCH_COST_EVENT,
    TCH_COST_LATENCY,
    TCH_COSTS
};

struct tch_recording_cost {
    bool wanted[TCH_COSTS];
    double ns[TCH_COSTS]; /**< NAN: not known */
};

/** Measures the costs that are wanted in a child process, because a recorder belongs to the whole
    process. It writes to a temporary folder in `parent`, because the start of a recording takes
    longer on some file systems than on others; NULL: in $TMPDIR. A cost that cannot be measured
    stays unknown. */
void tch_recording_cost_measure(struct tch_recording_cost *ret, const char *parent);

#endif
