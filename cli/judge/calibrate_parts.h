/*
 * Shared by the files of `tacho calibrate`.
 */
#ifndef CLI_CALIBRATE_PARTS_H
#define CLI_CALIBRATE_PARTS_H

#include <limits.h>

#include "cli/core/opt.h"
#include "cli/run/run_options.h"
#include "kit/gate/gate_loop.h"
#include "kit/judge/calibration.h"
#include "kit/report/report.h"

/** A metric to calibrate. */
struct calibrate_metric {
    const char *name;
    double quantile;
    const struct tch_budget *budget; /**< of the bench; NULL: the default */
};

/** The options of `tacho calibrate`, and its results. */
struct calibrate {
    /** Options of a command; first, so that --name and the like apply to it. */
    struct run_options run;
    uint64_t time_ns;
    uint64_t pairs; /**< 0: as many as the time allows */
    double alpha;
    const char *config; /**< --config; NULL: tacho.yaml */
    const char *bench;  /**< --bench; NULL: a command, or two runs */
    const char *html;   /**< NULL: OUT/calibrate-BENCH.html */
    bool no_save;
    struct calibrate_metric of[TCH_CALIBRATION_METRICS];
    size_t of_count;

    char name[NAME_MAX + 1]; /**< name of the bench */
    char root[PATH_MAX];     /**< folder that contains .tacho */
    char page[PATH_MAX];
    char path[PATH_MAX]; /**< path of the calibration's file; "": not saved */
    char machine_class[256];
    /** Baseline of the bench, whose occasions count, too; or empty. */
    struct tch_baseline baseline;
    struct tch_calibrating metrics[TCH_CALIBRATION_METRICS];
    size_t count;
    const struct tch_run *made;  /**< the runs, for their warnings; NULL: they existed before */
    struct tch_calibration kept; /**< all known occasions; this calibration is the last */
};

/** Run the command or the bench against itself, or read two existing runs, then call
    cli_calibrate_from() with the two results. Return EXIT_OK, or another status after a complaint.
 */
int cli_calibrate_command(struct calibrate *c, const struct args *args);
int cli_calibrate_bench(struct calibrate *c, const struct args *args);
int cli_calibrate_runs(struct calibrate *c, const struct args *args);

/** Computes, saves, draws and prints the calibration from two runs of the same command. Returns
    EXIT_OK, or another status after a complaint. */
int cli_calibrate_from(struct calibrate *c, const struct tch_result *a, const struct tch_result *b,
                       const struct args *args);

/** Adds the calibration as text for the terminal. */
void cli_add_calibration(struct tch_buf *b, const struct term *term, const struct calibrate *c,
                         bool quiet);

#endif
