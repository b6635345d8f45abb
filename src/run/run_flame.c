/* One extra run of a command under the profiler, not counted. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <tacho/flame.h>

#include "base/error.h"
#include "run.h"

/* What the command prints is not wanted here either: our own streams are away meanwhile. */
struct away {
    int kept[3];
};

static void send_away(struct away *a)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i < 3; i++) {
        a->kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        if (a->kept[i] >= 0 && null_fd >= 0)
            dup2(null_fd, i);
    }
    if (null_fd >= 0)
        close(null_fd);
}

static void bring_back(struct away *a)
{
    for (int i = 0; i < 3; i++)
        if (a->kept[i] >= 0) {
            dup2(a->kept[i], i);
            close(a->kept[i]);
        }
}

int tch_run_flame(const struct tch_run *run, size_t index, tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    struct away away;
    int status;

    request.argv = plan->commands[index].argv;
    request.output_dir = run->items[index].folder.path;
    request.label = plan->commands[index].name;
    request.cwd = plan->commands[index].cwd ? plan->commands[index].cwd : plan->cwd;
    request.env = plan->env;
    request.flags = TACHO_FLAME_FOLDED; /* so that two runs' can be compared */
    send_away(&away);
    status = tacho_flame_capture(&request, &flame, err);
    bring_back(&away);
    tacho_flame_free(flame);
    return status;
}
