/*
 * The parts of the spawner and its messages to and from tacho. Only for the files of this folder.
 *
 * Pages that are resident in the spawner when a command starts count as the command's own memory,
 * and the kernel maps 64 KB around every page of a library that is touched. The work between two
 * runs therefore uses only system calls. Everything else is done before the first run.
 */
#ifndef TCH_SPAWNER_PARTS_H
#define TCH_SPAWNER_PARTS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

#include "spawner.h"

enum {
    TCH_SPAWNER_LANE_FILES = 5,
    TCH_SPAWNER_LANE_PATH = PATH_MAX + 64,
};

/** A target with its environment, and the folder of its current run. */
struct tch_spawner_lane {
    const struct tch_target *target;
    const char **env;
    char *file[TCH_SPAWNER_LANE_FILES]; /**< strings in env that contain a path; NULL: the user has
                                           set the variable */
    char folder[TCH_SPAWNER_LANE_PATH]; /**< folder of the current run */
    unsigned number;                    /**< number of the folder */
    bool empty;                         /**< the folder exists and is empty */
};

/** Builds the environment, before the first run. Returns 0 or TACHO_ENOMEM. */
int tch_spawner_lane_init(struct tch_spawner_lane *lane, const struct tch_target *target);

/**
 * tch_spawner_lane_enter() creates the folder of a run and puts its path into the environment. Call
 * tch_spawner_lane_leave() after the run.
 *
 * A folder that is still empty is used for the next run, because creating one each time would cost
 * as much as the spawn. It is renamed to the number of the run that first wrote into it.
 *
 * @return 0, or -1 with errno
 */
int tch_spawner_lane_enter(struct tch_spawner_lane *lane, unsigned run);
void tch_spawner_lane_leave(struct tch_spawner_lane *lane, unsigned run);

/** Removes an empty folder, after the last run. */
void tch_spawner_lane_close(const struct tch_spawner_lane *lane);

/** Copies the keys of the numbers, before the first run. The table of metrics is spread over pages
    that must not be touched between two runs. */
void tch_spawner_log_init(void);

/** Writes a run's line of samples.jsonl. Returns 0, or -1 with errno. */
int tch_spawner_log(int fd, const struct tch_run_sample *sample);

/** A mapping of a file that is only read and has no private page. */
struct tch_spawner_mapping {
    uintptr_t start;
    size_t len;
};

/** Finds up to `room` such mappings in the text of /proc/PID/smaps. Returns their number. */
size_t tch_spawner_mappings(FILE *smaps, struct tch_spawner_mapping *pieces, size_t room);

/** Drops pages of code and constants that are not needed any more, and resets the peak. */
void tch_spawner_shrink(void);

/** Write a text, or a number of at least `digits` digits. Both return the end, where they wrote a
    NUL. */
char *tch_spawner_put_text(char *at, const char *text);
char *tch_spawner_put_number(char *at, uint64_t number, int digits);

/** Memory that tacho and the spawner share. */
struct tch_spawner_shared {
    _Atomic pid_t child;
    _Atomic uint64_t began_ns; /* when the child's run began */
    _Atomic uint64_t cpu_ns;
    _Atomic pid_t polled_pid; /* the child that the next two fields describe */
    _Atomic uint64_t polled_tree_bytes;
    _Atomic uint64_t polled_peak_bytes;
    /* tacho closes the spawner; without this, an end of file means that tacho died. */
    atomic_bool closing;
    _Atomic uint32_t done; /* completed runs of the request; this many `samples` are set */
    struct tch_run_sample samples[TCH_JOBS_MAX];
};

/** A request for runs. With a count of 0, a request to replace the outputs of the target
    jobs[0].index: their descriptors are sent along, and no reply follows. */
struct tch_spawner_request {
    size_t count;
    struct tch_job jobs[TCH_JOBS_MAX];
    bool renew[2]; /* standard output, standard error */
};

/** Sent by the spawner when it is ready, then once per request, after the last run. */
struct tch_spawner_reply {
    int code;
    tacho_error err;
};

/** Runs in the spawner: serves requests until the socket is closed. */
_Noreturn void tch_spawner_serve(int fd, pid_t parent, struct tch_spawner_shared *shared,
                                 const struct tch_run_plan *plan, const struct tch_target *targets);

#endif
