/*
 * The gate: runs benches, judges them together, looks again before it blames.
 *
 *     tch_gate_open(&g, &settings, &how, &err);   plans and run folders of the chosen benches
 *     tch_gate_run(&g, &watch, &err);             measure, judge, more runs where it is not clear
 *     tch_gate_finish(&g, &err);                  receipts
 *     ...                                         g.findings
 *     tch_gate_close(&g);
 *
 * Looks are at runs, 2 runs, 4 runs … up to max_runs. They share alpha (kit/stats/spending.h), so
 * that looking often is no way to an alarm. A bench is measured again while a row is open and none
 * FAILs. Before the gate says FAIL, it runs the suspects again: gate_fresh.c.
 */
#ifndef TCH_GATE_LOOP_H
#define TCH_GATE_LOOP_H

#include "baseline.h"
#include "bench_settings.h"
#include "calibration.h"
#include "findings.h"
#include "kit/run/run.h"

/** How the gate compares. */
struct tch_gate_how {
    const char *root;         /**< the folder of tacho.yaml, absolute */
    const char *against;      /**< the same folder of another commit; NULL: the baselines */
    const char *against_name; /**< of that commit, for people */
    bool itself;              /**< `against` is the root: the sides are BENCH-a and BENCH-b */
    bool alone;               /**< that commit cannot be run: our own side is measured alone */
    const char *out;          /**< where run folders go */
    const char *const *only;  /**< names of benches, NULL-ended; NULL: all */
    uint64_t runs;            /**< at the first look; 0: as tacho.yaml says */
    uint64_t max_runs;        /**< 0: as tacho.yaml says */
    double session_spread;    /**< that of tch_findings */
    bool measure_only;        /**< for saving a baseline: nothing is judged */
    bool replace;             /**< to save baselines that replace the earlier ones, unread */
    bool plan_only;           /**< only to say what would be done: nothing is opened */
};

struct tch_gate_bench {
    struct tch_bench *bench;
    struct tch_run_plan plan;
    struct tch_run_command commands[2]; /**< with `against` that one is the first */
    char *names[2];                     /**< owned */
    char *cwd[2];                       /**< owned */
    struct tch_run run;
    bool opened;
    bool settled;      /**< no more runs */
    bool failed;       /**< could not be measured: it is not judged */
    bool suspect;      /**< something FAILed at a look: it is run again in a fresh block */
    const char *alone; /**< a word for rows with nothing to compare with: "new"; or NULL */
    struct tch_baseline baseline;
    bool has_baseline;
    struct tch_calibration calibration; /**< empty: there is none that can be used */
    unsigned planned;                   /**< looks */
    struct tch_looks looks;             /**< made so far; rows refer to it */
    size_t first_row;                   /**< of its rows in the findings */
    size_t row_count;
};

struct tch_gate {
    const struct tch_settings *settings;
    struct tch_gate_how how;
    struct tch_gate_bench *benches;
    size_t count;
    char *machine_class;
    struct tch_findings findings;
    unsigned look;    /**< how many were made */
    bool no_baseline; /**< of at least one bench there is nothing to compare with */
    size_t unjudged;  /**< problems that are not failures: nothing usable to compare with */
    bool interrupted;
};

/** Tolerances that do not PASS if nothing changed, however many runs are made: the baseline is of
    another session. */
struct tch_gate_blind {
    size_t count;
    const char *bench; /**< of the first one */
    char title[TCH_QUANTITY_TEXT];
    double tolerance;
    double spread; /**< by which sessions are taken to differ */
    double reach;  /**< of the interval, that of tch_session_reach() */
};

/** Tolerances that are smaller than what the machine sees of interleaved runs. */
struct tch_gate_unseen {
    size_t count;
    const char *bench; /**< of the first one */
    char title[TCH_QUANTITY_TEXT];
    double tolerance;
    uint64_t runs;   /**< at the last look */
    double sees;     /**< with so many runs */
    uint64_t needed; /**< runs that see the tolerance; 0: too many */
};

/** Callbacks of the caller; begin is called before each bench is measured. */
struct tch_gate_watch {
    struct tch_run_watch run;
    void (*begin)(void *ctx, const struct tch_gate_bench *bench, uint64_t runs, unsigned look);
    void *ctx;
};

/** g is closed by the caller in any case. */
int tch_gate_open(struct tch_gate *g, const struct tch_settings *s, const struct tch_gate_how *how,
                  tacho_error *err);

/**
 * Measures and judges. A bench that cannot be measured is a problem of g->findings, and the others
 * are judged. One that can be run on our own side only is measured alone, with a note. An interrupt
 * leaves the rows of the look before.
 *
 * @return 0 also then; or TACHO_ENOMEM
 */
int tch_gate_run(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err);

/** Finds the tolerances that are smaller than the session term, before the first run. */
void tch_gate_find_blind(const struct tch_gate *g, struct tch_gate_blind *ret);

/** Finds, of benches that are run against another commit, the tolerances that are smaller than what
    their calibrations say is seen, before the first run. */
void tch_gate_find_unseen(const struct tch_gate *g, struct tch_gate_unseen *ret);

/** Returns how many occasions are known of a bench: of its baseline and its calibrations. */
size_t tch_gate_occasions(const struct tch_gate_bench *b);

/** Reads the calibration of a bench. One that cannot be used is a note. 0 or TACHO_ENOMEM. */
int tch_gate_read_calibration(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err);

/** Writes the receipts of what was run. */
int tch_gate_finish(struct tch_gate *g, tacho_error *err);
void tch_gate_close(struct tch_gate *g);

/** Adds what was measured to the baselines; each file is whole or as before. With `promote` the new
    occasion becomes the reference. */
int tch_gate_save(struct tch_gate *g, bool promote, tacho_error *err);

/** The folder of all baselines. root: of tacho.yaml. TACHO_ELIMIT when that is too long. */
int tch_gate_baselines(const struct tch_settings *s, const char *root, char dir[PATH_MAX],
                       tacho_error *err);

/** Where the baseline of a bench is or would be. */
int tch_gate_baseline_path(const struct tch_gate *g, const struct tch_gate_bench *b,
                           char path[PATH_MAX], tacho_error *err);

/** Returns how many looks doubling from `runs` to `most` takes. */
unsigned tch_gate_looks(uint64_t runs, uint64_t most);

/** Opens the runs of a bench again, of our own side alone. `why` is a word for its rows. */
int tch_gate_reopen_alone(struct tch_gate *g, struct tch_gate_bench *b, const char *why,
                          tacho_error *err);

/** Returns how many runs of each side were made. */
uint64_t tch_gate_runs_made(const struct tch_gate_bench *b);

/** Makes the runs of a bench that are due. What fails is a problem of g->findings. 0, or
    TACHO_ENOMEM. */
int tch_gate_measure(struct tch_gate *g, struct tch_gate_bench *b,
                     const struct tch_gate_watch *watch, tacho_error *err);

/** Adds the rows of a bench to f. before: the other side; not used against a baseline. */
int tch_gate_add_rows(const struct tch_gate *g, struct tch_findings *f,
                      const struct tch_gate_bench *b, const struct tch_receipt *before,
                      const struct tch_receipt *own, tacho_error *err);

/**
 * Runs the benches of which something FAILs again, each in a fresh block of as many runs, and
 * judges what FAILed by that block alone. An interrupt, or a bench that fails now, leaves
 * INCONCLUSIVE.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_gate_confirm(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err);

/** The receipt of a bench's own side. */
const struct tch_receipt *tch_gate_receipt(const struct tch_gate_bench *b);

#endif
