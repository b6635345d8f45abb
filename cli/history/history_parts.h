/*
 * Declares what the sub-commands of tacho history share: the options of those that read, and the
 * loop over the series that they name.
 */
#ifndef CLI_HISTORY_PARTS_H
#define CLI_HISTORY_PARTS_H

#include "cli/core/opt.h"
#include "kit/history/history.h"

struct history_job {
    const char *store; /**< NULL: found from the working directory */
    const char *branch;
    const char *machine_class;
    bool dirty;
    bool all;
};

extern const struct cmd cmd_history_add;
extern const struct cmd cmd_history_log;
extern const struct cmd cmd_history_show;
extern const struct cmd cmd_history_trend;

/** Options of log, show and trend. */
extern const struct opt cli_history_opts[];

/** The argument BENCH[.METRIC]. */
extern const struct arg cli_history_args[];

/** Opens the store. `path` receives its place, for messages. Prints an error and returns an exit
    status. */
int cli_history_open(struct tch_store *store, const char *where, bool create, char path[PATH_MAX]);

/** Receives each series that was asked for. Returns an exit status; others than EXIT_OK end the
    loop. */
typedef int history_each(void *ctx, const struct tch_history *h,
                         const struct tch_commit_order *order);

/**
 * Parses the options, opens the store and calls `each` for the series. With --json, it writes a
 * tacho.history.v1 instead, with or without points.
 *
 * @return an exit status, after an error message if it is not EXIT_OK
 */
int cli_history_each(struct args *args, bool points, history_each *each, void *ctx);

#endif
