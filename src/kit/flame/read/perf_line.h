/*
 * Parses one line of `perf script`. Widths differ from version to version, so it is split at blanks
 * and never at columns.
 */
#ifndef TCH_PERF_LINE_H
#define TCH_PERF_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame_name.h"

/** The line that a sample starts with. */
struct tch_perf_event {
    struct tch_span comm;
    struct tch_span pid; /**< empty when only the thread is given */
    struct tch_span tid;
    struct tch_span name; /**< of the event, without the colon; empty when there is none */
    struct tch_span rest; /**< after it: nothing, a tracepoint's text, or one frame */
    uint64_t time_ns;     /**< 0 when there is none */
    uint64_t period;      /**< 1 when there is none */
    bool has_time;
};

/** One frame. */
struct tch_perf_frame {
    struct tch_span ip;
    struct tch_span symbol; /**< without the offset */
    struct tch_span dso;    /**< empty when there is none */
    bool inlined;
};

/** Return false when the line is something else. The spans point into it. */
bool tch_perf_event(struct tch_span line, struct tch_perf_event *ret);
bool tch_perf_frame(struct tch_span line, struct tch_perf_frame *ret);

/** "main.c:12" or "main.c:12 (inlined)", with any blanks around it, which follows a frame with -F
   +srcline; *ret is empty where perf knew no line. */
bool tch_perf_source(struct tch_span line, struct tch_span *ret, bool *inlined);

/** Returns whether two events are the same, apart from modifiers such as ":u" or ":ppp". */
bool tch_perf_same_event(struct tch_span a, struct tch_span b);

#endif
