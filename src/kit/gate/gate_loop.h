/*
 * The gate: runs benches, judges them together, and measures suspects again before it says FAIL.
 *
 *     tch_gate_prepare(&sides, &ask, &watch);        // checkout and builds: gate_sides.h
 *     tch_gate_open(&g, &settings, &how, &err);      // plans and run folders of the chosen benches
 *     tch_gate_judge(&g, &sides, line, &watch);      // runs, verdicts and notes: gate_judge.c
 *     tch_gate_write(&g, &report, &watch);           // page and files: gate_report.h
 *     tch_gate_save(&g, false, &err);                // baselines
 *     tch_gate_close(&g);
 *     tch_gate_sides_remove(&sides, root, &watch);
 *
 * The loop of tch_gate_run() measures, judges, and makes more runs where the verdict is open.
 * Interim analyses follow after runs, 2 runs, 4 runs … up to max_runs. They share alpha
 * (kit/stats/spending.h), so several analyses raise no more false alarms than one. A bench is
 * measured again while a row other than a suspect is open, and none FAILs. A suspect is a row that
 * looks worse, and only fresh runs decide whether it FAILs: gate_fresh.c.
 *
 * This is the face of src/kit/gate/.
 */
#ifndef TCH_GATE_LOOP_H
#define TCH_GATE_LOOP_H

#include "bench_settings.h"
#include "kit/judge/baseline.h"
#include "kit/judge/calibration.h"
#include "kit/judge/findings.h"
#include "kit/run/run.h"

/** The command that compares without a baseline, for advice. */
#define TCH_GATE_INTERLEAVE "tacho gate --against REF --build CMD"

/** Options of the gate. */
struct tch_gate_how {
    const char *root;    /**< the folder of tacho.yaml, absolute */
    const char *against; /**< the same folder of another commit; NULL: compare with baselines */
    const char *against_name;          /**< display name of that commit */
    const struct tch_settings *before; /**< settings of that commit; NULL or empty: not known */
    bool itself;             /**< `against` is the root: the sides are BENCH-a and BENCH-b */
    bool alone;              /**< that commit cannot be run: measure our side alone */
    const char *out;         /**< parent of the run folders */
    const char *const *only; /**< names of benches, NULL-terminated; NULL: all */
    uint64_t runs;           /**< at the first analysis; 0: as tacho.yaml says */
    uint64_t max_runs;       /**< 0: as tacho.yaml says */
    double session_spread;   /**< for tch_findings.session_spread */
    bool measure_only;       /**< save a baseline: judge nothing */
    bool any_command;        /**< the baselines may be those of other commands */
    bool replace;   /**< save baselines that replace the earlier ones, without reading those */
    bool plan_only; /**< only print the plan: open nothing */
    bool require_baseline; /**< a missing baseline is a problem */
    bool quiet;            /**< do not warn of tolerances that are too small */
};

struct tch_gate_bench {
    struct tch_bench *bench;
    struct tch_run_plan plan;
    struct tch_run_command commands[2]; /**< with `against`, that side comes first */
    char *names[2];                     /**< owned */
    char *cwd[2];                       /**< owned */
    struct tch_run run;
    bool opened;
    bool settled;      /**< needs no more runs */
    bool failed;       /**< could not be measured, so it is not judged */
    uint64_t fresh;    /**< runs of the fresh block; 0: no row is a suspect */
    const char *alone; /**< word for rows with nothing to compare with: "new"; or NULL */
    struct tch_baseline baseline;
    bool has_baseline;
    struct tch_calibration calibration; /**< empty: there is no usable one */
    unsigned planned;                   /**< number of planned analyses */
    struct tch_analyses analyses;       /**< analyses so far; rows point to it */
    size_t first_row;                   /**< index of its first row in the findings */
    size_t row_count;
};

