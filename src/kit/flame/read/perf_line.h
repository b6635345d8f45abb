/*
 * Parses one line of `perf script`. Column widths differ between versions, so lines are split at
 * blanks.
 */
#ifndef TCH_PERF_LINE_H
#define TCH_PERF_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text_span.h"

/** The first line of a sample. */
struct tch_perf_event {
    struct tch_span comm;
    struct tch_span pid; /**< empty if only the thread is given */
    struct tch_span tid;
    struct tch_span name; /**< name of the event, without the colon; empty if there is none */
    struct tch_span rest; /**< text after the event: empty, a tracepoint's text, or one frame */
    uint64_t time_ns;     /**< 0 if there is none */
    uint64_t period;      /**< 1 if there is none */
    bool has_time;
};

/** One frame. */
struct tch_perf_frame {
    struct tch_span ip;
    struct tch_span symbol; /**< without the offset */
    struct tch_span dso;    /**< empty if there is none */
    bool inlined;
};

/** Parse a line. Return false if the line is something else. The spans point into the line. */
bool tch_perf_event(struct tch_span line, struct tch_perf_event *ret);
bool tch_perf_frame(struct tch_span line, struct tch_perf_frame *ret);

/** Parses "main.c:12" or "main.c:12 (inlined)", which follows a frame with -F +srcline, ignoring
    blanks around it. *ret is empty if perf knew no line. */
bool tch_perf_source(struct tch_span line, struct tch_span *ret, bool *inlined);

/** Returns the name of an event without modifiers: "cycles" of "cycles:u". */
struct tch_span tch_perf_plain_event(struct tch_span name);

/** Returns whether two events are the same, apart from modifiers such as ":u" or ":ppp". */
bool tch_perf_same_event(struct tch_span a, struct tch_span b);

/** Guess the kind of the object that a frame's code is from, by the name of its file. */
bool tch_dso_is_kernel(struct tch_span dso);
bool tch_dso_is_jit(struct tch_span dso);

/** Removes the "L" before a Java class name in a map of compiled methods. */
struct tch_span tch_java_symbol(struct tch_span symbol);

#endif
