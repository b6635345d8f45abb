/*
 * The parts of the spawner, the small process. Included by spawner_*.c only.
 *
 * Its memory counts: what is resident here when a command starts is counted as the command's own,
 * and the kernel maps 64 KB around every place of a library that is touched. So what happens once a
 * run is done by system calls alone; what needs more is done before the first.
 */
#ifndef TCH_SPAWNER_PARTS_H
#define TCH_SPAWNER_PARTS_H

#include <limits.h>
#include <stdio.h>

#include "spawner.h"

enum {
    TCH_SPAWNER_LANE_FILES = 3,
    TCH_SPAWNER_LANE_PATH = PATH_MAX + 64,
};

/** A target with all that can be made before, and the folder that its program is told of. */
struct tch_spawner_lane {
    const struct tch_target *target;
    const char **env;
    char *file[TCH_SPAWNER_LANE_FILES]; /**< of env; NULL: the user has set it */
    char folder[TCH_SPAWNER_LANE_PATH]; /**< of the run that goes on */
    unsigned number;                    /**< of the folder */
    bool empty;                         /**< it is there, and nothing was put into it */
};

/** Before the first run: the environment. 0 or TACHO_ENOMEM. */
int tch_spawner_lane_init(struct tch_spawner_lane *lane, const struct tch_target *target);

/**
 * Around each run: its folder is there, and named in the environment.
 *
 * One into which no run has put anything is used again, as making and removing one each time would
 * cost as much as the spawn's own work; it gets the number of the run that did put something there.
 *
 * @return 0, or -1 with errno
 */
int tch_spawner_lane_enter(struct tch_spawner_lane *lane, unsigned run);
void tch_spawner_lane_leave(struct tch_spawner_lane *lane, unsigned run);

/** After the last: a folder that is empty goes. */
void tch_spawner_lane_close(const struct tch_spawner_lane *lane);

/** Writes a run's line of samples.jsonl. 0, or -1 with errno. */
int tch_spawner_log(int fd, const struct tch_run_sample *sample);

/** Part of a file that is mapped and only read, with no page of our own in it. */
struct tch_spawner_mapping {
    uintptr_t start;
    size_t len;
};

/** The first of them, at most `room`, in the text of /proc/PID/smaps; how many. */
size_t tch_spawner_mappings(FILE *smaps, struct tch_spawner_mapping *pieces, size_t room);

/** Lets go of code and constants that were used before and will not be again, and forgets the
    peak. */
void tch_spawner_shrink(void);

/** Both return the end, where a NUL is. `digits`: at least so many. */
char *tch_put_text(char *at, const char *text);
char *tch_put_number(char *at, uint64_t number, int digits);

#endif
