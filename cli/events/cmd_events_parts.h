/*
 * What the sub-commands of `tacho events` share. Each is a file events_<name>.c.
 */
#ifndef CLI_CMD_EVENTS_PARTS_H
#define CLI_CMD_EVENTS_PARTS_H

#include <tacho/event.h>

#include "cli/core/opt.h"
#include "kit/event/event_scan.h"

extern const struct cmd cmd_events_canon;
extern const struct cmd cmd_events_compare;
extern const struct cmd cmd_events_emit;
extern const struct cmd cmd_events_follow;
extern const struct cmd cmd_events_import;
extern const struct cmd cmd_events_summary;
extern const struct cmd cmd_events_validate;

/** The descriptor of a file, or of stdin for "-"; -1 after a complaint. */
int cli_events_open(const char *path);

/** Closes what cli_events_open() gave. */
void cli_events_close(int fd);

/** The value of --jobs, 1 to TCH_SCAN_THREADS; 0 after a complaint about it. */
unsigned cli_events_jobs(const struct args *args, const char *value);

/** Without --jobs: one thread a CPU that this process may use, at most 4. */
unsigned cli_events_default_jobs(void);

#define EVENTS_JOBS_HELP "threads to read with; one a CPU, at most 4, unless given"

/** What the events of a process have in common, as options; those of cli_events_meta_option(). */
enum {
    EVENTS_COMMIT_SHA = 100,
    EVENTS_CONCURRENCY,
    EVENTS_ENV_HASH,
    EVENTS_GRAPH_ENABLED,
    EVENTS_MODEL,
    EVENTS_RUNTIME_FLAGS,
};

extern const char *const cli_events_booleans[];

#define EVENTS_META_OPTS                                                               \
    {.id = EVENTS_COMMIT_SHA, .name = "commit-sha", .arg = "S", .help = "the commit"}, \
        {.id = EVENTS_CONCURRENCY,                                                     \
         .name = "concurrency",                                                        \
         .arg = "N",                                                                   \
         .help = "requests at a time; 1 unless known"},                                \
        {.id = EVENTS_ENV_HASH,                                                        \
         .name = "env-hash",                                                           \
         .arg = "H",                                                                   \
         .help = "the hash of the environment, sha256:..."},                           \
        {.id = EVENTS_GRAPH_ENABLED,                                                   \
         .name = "graph-enabled",                                                      \
         .arg = "BOOL",                                                                \
         .help = "whether graphs were used; false unless given",                       \
         .choices = cli_events_booleans},                                              \
        {.id = EVENTS_MODEL, .name = "model", .arg = "M", .help = "the model"},        \
    {                                                                                  \
        .id = EVENTS_RUNTIME_FLAGS, .name = "runtime-flags", .arg = "JSON",            \
        .help = "an object; {} unless known"                                           \
    }

/** Takes one of these options into config; EXIT_OK, or EXIT_USAGE after a complaint. */
int cli_events_meta_option(const struct args *args, int id, tacho_event_config *config,
                           bool *graph_enabled);

/**
 * tch_scan_fd() of a file, or of stdin for "-", with warnings about its lines that are no events:
 * the first ones by number. scan has threads, workers and event().
 *
 * @return EXIT_OK however bad the lines are, or EXIT_WORK after a complaint
 */
int cli_events_scan(const char *path, struct tch_scan scan, struct tch_scan_counts *counts);

#endif
