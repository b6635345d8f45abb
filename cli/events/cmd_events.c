/* tacho events: the list of its sub-commands. */
#include "cli/cmds.h"
#include "cmd_events_parts.h"

static const struct cmd *const subs[] = {
    &cmd_events_canon,  &cmd_events_compare, &cmd_events_emit,     &cmd_events_follow,
    &cmd_events_import, &cmd_events_summary, &cmd_events_validate, NULL,
};

static const struct example examples[] = {
    {"tacho events validate profile.jsonl", "Is every line of the file sound?"},
    {"tacho events summary profile.jsonl", "Where did the time go?"},
    {"tacho events compare before.jsonl after.jsonl", "Is that better than before?"},
    {NULL, NULL},
};

static const struct man_item variables[] = {
    {"TACHO_PROFILE_JSONL",
     "The file that 'tacho events emit' and programs linked with libtacho append to."},
    {"TACHO_RUN_DIR", "The folder for them where that is not set."},
    {NULL, NULL},
};

const struct cmd cmd_events = {
    .name = "events",
    .summary = "validate, summarise, compare and import profile events",
    .usage = "tacho events COMMAND [OPTIONS] [ARGUMENTS]",
    .about = "A profile event is one line of JSON that says how long each stage of one step of a "
             "program took. Programs write them with <tacho/event.h>; engines that log lines such "
             "as '[unified-prof] ... total=28000us' are read by 'tacho events import'.",
    .examples = examples,
    .subs = subs,
    .variables = variables,
};
