/*
 * Shared by the files of `tacho gate` and `tacho baseline`.
 */
#ifndef CLI_CMD_GATE_PARTS_H
#define CLI_CMD_GATE_PARTS_H

#include <limits.h>

#include "cli/core/opt.h"
#include "kit/gate/gate_loop.h"
#include "kit/vcs/worktree.h"

extern const struct cmd cmd_gate_init;

/* The files of cli/judge/init, for `tacho gate init`. */
extern const char cli_init_settings[];
extern const size_t cli_init_settings_len;
extern const char cli_init_github[];
extern const size_t cli_init_github_len;
extern const char cli_init_gitlab[];
extern const size_t cli_init_gitlab_len;

enum { GATE_PROBLEM = 400 };

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
    char *build_shown;   /**< owned: the build command with secrets masked; NULL: no build */
    char root[PATH_MAX]; /**< the folder of the file, absolute */
};

/** Returns options with defaults, or NULL after a complaint. */
struct gate_options *cli_gate_options_new(void);

/** Frees options; accepts NULL. */
void cli_gate_options_free(struct gate_options *o);

/** Finds and reads tacho.yaml. Returns EXIT_OK, or EXIT_WORK after a complaint. */
int cli_gate_read_settings(struct gate_options *o);

/** Checks that --runs is not above --max-runs. Returns EXIT_OK, or the status of wrong usage. */
int cli_gate_check_runs(const struct gate_options *o, const struct args *args);

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
        .name = "out", .letter = 'o', .arg = "DIR",                                              \
        .help = "folder for run folders (default tacho-out)", .complete = COMPLETE_DIR,          \
        CLI_TEXT(struct gate_options, out)                                                       \
    }

/** Runs the benches with a progress line, and writes results and reports of the runs. Complains of
    benches that could not be measured; they are problems of g->findings. Returns EXIT_OK, or
    EXIT_WORK after a complaint. */
int cli_gate_measure(struct tch_gate *g, const struct args *args);

/** The other commit, checked out beside ours. */
struct against {
    struct tch_worktree tree;
    char root[PATH_MAX]; /**< folder of tacho.yaml in it, whether or not the file exists */
    char commit[64];
    char name[128];               /**< display name: "origin/main (0123456789ab)" */
    struct tch_settings settings; /**< its own tacho.yaml; empty: it cannot be read */
};

/** Runs --build, or `build` of the settings, in a folder, if there is a build command. `which` is
    the display name of the folder. The output goes to OUT/log_name. Returns EXIT_OK, or EXIT_WORK
    after a complaint, which is copied to `problem`. */
int cli_gate_build(const struct gate_options *o, const struct args *args, const char *folder,
                   const char *which, const char *log_name, char problem[GATE_PROBLEM]);

/** Checks the commit out into a git worktree. Returns EXIT_OK, or EXIT_WORK after a complaint,
    which is copied to `problem`. Call cli_against_remove() in any case. */
int cli_against_checkout(struct against *a, const struct gate_options *o,
                         char problem[GATE_PROBLEM]);
void cli_against_remove(struct against *a, const char *root);

/** Names the benches without a baseline, or with an old one. If the gate judged nothing, adds a
    problem to its findings, so that it does not look as if it had passed. Returns whether it judged
    nothing. */
bool cli_gate_note_unjudged(struct tch_gate *g);

/** Names the benches that only the other commit has. before: its settings. */
void cli_gate_note_removed(struct tch_gate *g, const struct tch_settings *before);

/** Checks that all output files can be written. Returns EXIT_OK, or EXIT_WORK after a complaint. */
int cli_gate_check_outputs(const struct gate_options *o);

/** Writes all results of the gate. Returns EXIT_OK, or EXIT_WORK after a complaint. */
int cli_gate_report(struct tch_gate *g, const struct gate_options *o, const struct args *args);

#endif
