/*
 * What a run held in memory and drew in power while it went on, looked at from outside.
 *
 * A run that ends within one interval is never looked at: then looking costs it nothing. Each look
 * is a row of memory.csv and power.csv in the run folder; what all looks cost is counted.
 */
#ifndef TCH_RUN_TIMELINE_H
#define TCH_RUN_TIMELINE_H

#include <stdbool.h>
#include <sys/types.h>

#include <tacho/csv.h>
#include <tacho/memory.h>
#include <tacho/power.h>

#include "run_sample.h"

enum { TCH_POWER_WHY = 232 };

/** For all commands. */
struct tch_run_meter {
    tacho_power *power; /**< NULL: no source */
    char source[128];   /**< their names */
    char why[TCH_POWER_WHY];
    tacho_tree *tree; /**< of the run that goes on */
    pid_t pid;
    bool several;        /**< processes were seen in it */
    uint64_t tree_bytes; /**< of all its processes at the last poll; 0: none was seen */
    uint64_t peak_bytes; /**< of its only process, exact; 0: not known */
    double begin_j;      /**< when it began */
    uint64_t looks;
    uint64_t cost_ns; /**< CPU time */
    uint64_t last_ns; /**< of the last look */
};

/** The files of one command. */
struct tch_run_timeline {
    tacho_csv *memory;
    tacho_csv *power;
};

/**
 * @param source  "auto": what the machine has, and none is fine; "none"; or one that must be there
 * @return 0, or what tacho_power_open() said of a source asked for by name
 */
int tch_run_meter_open(struct tch_run_meter *m, const char *source, tacho_error *err);
void tch_run_meter_close(struct tch_run_meter *m);

/** Joules since it was opened, as of the last look; NAN without a source. */
double tch_run_meter_joules(const struct tch_run_meter *m);

/** Makes the files in a folder; power.csv only where there is power. */
int tch_run_timeline_open(struct tch_run_timeline *t, const struct tch_run_meter *m,
                          const char *folder, tacho_error *err);

/** Writes the rest. The first failure of any row is told here. */
int tch_run_timeline_close(struct tch_run_timeline *t, tacho_error *err);

/** Right before a run, while process `pid` goes on, and right after it. */
void tch_run_meter_begin(struct tch_run_meter *m);
void tch_run_meter_look(struct tch_run_meter *m, pid_t pid, struct tch_run_timeline *t);
void tch_run_meter_end(struct tch_run_meter *m, struct tch_run_timeline *t,
                       struct tch_run_sample *sample);

#endif
