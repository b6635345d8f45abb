/* tacho events: lists its sub-commands. */
#include "cli/cmds.h"
#include "cmd_events_parts.h"

static const struct cmd *const subs[] = {
    &cmd_events_canon,  &cmd_events_compare, &cmd_events_emit,     &cmd_events_follow,
    &cmd_events_import, &cmd_events_summary, &cmd_events_validate, NULL,
};

static const struct example examples[] = {
    {"tacho events validate profile.jsonl", "Check every line of the file."},
    {"tacho events summary profile.jsonl", "Show where the time went."},
    {"tacho events compare before.jsonl after.jsonl", "Show what became faster or slower."},
    {NULL, NULL},
};

static const struct man_item variables[] = {
    {"TACHO_PROFILE_JSONL",
     "File that 'tacho events emit' and programs linked with libtacho append events to."},
    {"TACHO_RUN_DIR", "Folder for that file if TACHO_PROFILE_JSONL is not set."},
    {NULL, NULL},
};

const struct cmd cmd_events = {
    .name = "events",
    .summary = "validate, summarise, compare and import profile events",
    .usage = "tacho events COMMAND [OPTIONS] [ARGUMENTS]",
    .about =
        "A profile event is one line of JSON that says how long each stage of one step of a "
        "program took. Programs write events with <tacho/event.h>. 'tacho events import' makes "
        "events from log lines such as '[unified-prof] ... total=28000us'.",
    .examples = examples,
    .subs = subs,
    .variables = variables,
};
