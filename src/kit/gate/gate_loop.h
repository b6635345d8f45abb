/*
 * The gate: runs benches, judges them together, and measures suspects again before it says FAIL.
 *
 *     tch_gate_open(&g, &settings, &how, &err);   // plans and run folders of the chosen benches
 *     tch_gate_run(&g, &watch, &err);             // measure, judge, run again what is open
 *     tch_gate_finish(&g, &err);                  // results
 *     ...                                         // use g.findings
 *     tch_gate_close(&g);
 *
 * Interim analyses follow after runs, 2 runs, 4 runs … up to max_runs. They share alpha
 * (kit/stats/spending.h), so several analyses raise no more false alarms than one. A bench is
 * measured again while a row is open and none FAILs. Before the gate says FAIL, it runs the
 * suspects again: gate_fresh.c.
 */
#ifndef TCH_GATE_LOOP_H
#define TCH_GATE_LOOP_H

#include "bench_settings.h"
#include "kit/judge/baseline.h"
#include "kit/judge/calibration.h"
#include "kit/judge/findings.h"
#include "kit/run/run.h"

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
};

struct tch_gate_bench {
    struct tch_bench *bench;
    struct tch_run_plan plan;
    struct tch_run_command commands[2]; /**< with `against`, that side comes first */
    char *names[2];                     /**< owned */
    char *cwd[2];                       /**< owned */
    struct tch_run run;
    bool opened;
    bool settled; /**< needs no more runs */
    bool failed;  /**< could not be measured, so it is not judged */
    bool suspect; /**< a row FAILed at an analysis, so the bench is run again in a fresh block */
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
    unsigned analysis; /**< number of analyses made */
    bool no_baseline;  /**< at least one bench has nothing to compare with */
    size_t unjudged;   /**< problems that are not failures: nothing usable to compare with */
    bool interrupted;
};

/** Tolerances that cannot PASS with nothing changed, however many runs are made, because the
    baseline is of another session. */
struct tch_gate_blind {
    size_t count;
    const char *bench; /**< bench of the first such tolerance */
    char title[TCH_METRIC_TEXT];
    double tolerance;
    double spread; /**< session spread */
    double reach;  /**< reach of the interval, from tch_session_reach() */
};

/** Callbacks; begin is called before each bench is measured. */
struct tch_gate_watch {
    struct tch_run_watch run;
    void (*begin)(void *ctx, const struct tch_gate_bench *bench, uint64_t runs, unsigned analysis);
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

/** Finds the tolerances that are smaller than the session term, before the first run. */
void tch_gate_find_blind(const struct tch_gate *g, struct tch_gate_blind *ret);

/** Finds the tolerances of benches against another commit that are smaller than the smallest
    visible change of their calibrations, before the first run. */
void tch_gate_find_unseen(const struct tch_gate *g, struct tch_unseen *ret);

/** Returns whether a bench has a tolerance, so that it needs something to compare with. */
bool tch_gate_needs_baseline(const struct tch_gate_bench *b);

/** Returns how many occasions of a bench are known, from its baseline and its calibrations. */
size_t tch_gate_occasions(const struct tch_gate_bench *b);

/** Reads the calibration of a bench. Adds a note if it cannot be used. Returns 0 or
    TACHO_ENOMEM. */
int tch_gate_read_calibration(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err);

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

/**
 * Runs each bench with a FAIL again, in a fresh block of as many runs, and judges the suspects by
 * that block alone. A suspect is INCONCLUSIVE after an interrupt, or if its bench fails now.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_gate_confirm(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err);

/** Returns the result of a bench's own side. */
const struct tch_result *tch_gate_result(const struct tch_gate_bench *b);

/**
 * Takes the stacks of the calls whose exact counts FAILed, in extra runs of both sides, and adds
 * notes that compare them with those of the other commit, or with those that the baseline has.
 *
 * @param stop  not 0: stop now; may be NULL
 * @return like tch_run_take_stacks()
 */
int tch_gate_take_stacks(struct tch_gate *g, struct tch_gate_bench *b,
                         const volatile sig_atomic_t *stop, tacho_error *err);

#endif
