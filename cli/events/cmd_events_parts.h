/*
 * What the sub-commands of `tacho events` share. Each is a file events_<name>.c.
 */
#ifndef CLI_CMD_EVENTS_PARTS_H
#define CLI_CMD_EVENTS_PARTS_H

#include <tacho/event.h>

#include "cli/core/opt.h"
#include "kit/event/event_json.h"
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

/** Without --jobs: one thread a CPU that this process may use, at most 4. */
unsigned cli_events_default_jobs(void);

_Static_assert(TCH_SCAN_THREADS == 64, "the rule of --jobs says 64");

/** The option --jobs, for an unsigned field. */
#define EVENTS_JOBS_OPT(type, field)                                                            \
    {                                                                                           \
        .name = "jobs", .letter = 'j', .arg = "N",                                              \
        .help = "threads to read with; one a CPU, at most 4, unless given",                     \
        .set = CLI_SET(type, field, .kind = TCH_SET_U32, .least = 1, .most = TCH_SCAN_THREADS), \
        .rule = "--jobs is a number from 1 to 64"                                               \
    }

/** The options --by and --event. */
#define EVENTS_BY_OPT(type, field)                                                                 \
    {                                                                                              \
        .name = "by", .arg = "SHAPE_KEY",                                                          \
        .help = "tell events apart by the value of this key of their shape", CLI_TEXT(type, field) \
    }
#define EVENTS_EVENT_OPT(type, field)                                                              \
    {                                                                                              \
        .name = "event", .arg = "E", .help = "only the events of this name", CLI_TEXT(type, field) \
    }

extern const char *const cli_events_booleans[];

/** Takes "false" or "true" into the bool that the option is bound to. */
int cli_events_take_boolean(void *into, const struct args *args, const struct opt *opt);

/** The options for what the events of a process have in common: config is a tacho_event_config of
    the struct, graph a bool. */
/* NOLINTBEGIN(bugprone-macro-parentheses): config is the beginning of a designator */
#define EVENTS_META_OPTS(type, config, graph)                                                    \
    {.name = "commit-sha", .arg = "S", .help = "the commit", CLI_TEXT(type, config.commit_sha)}, \
        {.name = "concurrency",                                                                  \
         .arg = "N",                                                                             \
         .help = "requests at a time; 1 unless known",                                           \
         .set = CLI_SET(type, config.concurrency, .kind = TCH_SET_U32, .most = UINT32_MAX),      \
         .rule = "--concurrency is a number from 1 to 4294967295"},                              \
        {.name = "env-hash",                                                                     \
         .arg = "H",                                                                             \
         .help = "the hash of the environment, sha256:...",                                      \
         CLI_TEXT(type, config.env_hash)},                                                       \
        {.name = "graph-enabled",                                                                \
         .arg = "BOOL",                                                                          \
         .help = "whether graphs were used; false unless given",                                 \
         .choices = cli_events_booleans,                                                         \
         .set = CLI_SET(type, graph, .kind = TCH_SET_FLAG),                                      \
         .take = cli_events_take_boolean},                                                       \
        {.name = "model", .arg = "M", .help = "the model", CLI_TEXT(type, config.model)},        \
    {                                                                                            \
        .name = "runtime-flags", .arg = "JSON", .help = "an object; {} unless known",            \
        CLI_TEXT(type, config.runtime_flags)                                                     \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/**
 * tch_scan_fd() of a file, or of stdin for "-", with warnings about its lines that are no events:
 * the first ones by number. scan has threads, workers and event().
 *
 * @return EXIT_OK however bad the lines are, or EXIT_WORK after a complaint
 */
int cli_events_scan(const char *path, struct tch_scan scan, struct tch_scan_counts *counts);

/** Adds the counts of one file to those of all files. */
void cli_events_add_counts(struct tch_scan_counts *total, const struct tch_scan_counts *file);

enum { EVENTS_COMPARE_MAX = 64 << 20 }; /* bytes of what is printed */

/** Adds the text. 0 or TACHO_ENOMEM. */
int cli_events_compare_text(struct tch_buf *b, const struct tch_events_comparison *c,
                            const struct term *term, tacho_error *err);

#endif
