/*
 * The open spans of threads.
 */
#ifndef TCH_TRACE_SPAN_H
#define TCH_TRACE_SPAN_H

/** Frees the calling thread's stack of open spans. */
void tch_trace_spans_release(void);

#endif