struct tch_gate {
    const struct tch_settings *settings;
    struct tch_gate_how how;
    struct tch_gate_bench *benches;
    size_t count;
    char *machine_class;
    struct tch_findings findings;
    unsigned analysis;   /**< number of analyses made */
    bool no_baseline;    /**< at least one bench has nothing to compare with */
    bool lacks_baseline; /**< a required one, so nothing is run */
    bool judged_nothing; /**< although nothing failed */
    size_t unjudged;     /**< problems that are not failures: nothing usable to compare with */
    bool interrupted;
};

/** Callbacks. tch_gate_run() needs `run` only. All other functions need all of them. */
struct tch_gate_watch {
    struct tch_run_watch run;
    /** Is called before each bench is measured. */
    void (*begin)(void *ctx, const struct tch_gate_bench *bench, uint64_t runs, unsigned analysis);
    /** Is called when the last run is made. */
    void (*end)(void *ctx);
    /** Is called before each build. which: display name of the side. */
    void (*build)(void *ctx, const char *which, const char *line);
    /** Reports a failure that does not end the gate: what failed and, if not NULL, why. */
    void (*complain)(void *ctx, const tacho_error *why, const char *what);
    void (*warn)(void *ctx, const char *text);
    /** Shows the last lines that a failed build or bench printed. */
    void (*quote)(void *ctx, const char *text);
    void *ctx;
};

/** Opens a gate. The caller closes g in any case. */
int tch_gate_open(struct tch_gate *g, const struct tch_settings *s, const struct tch_gate_how *how,
                  tacho_error *err);

/**
 * Measures and judges. A bench that cannot be measured is a problem of g->findings, and the others
 * are judged. A bench that can be run on our side only is measured alone, with a note. After an
 * interrupt the rows of the previous analysis remain.
 *
 * @return 0, also after an interrupt, or TACHO_ENOMEM
 */
int tch_gate_run(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err);

/** Warns of tolerances that cannot PASS with nothing changed, and of those that are smaller than
   the changes this machine can see. Call it before the first run. */
void tch_gate_warn_of_sight(const struct tch_gate *g, const struct tch_gate_watch *watch);

/** Returns the session spread between the baseline and these runs. */
double tch_gate_session_spread(const struct tch_gate *g, const struct tch_gate_bench *b,
                               const struct tch_metric *q, const struct tch_budget *budget);

/** Returns the factor from which on a metric that became worse FAILs against a baseline; 0: any, as
    the session spread was measured on TCH_SPREAD_DAYS days, or the user gave it. */
double tch_gate_obvious(const struct tch_gate *g, const struct tch_gate_bench *b,
                        const struct tch_metric *q, const struct tch_budget *budget);

/** Says in the rows of a bench that would FAIL if the session spread was known which command
    decides. */
void tch_gate_name_deciding(struct tch_findings *f, const struct tch_gate_bench *b);

/** Names the benches without a baseline, or with an old one. If the gate judged nothing, sets
    g->judged_nothing, and adds a problem to its findings and complains of it, so that it does not
    look as if it had passed. */
void tch_gate_note_unjudged(struct tch_gate *g, const struct tch_gate_watch *watch);

/** Names the benches that only the other commit has. before: its settings. */
void tch_gate_note_removed(struct tch_gate *g, const struct tch_settings *before);

/** Returns whether a bench has a tolerance, so that it needs something to compare with. */
bool tch_gate_needs_baseline(const struct tch_gate_bench *b);

/** Returns on how many occasions a metric of a bench was measured, from its baseline and its
    calibrations. */
size_t tch_gate_occasions(const struct tch_gate_bench *b, const struct tch_metric *q,
                          const struct tch_budget *budget);

/** Reads the calibration of a bench. Adds a note if it cannot be used. Returns 0 or
    TACHO_ENOMEM. */
int tch_gate_read_calibration(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err);

/** Runs the benches by tch_gate_run(), and writes results and reports of the runs. Complains of
    benches that could not be measured, which are problems of g->findings, and quotes what they
    printed last. Returns 0, or a negative code after a complaint. */
