/*
 * The parts of the spawner, the small process, and its messages to and from tacho. For the files
 * of this folder only.
 *
 * What is resident here when a command starts counts as the command's own memory, and the kernel
 * maps 64 KB around every page of a library that is touched. So the work of each run uses system
 * calls alone; everything else is done before the first run.
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
    char *file[TCH_SPAWNER_LANE_FILES]; /**< of env; NULL: the user has set it */
    char folder[TCH_SPAWNER_LANE_PATH]; /**< of the current run */
    unsigned number;                    /**< of the folder */
    bool empty;                         /**< it is there, and nothing was put into it */
};

/** Makes the environment, before the first run. 0 or TACHO_ENOMEM. */
int tch_spawner_lane_init(struct tch_spawner_lane *lane, const struct tch_target *target);

/**
 * Makes the folder of a run and names it in the environment; the second is called after the run.
 *
 * A folder that is still empty is used for the next run, because making one each time would cost as
 * much as the spawn. It is renamed to the number of the run that first wrote into it.
 *
 * @return 0, or -1 with errno
 */
int tch_spawner_lane_enter(struct tch_spawner_lane *lane, unsigned run);
void tch_spawner_lane_leave(struct tch_spawner_lane *lane, unsigned run);

/** Removes an empty folder, after the last run. */
void tch_spawner_lane_close(const struct tch_spawner_lane *lane);

/** Writes a run's line of samples.jsonl. 0, or -1 with errno. */
int tch_spawner_log(int fd, const struct tch_run_sample *sample);

/** A mapped part of a file that is only read and has no page of our own. */
struct tch_spawner_mapping {
    uintptr_t start;
    size_t len;
};

/** Finds up to `room` of them in the text of /proc/PID/smaps. Returns how many. */
size_t tch_spawner_mappings(FILE *smaps, struct tch_spawner_mapping *pieces, size_t room);

/** Drops pages of code and constants that are not needed any more, and resets the peak. */
void tch_spawner_shrink(void);

/** Write text or a number of at least `digits` digits. Both return the end, where a NUL is. */
char *tch_spawner_put_text(char *at, const char *text);
char *tch_spawner_put_number(char *at, uint64_t number, int digits);

/** Memory that tacho and the spawner share. */
struct tch_spawner_shared {
    _Atomic pid_t child;
    _Atomic uint64_t began_ns; /* of the child's run */
    _Atomic uint64_t cpu_ns;
    _Atomic pid_t polled_pid; /* the child that the next two fields describe */
    _Atomic uint64_t polled_tree_bytes;
    _Atomic uint64_t polled_peak_bytes;
    _Atomic pid_t server;  /* process group that is killed when tacho dies; 0: none */
    atomic_bool closing;   /* tacho is done with the spawner; else an end of file means its death */
    _Atomic uint32_t done; /* completed runs of the request: so many `samples` are set */
    struct tch_run_sample samples[TCH_JOBS_MAX];
};

/** A request for runs, or, with a count of 0, for new outputs of the target jobs[0].index: their
    descriptors come along, and no reply follows. */
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

/** Runs in the spawner. Serves requests until the socket is closed. */
_Noreturn void tch_spawner_serve(int fd, pid_t parent, struct tch_spawner_shared *shared,
                                 const struct tch_run_plan *plan, const struct tch_target *targets);

#endif
