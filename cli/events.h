/*
 * What the sub-commands of `tacho events` share. Each is a file events_<name>.c.
 */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include <tacho/event.h>

#include "event/scan.h"
#include "opt.h"

extern const struct cmd cmd_events_canon;
extern const struct cmd cmd_events_compare;
extern const struct cmd cmd_events_emit;
extern const struct cmd cmd_events_follow;
extern const struct cmd cmd_events_import;
extern const struct cmd cmd_events_summary;
extern const struct cmd cmd_events_validate;

/** The descriptor of a file, or of stdin for "-"; -1 after a complaint. */
int events_open(const char *path);

/** Closes what events_open() gave. */
void events_close(int fd);

/** The value of --jobs, 1 to TCH_SCAN_THREADS; 0 after a complaint about it. */
unsigned events_jobs(const struct args *args, const char *value);

/** Without --jobs: one thread a CPU that this process may use, at most 4. */
unsigned events_default_jobs(void);

#define EVENTS_JOBS_HELP "threads to read with; one a CPU, at most 4, unless given"

/** "line 3: why" for people: tch_scan's bad(), with the path of the file as ctx, on stderr. */
void events_warn_bad(void *path, const tacho_error *why);

#endif
