/* Makes an extra run that does not count, with the command or the server under the profiler. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <tacho/flame.h>

#include "base/fail.h"
#include "run.h"

/* Our own streams, replaced by /dev/null while the command runs under the profiler. */
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

static int await_end(struct tch_spawner *s, tacho_error *err)
{
    struct tch_run_sample sample;
    tacho_error why;
    int status;

    tch_run_sample_init(&sample);
    do
        status = tch_spawner_wait(s, UINT64_MAX, &sample, &why);
    while (status < 0 && why.system_errno == EINTR);
    if (status < 0)
        *err = why;
    return status < 0 ? status : 0;
}

/* The profiler stops when the command exits. */
int tch_run_flame_server(const struct tch_run *run, tacho_error *err)
{
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    char label[NAME_MAX];
    int status = tch_spawner_begin(run->spawner, &(struct tch_job){0}, 1, err);
    int ended;

    if (status < 0)
        return status;
    snprintf(label, sizeof label, "%s-server", run->plan->commands[0].name);
    request.pid = run->server.pid;
    request.flags = TACHO_FLAME_TREE;
    request.stop_fd = tch_spawner_fd(run->spawner);
    request.output_dir = run->items[0].folder.path;
    request.label = label;
    status = tacho_flame_capture(&request, &flame, err);
    tacho_flame_free(flame);
    ended = await_end(run->spawner, err);
    return status < 0 ? status : ended;
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
    request.flags = TACHO_FLAME_FOLDED; /* to compare two runs */
    send_away(&away);
    status = tacho_flame_capture(&request, &flame, err);
    bring_back(&away);
    tacho_flame_free(flame);
    return status;
}
