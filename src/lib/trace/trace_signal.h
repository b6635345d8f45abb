/*
 * The thread that flushes on a signal.
 */
#ifndef TCH_TRACE_SIGNAL_H
#define TCH_TRACE_SIGNAL_H

/** Resets the thread that flushes on a signal, in a child made by fork. */
void tch_trace_signal_forked(void);

#endif
