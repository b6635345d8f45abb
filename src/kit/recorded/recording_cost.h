/*
 * Measures what one record costs a program, with libtacho's own recorders. A program may use other
 * recorders, arguments or more threads, so this is only an estimate.
 */
#ifndef TCH_RECORDING_COST_H
#define TCH_RECORDING_COST_H

#include <stdbool.h>

enum { TCH_COST_SPAN, TCH_COST_EVENT, TCH_COST_LATENCY, TCH_COSTS };

struct tch_recording_cost {
    bool wanted[TCH_COSTS];
    double ns[TCH_COSTS]; /**< NAN: not known */
};

/** Measures the costs that are wanted in a child process, because a recorder belongs to the whole
    process. It writes to a temporary folder. A cost that cannot be measured stays unknown. */
void tch_recording_cost_measure(struct tch_recording_cost *ret);

#endif
