/*
 * What tests of traces share: a process that records, and what is in a recording.
 */
#ifndef TEST_TRACE_SEEN_H
#define TEST_TRACE_SEEN_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/trace/recording_file.h"

/** Starts the child program with TACHO_TRACE_OUT (may be NULL) and more variables ("A=b", ended by
    NULL; may be NULL); its standard output goes to *out where that is not NULL. */
pid_t seen_start(const char *trace_out, const char *const *variables, const char *const *args,
                 int *out);

/** Waits and returns the status as waitpid() gives it. */
int seen_wait(pid_t pid);

/** Both; ends the test unless the child ends with 0. The first line it prints goes to line (64
    bytes) where that is not NULL. */
void seen_run(const char *trace_out, const char *const *variables, const char *const *args,
              char *line);

/** Events of one recording by name. Fails the test when it cannot be read or has damage. */
struct seen {
    struct tch_recording r; /**< what the walk counted; closed */
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

/** The one name in the folder of the test that ends so, as a path; NULL when there is none. */
const char *seen_find(const char *ending);

#endif
