/* Starts programs to compare with. */
#include "program.h"

#include <stdio.h>
#include <sys/wait.h>

#include "process/spawn.h"

int bench_run_program(void *work, void *state)
{
    struct bench_program *p = state;
    const char *const env[] = {p->locale, NULL};
    struct tch_spawn s = {
        .argv = p->argv,
        .extra_env = p->locale ? env : NULL,
        .io = {[1] = {.kind = p->output ? TCH_IO_WRITE : TCH_IO_NULL, .path = p->output},
               [2] = {.kind = TCH_IO_NULL}},
    };
    struct tch_spawn_end end;
    tacho_error err;
    pid_t pid;

    (void)work;
    if (tch_spawn(&s, &pid, &err) < 0 || tch_spawn_wait(pid, &end, &err) < 0) {
        fprintf(stderr, "bench: %s\n", err.message);
        return -1;
    }
    p->peak_kb = (uint64_t)end.usage.ru_maxrss;
    return WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0 ? 0 : -1;
}

struct bench_contender bench_program_peer(const char *name, const char *missing,
                                          struct bench_program *p)
{
    char path[4096];
    bool there = tch_find_program(p->argv[0], path, sizeof path, NULL) == 0;

    return (struct bench_contender){.name = name,
                                    .role = BENCH_PEER,
                                    .missing = missing,
                                    .arg = p,
                                    .run = there ? bench_run_program : NULL};
}
