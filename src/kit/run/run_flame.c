/* Makes an extra run, which does not count, with the command or the server under the profiler. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <tacho/flame.h>

#include "base/fail.h"
#include "run.h"

/* Our own standard streams, which are replaced by /dev/null while the command runs under the
   profiler. */
struct streams {
    int kept[3];
};

static void silence_streams(struct streams *s)
{
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i < 3; i++) {
        s->kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        if (s->kept[i] >= 0 && null_fd >= 0)
            dup2(null_fd, i);
    }
    if (null_fd >= 0)
        close(null_fd);
}

static void restore_streams(struct streams *s)
{
    for (int i = 0; i < 3; i++)
        if (s->kept[i] >= 0) {
            dup2(s->kept[i], i);
            close(s->kept[i]);
        }
}

/* Adds a warning of the profiler. The advice follows a semicolon. */
static void add_warning(struct tch_warnings *warnings, const char *text)
{
    size_t len = strcspn(text, ";");

    tch_warn(warnings, "flamegraph", text + len + strspn(text + len, "; "), "the flamegraph: %.*s",
             (int)len, text);
}

static void add_warnings(struct tch_warnings *warnings, const tacho_flame *flame)
{
    if (tacho_flame_notice(flame))
        add_warning(warnings, tacho_flame_notice(flame));
    for (size_t i = 0; tacho_flame_warning(flame, i); i++)
        add_warning(warnings, tacho_flame_warning(flame, i));
    if (tacho_flame_lost(flame) > 0)
        tch_warn(warnings, "flamegraph", "repeat it with tacho flame and a lower --rate",
                 "the flamegraph: %llu samples were lost",
                 (unsigned long long)tacho_flame_lost(flame));
}

/* Profiles the server. The profiler stops when the command exits. */
int tch_run_flame_server(const struct tch_run *run, struct tch_warnings *warnings, tacho_error *err)
{
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    struct tch_run_sample sample;
    tacho_error why;
    char label[NAME_MAX];
    int status = tch_spawner_begin(run->spawner, &(struct tch_job){0}, 1, err);
    int ended;

    if (status < 0)
        return status;
    snprintf(label, sizeof label, "%s-server", run->plan->commands[0].name);
    request.pid = run->server.keeper.pid;
    request.flags = TACHO_FLAME_TREE | TACHO_FLAME_FOLDED;
    request.stop_fd = tch_spawner_fd(run->spawner);
    request.output_dir = run->items[0].folder.path;
    request.label = label;
    status = tacho_flame_capture(&request, &flame, err);
    if (status == 0)
        add_warnings(warnings, flame);
    tacho_flame_free(flame);
    do
        ended = tch_spawner_wait(run->spawner, UINT64_MAX, &sample, &why);
    while (ended < 0 && why.system_errno == EINTR);
    if (ended < 0)
        *err = why;
    return status < 0 ? status : ended < 0 ? ended : 0;
}

int tch_run_flame(const struct tch_run *run, size_t index, struct tch_warnings *warnings,
                  tacho_error *err)
{
    const struct tch_run_plan *plan = run->plan;
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    struct streams streams;
    int status;

    request.argv = plan->commands[index].argv;
    request.output_dir = run->items[index].folder.path;
    request.label = plan->commands[index].name;
    request.cwd = plan->commands[index].cwd ? plan->commands[index].cwd : plan->cwd;
    request.env = plan->env;
    /* FOLDED allows comparing two runs. With ORPHANS a process that the
       command leaves is killed if the capture is stopped. */
    request.flags = TACHO_FLAME_FOLDED | TACHO_FLAME_ORPHANS;
    silence_streams(&streams);
    status = tacho_flame_capture(&request, &flame, err);
    restore_streams(&streams);
    if (status == 0)
        add_warnings(warnings, flame);
    tacho_flame_free(flame);
    return status;
}

bool tch_run_flame_excuse(tacho_error *err, struct tch_warnings *warnings)
{
    if (err->kind != TACHO_FLAME_NO_OUTPUT || !err->message[0])
        return false;
    tch_warn(warnings, "flamegraph",
             "profile it with tacho flame and a higher --rate, or with --off-cpu if it waits",
             "there is no flamegraph: the program used less CPU time than one sampling period");
    *err = (tacho_error){0};
    return true;
}
