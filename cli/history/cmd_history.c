/* tacho history: results over time. */
#include "cli/cmds.h"
#include "history_parts.h"

static const struct cmd *const subs[] = {&cmd_history_add, &cmd_history_log, &cmd_history_show,
                                         &cmd_history_trend, NULL};

static const struct man_item files[] = {
    {TCH_STORE_FILE, "The store: an SQLite database, found in the working directory or above."},
    {NULL, NULL},
};

const struct cmd cmd_history = {
    .name = "history",
    .summary = "keep results over time, and find since when they changed",
    .usage = "tacho history COMMAND ...",
    .about = "Keeps run folders in a store, orders them by the commits of a branch, and finds the "
             "commits at which the level of a metric changed.",
    .files = files,
    .subs = subs,
};
