/*
 * The sub-commands of `tacho events`, one file per sub-command (cmd_events_<name>.c), and what they
 * share.
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

/** Opens a file, or stdin for "-". Returns its descriptor, or -1 after an error message. */
int cli_events_open(const char *path);

/** Closes a descriptor that cli_events_open() returned. */
void cli_events_close(int fd);

/** Returns the number of threads without --jobs: one per CPU that this process may use, at most
    4. */
unsigned cli_events_default_jobs(void);

_Static_assert(TCH_SCAN_THREADS == 64, "the rule of --jobs says 64");

/** The option --jobs, for an unsigned field. */
#define EVENTS_JOBS_OPT(type, field)                                                            \
    {                                                                                           \
        .name = "jobs", .letter = 'j', .arg = "N",                                              \
        .help = "read with N threads (1 to 64, default: one per CPU, at most 4)",               \
        .set = CLI_SET(type, field, .kind = TCH_SET_U32, .least = 1, .most = TCH_SCAN_THREADS), \
        .rule = "--jobs needs a number from 1 to 64"                                            \
    }

/** The options --by and --event. */
#define EVENTS_BY_OPT(type, field)                                                            \
    {                                                                                         \
        .name = "by", .arg = "SHAPE_KEY",                                                     \
        .help = "group events by the value of this key of their shape", CLI_TEXT(type, field) \
    }
#define EVENTS_EVENT_OPT(type, field)                                          \
    {                                                                          \
        .name = "event", .arg = "E", .help = "use only events with this name", \
        CLI_TEXT(type, field)                                                  \
    }

extern const char *const cli_events_booleans[];

/** Parses "false" or "true" into the bool that the option is bound to. */
int cli_events_take_boolean(void *into, const struct args *args, const struct opt *opt);

/** The options for the fields that all events of a process share. config is a tacho_event_config in
    the struct, graph a bool. */
/* NOLINTBEGIN(bugprone-macro-parentheses): config is the beginning of a designator */
#define EVENTS_META_OPTS(type, config, graph)                                               \
    {.name = "commit-sha",                                                                  \
     .arg = "S",                                                                            \
     .help = "set the commit of the program",                                               \
     CLI_TEXT(type, config.commit_sha)},                                                    \
        {.name = "concurrency",                                                             \
         .arg = "N",                                                                        \
         .help = "set the number of concurrent requests (default 1)",                       \
         .set = CLI_SET(type, config.concurrency, .kind = TCH_SET_U32, .most = UINT32_MAX), \
         .rule = "--concurrency needs a number from 1 to 4294967295"},                      \
        {.name = "env-hash",                                                                \
         .arg = "H",                                                                        \
         .help = "set the hash of the environment, sha256:...",                             \
         CLI_TEXT(type, config.env_hash)},                                                  \
        {.name = "graph-enabled",                                                           \
         .arg = "BOOL",                                                                     \
         .help = "set whether compute graphs were used, true or false (default false)",     \
         .choices = cli_events_booleans,                                                    \
         .set = CLI_SET(type, graph, .kind = TCH_SET_FLAG),                                 \
         .take = cli_events_take_boolean},                                                  \
        {.name = "model",                                                                   \
         .arg = "M",                                                                        \
         .help = "set the name of the model",                                               \
         CLI_TEXT(type, config.model)},                                                     \
    {                                                                                       \
        .name = "runtime-flags", .arg = "JSON",                                             \
        .help = "set the runtime flags, a JSON object (default {})",                        \
        CLI_TEXT(type, config.runtime_flags)                                                \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/**
 * Calls tch_scan_fd() for a file, or for stdin if path is "-", and warns about lines that are not
 * events; the first ones are named by number. The caller fills threads, workers and event() of
 * scan.
 *
 * @return EXIT_OK even if lines are invalid, or EXIT_WORK after an error message
 */
int cli_events_scan(const char *path, struct tch_scan scan, struct tch_scan_counts *counts);

/** Adds the counts of one file to those of all files. */
void cli_events_add_counts(struct tch_scan_counts *total, const struct tch_scan_counts *file);

enum { EVENTS_COMPARE_MAX = 64 << 20 }; /* largest output, in bytes */

/** Adds the comparison as text. Returns 0 or TACHO_ENOMEM. */
int cli_events_compare_text(struct tch_buf *b, const struct tch_events_comparison *c,
                            const struct term *term, tacho_error *err);

#endif
