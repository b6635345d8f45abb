/*
 * An example of a custom profiler: shows where the threads of a command wait in the kernel.
 *
 *     ./waits OUT_DIR COMMAND [ARGUMENT]...
 *
 * Every few milliseconds it reads the state of each thread of the command and the kernel function
 * in which it sleeps (/proc/PID/task/TID/wchan), and passes "comm;state;function" to tacho. That
 * needs only the rights of the command's owner. tacho draws the flamegraph.
 */
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tacho/flame.h>

extern char **environ; /* in POSIX no header declares it */

/* Reads the first line of a file in /proc, "" when it cannot be read. */
static void read_line(char *line, size_t size, const char *folder, const char *tid,
                      const char *name)
{
    char path[512];
    FILE *in;

    snprintf(path, sizeof path, "%s/%s/%s", folder, tid, name);
    in = fopen(path, "r");
    if (!in || !fgets(line, (int)size, in))
        line[0] = '\0';
    if (in)
        fclose(in);
    line[strcspn(line, "\r\n")] = '\0';
}

/* Returns the meaning of the letter after the name in the line of /proc/.../stat. */
static const char *state_name(const char *stat)
{
    const char *after = strrchr(stat, ')');

    switch (after && after[1] ? after[2] : '\0') {
    case 'R':
        return "runs";
    case 'S':
        return "sleeps";
    case 'D':
        return "waits for a device";
    default:
        return "is stopped";
    }
}

/* Adds one stack for each thread of the process. */
static int sample(pid_t pid, tacho_flame_output *out, tacho_error *err)
{
    char folder[64], comm[64], stat[512], wchan[128], stack[512];
    struct dirent *entry;
    int status = 0;
    DIR *tasks;

    snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
    tasks = opendir(folder);
    while (tasks && status == 0 && (entry = readdir(tasks))) {
        if (entry->d_name[0] == '.')
            continue;
        read_line(comm, sizeof comm, folder, entry->d_name, "comm");
        read_line(stat, sizeof stat, folder, entry->d_name, "stat");
        read_line(wchan, sizeof wchan, folder, entry->d_name, "wchan");
        if (!comm[0])
            continue; /* the thread has just exited */
        snprintf(stack, sizeof stack, "%s;%s;%s", comm, state_name(stat),
                 wchan[0] && strcmp(wchan, "0") != 0 ? wchan : "[on the CPU or not known]");
        status = tacho_flame_add_stack(out, stack, 1, err);
    }
    if (tasks)
        closedir(tasks);
    return status;
}

static int capture(void *ctx, const tacho_flame_request *request, tacho_flame_output *out,
                   tacho_error *err)
{
    const struct timespec *interval = ctx;
    char *const *argv = (char *const *)request->argv; /* posix_spawnp() does not change it */
    int status, failure, wait_status = 0;
    pid_t pid;

    if (!argv)
        return tacho_flame_fail(err, TACHO_FLAME_OTHER, NULL, "waits needs a command to run");
    failure = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (failure != 0)
        return tacho_flame_fail(err, TACHO_FLAME_COMMAND_FAILED, argv[0], strerror(failure));
    do {
        status = sample(pid, out, err);
        nanosleep(interval, NULL);
    } while (status == 0 && waitpid(pid, &wait_status, WNOHANG) == 0);
    if (status < 0)
        waitpid(pid, &wait_status, 0);
    tacho_flame_set_wait_status(out, wait_status);
    return status;
}

int main(int argc, char **argv)
{
    struct timespec interval = {.tv_nsec = 2000000};
    tacho_flame_profiler waits = TACHO_FLAME_PROFILER_INIT;
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    tacho_error err;
    char *json;

    if (argc < 3) {
        fprintf(stderr, "usage: waits OUT_DIR COMMAND [ARGUMENT]...\nprofilers of tacho itself:");
        for (const char *const *name = tacho_flame_profilers(); *name; name++)
            fprintf(stderr, " %s", *name);
        fprintf(stderr, "\n");
        return 64;
    }
    waits.name = "waits";
    waits.ctx = &interval;
    waits.capture = capture;
    request.argv = (const char *const *)(argv + 2);
    request.output_dir = argv[1];
    request.own = &waits;
    if (tacho_flame_capture(&request, &flame, &err) < 0 ||
        tacho_flame_to_json(flame, &json, NULL, &err) < 0) {
        fprintf(stderr, "waits: %s\n", err.message);
        tacho_flame_free(flame);
        return err.kind == TACHO_FLAME_COMMAND_FAILED ? 127 : 1;
    }
    puts(json);
    free(json);
    tacho_flame_free(flame);
    return 0;
}
