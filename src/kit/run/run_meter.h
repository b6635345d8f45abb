/*
 * Measures during a run: the memory and power of the command over time, and a server that the
 * commands use.
 *
 * A run that is shorter than one interval is never polled, so polling costs it nothing. Each poll
 * is a row of memory.csv and power.csv in the run folder. The CPU time of all polls is counted.
 */
#ifndef TCH_RUN_METER_H
#define TCH_RUN_METER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include <tacho/csv.h>
#include <tacho/memory.h>
#include <tacho/power.h>

#include "kit/power/power_origin.h"
#include "plan/run_plan.h"
#include "process/keeper.h"
#include "spawner/spawner.h"

/** Polls the commands and reads power, for all commands of a run. */
struct tch_run_meter {
    tacho_power *power; /**< NULL: no source, or another process already counts its energy */
    char label[192];    /**< names of its sources, for power.csv; "": not known yet */
    struct tch_power_origin origin;
    tacho_tree *tree; /**< process tree of the current run */
    pid_t pid;
    bool several;           /**< more than one process was seen in it */
    uint64_t tree_bytes;    /**< memory of all its processes at the last poll; 0: none was seen */
    uint64_t peak_bytes;    /**< exact peak of its only process; 0: not known */
    double begin_j;         /**< energy when it began; NAN: not known */
    uint64_t begin_dropped; /**< readings that had failed by then */
    uint64_t last_ns;       /**< CPU time of the last poll */
};

/** The files of one command, and what polling it cost. */
struct tch_run_timeline {
    tacho_csv *memory;
    tacho_csv *power;
    uint64_t polls;
    uint64_t polls_ns; /**< CPU time */
    uint64_t missed;   /**< polls that failed */
    tacho_error why;   /**< error of the first of these */
};

/**
 * Opens the power sources.
 *
 * @param source  "auto": all that the machine has, or none; "none"; or the name of one
 * @return 0, or the error of tacho_power_open() for a source given by name
 */
int tch_run_meter_open(struct tch_run_meter *m, const char *source, tacho_error *err);
void tch_run_meter_close(struct tch_run_meter *m);

/**
 * Measures the idle power of the machine for plan->idle_ns, if there is a power source.
 *
 * @return 0, or 1 if it was stopped
 */
int tch_run_meter_idle(struct tch_run_meter *m, const struct tch_run_plan *plan,
                       const volatile sig_atomic_t *stop);

/** Returns the energy in joules since the meter was opened, at the last poll; NAN when it is not
    known, or without a source. */
double tch_run_meter_joules(const struct tch_run_meter *m);

/** Returns the number of intervals with failed readings since the meter was opened. */
uint64_t tch_run_meter_dropped(const struct tch_run_meter *m);

/** Creates the files in a folder, memory.csv with these columns; power.csv only if there is a power
 * source. */
int tch_run_timeline_open(struct tch_run_timeline *t, const struct tch_run_meter *m,
                          const char *folder, enum tch_csv_columns columns, tacho_error *err);

/** Flushes and closes the files. Returns the first error of any row. */
int tch_run_timeline_close(struct tch_run_timeline *t, tacho_error *err);

/** Call these right before a run, while process `pid` runs, and right after the run. */
void tch_run_meter_begin(struct tch_run_meter *m);
void tch_run_meter_poll(struct tch_run_meter *m, pid_t pid, struct tch_run_timeline *t);
void tch_run_meter_end(struct tch_run_meter *m, struct tch_run_timeline *t,
                       struct tch_run_sample *sample);

/** The server beside the runs: started once, polled, stopped at the end. */
struct tch_run_server {
    struct tch_keeper keeper;
    int log_fd; /**< file that receives the output of the server */
    tacho_tree *tree;
    tacho_csv *memory;
    tacho_tree_sample last;  /**< the last poll */
    uint64_t peak_rss_bytes; /**< largest sum over its tree in all polls */
    uint64_t begin_cpu_ns;   /**< CPU time of its tree when it was ready */
    double ready_s;          /**< seconds from its start until it was ready */

    tacho_csv *power; /**< NULL: there is no power source */
    double joules;    /**< its share of the energy since it was ready */
    struct {
        uint64_t cpu_ns;         /**< CPU time of its tree when the run began */
        uint64_t peak_rss_bytes; /**< largest sum over its tree in the polls of the run */
        double joules;
        uint64_t dropped; /**< tch_run_meter_dropped() when the run began */
    } run;                /**< the current run */
    uint64_t dropped;     /**< tch_run_meter_dropped() when it was ready */
    struct {
        uint64_t ns;
        uint64_t cpu_ns;  /**< CPU time of its tree */
        uint64_t busy_ns; /**< time that the CPUs were busy */
        double joules;    /**< energy of the machine */
    } mark;               /**< values when the current share began */
};

/**
 * Starts plan->server by sh -c in its own process group. Its output goes to FOLDER/server.log, its
 * memory over time to FOLDER/server-memory.csv. Call tch_run_server_stop() in any case.
 */
int tch_run_server_start(struct tch_run_server *s, const struct tch_run_plan *plan,
                         const char *folder, tacho_error *err);

/** Marks the start of a run, at which the machine had used so many joules and lost so many readings
    of power. */
void tch_run_server_begin_run(struct tch_run_server *s, double joules, uint64_t dropped);

/** Sets the fields of the server for the run that ended. Returns false if the server has exited. */
bool tch_run_server_end_run(struct tch_run_server *s, double joules, uint64_t dropped,
                            double field[TCH_FIELDS]);

/**
 * Waits until the server is ready: until a line of its output matches plan->ready, or, if that is a
 * number, until that port of this machine accepts connections. The server is measured from then on.
 *
 * @param stop  not 0: stop waiting; may be NULL
 * @return 0, 1 if it was stopped, TACHO_EINVAL, TACHO_EIO (also if the server exits before it is
 * ready), TACHO_ELIMIT if it is not ready in time
 */
int tch_run_server_await(struct tch_run_server *s, const struct tch_run_plan *plan,
                         const volatile sig_atomic_t *stop, tacho_error *err);

/**
 * Begins to compute the server's share of the machine's energy by CPU time, for
 * FOLDER/server-power.csv.
 *
 * @param joules  energy of the machine, counted from any moment; NAN: not known yet
 */
int tch_run_server_power_begin(struct tch_run_server *s, const char *folder, double joules,
                               tacho_error *err);

/** Adds the share since the last call, unless joules is NAN. Writes a row at most every 100 ms,
   because CPU time is counted in ticks. */
void tch_run_server_power(struct tch_run_server *s, double joules, bool last);

/** Polls the process tree of the server. Returns 1 while it runs, 0 after it has exited. */
int tch_run_server_poll(struct tch_run_server *s);

/** Sends SIGTERM to the server's process group, SIGKILL after the grace time, and closes the
    files. */
void tch_run_server_stop(struct tch_run_server *s);

#endif
