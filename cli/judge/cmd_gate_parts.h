/*
 * Shared by the files of `tacho gate` and `tacho baseline`.
 */
#ifndef CLI_CMD_GATE_PARTS_H
#define CLI_CMD_GATE_PARTS_H

#include <limits.h>

#include "cli/core/opt.h"
#include "cli/core/progress.h"
#include "kit/gate/gate_sides.h"

extern const struct cmd cmd_gate_init;

/* The files of cli/judge/init, for `tacho gate init`. */
extern const char cli_init_settings[];
extern const size_t cli_init_settings_len;
extern const char cli_init_github[];
extern const size_t cli_init_github_len;
extern const char cli_init_gitlab[];
extern const size_t cli_init_gitlab_len;

/** Options of `tacho gate` and `tacho baseline save`. */
struct gate_options {
    const char *config; /**< --config; NULL: tacho.yaml */
    const char *out;
    const char *only[TCH_BENCHES_MOST + 1]; /**< --bench */
    size_t only_count;
    uint64_t runs;
    uint64_t max_runs;
    double session_spread; /**< NAN: not given */

    const char *against; /**< commit as git knows it; NULL: compare with baselines */
    bool exact;          /**< compare with that commit itself, not with the merge base */
    const char *build;
    const char *md;
    const char *junit;
    const char *prometheus;
    const char *json;
    const char *badge;
    const char *html;
    const char *link;
    bool flame;
    bool dry_run;
    bool list;
    double suspicious; /**< replaces that of the settings; 0: not given */
    bool require_baseline;
    bool save;
    bool fail_on_warn;

    const char *from; /**< baseline save: a run folder; NULL: measure now */
    bool promote;
    bool replace;

    struct tch_settings settings;
    char *build_shown;       /**< owned: the build command with secrets masked; NULL: no build */
    char root[PATH_MAX];     /**< the folder of the file, absolute */
    struct tch_gate_ask ask; /**< where the sides come from, for tch_gate_prepare() */
};

/** Returns options with defaults, or NULL after a complaint. */
struct gate_options *cli_gate_options_new(void);

/** Parses the options of a command line, and checks that --runs is not above --max-runs. Returns
    EXIT_OK, or another status after a complaint. The caller frees *ret in any case. */
int cli_gate_options_parse(struct gate_options **ret, struct args *args);

/** Frees options; accepts NULL. */
void cli_gate_options_free(struct gate_options *o);

/** Finds and reads tacho.yaml, and sets o->ask. Returns EXIT_OK, or EXIT_WORK after a complaint. */
int cli_gate_read_settings(struct gate_options *o);

/** Parses --bench. */
int cli_gate_take_bench(void *into, const struct args *args, const struct opt *opt);

#define GATE_RUNS_OPT(field)                                                                 \
    .set = CLI_SET(struct gate_options, field, .kind = TCH_SET_U64, .least = TCH_RUNS_LEAST, \
                   .most = TCH_RUNS_MAX, .wants = "a number of at least 6")

/** Options of both commands. */
#define GATE_COMMON_OPTS                                                                         \
    {.name = "config",                                                                           \
     .letter = 'c',                                                                              \
     .arg = "FILE",                                                                              \
     .help = "read the settings from FILE (default tacho.yaml)",                                 \
     .complete = COMPLETE_FILE,                                                                  \
     CLI_TEXT(struct gate_options, config)},                                                     \
        {.name = "build",                                                                        \
         .arg = "CMD",                                                                           \
         .help = "run CMD by sh -c to build before measuring (default: 'build' of the "          \
                 "settings; true: do not build)",                                                \
         CLI_TEXT(struct gate_options, build)},                                                  \
        {.name = "bench",                                                                        \
         .letter = 'b',                                                                          \
         .arg = "NAME",                                                                          \
         .help = "run only this bench; may be given several times",                              \
         .complete = COMPLETE_BENCH,                                                             \
         .take = cli_gate_take_bench},                                                           \
        {.name = "runs",                                                                         \
         .letter = 'n',                                                                          \
         .arg = "N",                                                                             \
         .help = "runs of each side at the first analysis (default: 'runs' of the settings)",    \
         GATE_RUNS_OPT(runs)},                                                                   \
        {.name = "max-runs",                                                                     \
         .arg = "N",                                                                             \
         .help = "runs of each side at the last analysis (default: 'max_runs' of the settings)", \
         GATE_RUNS_OPT(max_runs)},                                                               \
    {                                                                                            \
        .name = "out-dir", .letter = 'o', .arg = "DIR",                                          \
        .help = "folder for run folders (default tacho-out)", .complete = COMPLETE_DIR,          \
        CLI_TEXT(struct gate_options, out)                                                       \
    }

/** Shows a gate on the terminal. */
struct gate_watcher {
    struct progress progress;
    const struct args *args;
    char what[128];
    uint64_t before; /**< runs made before this analysis */
};

/** Returns callbacks that show progress and complaints. They use w, which they initialise, and
    args. SIGINT stops the gate from now on. */
struct tch_gate_watch cli_gate_watch(struct gate_watcher *w, const struct args *args);

#endif
