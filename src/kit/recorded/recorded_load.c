/* Reads a run folder, whether its run has ended, is in progress or was killed. */
#include "recorded_load.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "kit/file/found_file.h"
#include "recorded.h"

struct tch_result_end tch_recorded_end(enum tch_run_life life)
{
    bool going = life == TCH_RUN_GOING;

    struct tch_result_end end = {
        .state = going ? "running" : "recovered",
        .stopped = going ? "not yet" : "killed",
        .ended_unix_ns = tch_wall_ns(),
        .tacho_cpu_ns = NAN,
        .polls_cpu_ns = NAN,
        .power = {.status = "unavailable"},
    };

    snprintf(end.power.why_not, sizeof end.power.why_not, "not known: %s",
             going ? "still running" : "the run was killed");
    return end;
}

static bool is_locked(const char *folder, const char *name)
{
    int fd = tch_found_open(folder, name, NULL);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return locked;
}

/* Returns whether a run is in progress. A cell of a sweep (SWEEP/cells/NAME/ID) is in use as long
   as its sweep is. */
static bool is_going(const char *folder)
{
    char sweep[PATH_MAX];

    return is_locked(folder, "samples.jsonl") ||
           (snprintf(sweep, sizeof sweep, "%s/../../..", folder) < PATH_MAX &&
            is_locked(sweep, ".lock"));
}

int tch_recorded_load(struct tch_result *r, const char *folder, enum tch_run_life *life,
                      tacho_error *err)
{
    struct tch_recorded rec;
    struct tch_result_end end;
    int status = tch_result_load(r, folder, err);

    *life = TCH_RUN_ENDED;
    if (status < 0 || r->ended)
        return status;
    *life = is_going(folder) ? TCH_RUN_GOING : TCH_RUN_KILLED;
    end = tch_recorded_end(*life);
    tch_recorded_init(&rec, folder);
    status = tch_recorded_read(&rec, r, err);
    tch_recorded_release(&rec);
    return status < 0 ? status : tch_result_end(r, &end, err);
}
