/*
 * Shared by tests of traces: starts a process that records, and reads a recording.
 */
#ifndef TEST_TRACE_SEEN_H
#define TEST_TRACE_SEEN_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/trace/recording_file.h"

/** Starts the child program with TACHO_TRACE_OUT (may be NULL) and more variables ("A=b",
    terminated by NULL; may be NULL). Its standard output goes to *out when that is not NULL. */
pid_t seen_start(const char *trace_out, const char *const *variables, const char *const *args,
                 int *out);

/** Waits and returns the status of waitpid(). */
int seen_wait(pid_t pid);

/** Starts the child and waits for it. Fails the test unless the child exits with 0. Copies the
    first line that it prints to line (64 bytes) when that is not NULL. */
void seen_run(const char *trace_out, const char *const *variables, const char *const *args,
              char *line);

/** Events of one recording by name. Reading fails the test when the recording cannot be read or
    is damaged. */
struct seen {
    struct tch_recording r; /**< counts of the walk; closed */
    struct {
        char name[64];
        uint64_t begins, ends, unfinished, others;
    } names[64];
    size_t count;
};

void seen_read(struct seen *s, const char *recording);
uint64_t seen_spans(const struct seen *s, const char *name);
uint64_t seen_unfinished(const struct seen *s, const char *name);
uint64_t seen_others(const struct seen *s, const char *name);

/** Returns the path of the one file in the test's folder whose name ends like this, or NULL when
    there is none. */
const char *seen_find(const char *ending);

#endif