int tch_gate_run_all(struct tch_gate *g, const struct tch_gate_watch *watch);

/**
 * Runs a whole gate, whose g->findings can be reported then: names the sides, checks that required
 * baselines exist, warns of tolerances that are too small, runs the benches, and adds notes.
 *
 * @param reproduce  the command that repeats the gate, for the report; NULL: memory ran out
 * @param sides      the other commit and what failed in preparing it
 * @return 0, or a negative code after a complaint
 */
struct tch_gate_sides;
int tch_gate_judge(struct tch_gate *g, const struct tch_gate_sides *sides, const char *reproduce,
                   const struct tch_gate_watch *watch);

/** Writes the results of all runs. */
int tch_gate_finish(struct tch_gate *g, tacho_error *err);
void tch_gate_close(struct tch_gate *g);

/** Adds the measured runs to the baselines, each file atomically. With `promote` the new occasion
    becomes the reference. */
int tch_gate_save(struct tch_gate *g, bool promote, tacho_error *err);

/** Writes the path of the folder of all baselines. root: the folder of tacho.yaml. Returns
    TACHO_ELIMIT if the path is too long. */
int tch_gate_baselines(const struct tch_settings *s, const char *root, char dir[PATH_MAX],
                       tacho_error *err);

/** Writes the path of a bench's baseline, which need not exist. */
int tch_gate_baseline_path(const struct tch_gate *g, const struct tch_gate_bench *b,
                           char path[PATH_MAX], tacho_error *err);

/** Returns how many analyses there are if the runs double from `runs` up to `most`. */
unsigned tch_gate_analyses(uint64_t runs, uint64_t most);

/** Opens the runs of a bench again, for our side alone. `why` is the word that its rows show. */
int tch_gate_reopen_alone(struct tch_gate *g, struct tch_gate_bench *b, const char *why,
                          tacho_error *err);

/** Returns how many runs of each side were made. */
uint64_t tch_gate_runs_made(const struct tch_gate_bench *b);

/** Makes the runs of a bench that are due. A failure is a problem of g->findings. Returns 0 or
    TACHO_ENOMEM. */
int tch_gate_measure(struct tch_gate *g, struct tch_gate_bench *b,
                     const struct tch_gate_watch *watch, tacho_error *err);

/** Adds the rows of a bench to f. before: the other side; ignored against a baseline. */
int tch_gate_add_rows(const struct tch_gate *g, struct tch_findings *f,
                      const struct tch_gate_bench *b, const struct tch_result *before,
                      const struct tch_result *own, tacho_error *err);

/** Returns whether fresh runs have to decide about a row: it FAILs, or it is of pairs and looks
    worse. */
bool tch_gate_is_suspect(const struct tch_gate *g, const struct tch_verdict_row *row);

/**
 * Runs each bench with a suspect again, in a fresh block, and judges the suspects by that block
 * alone. What FAILed is INCONCLUSIVE after an interrupt, or if its bench fails now.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_gate_confirm(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err);

/** Returns the result of a bench's own side. */
const struct tch_result *tch_gate_result(const struct tch_gate_bench *b);

/**
 * Profiles a bench that FAILed. Takes the stacks of the calls whose exact counts FAILed, in extra
 * runs of both sides, and adds notes that compare them with those of the other commit, or with
 * those that the baseline has. Complains of a profile that cannot be made, which does not change
 * the verdict.
 *
 * @return whether OUT/flamegraph-diff-BENCH.svg was drawn
 */
bool tch_gate_profile(struct tch_gate *g, struct tch_gate_bench *b,
                      const struct tch_gate_watch *watch);

/** Adds what a gate would do, for a gate that was opened with plan_only. commit: the one to compare
    with; empty without --against. */
struct tch_gate_ask;
struct tch_gate_commit;
void tch_gate_add_plan(struct tch_buf *b, const struct tch_gate *g, const struct tch_gate_ask *ask,
                       const struct tch_gate_commit *commit);

#endif
