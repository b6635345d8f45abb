/* Runs the rounds in rotated order and measures CPU and wall time. report.c prints the results. */
#include "bench.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "base/number.h"
#include "report.h"

enum { ROUNDS = 9, QUICK_ROUNDS = 3, MAX_ROUNDS = 1000 };

static int parse_rounds(const char *text, struct bench_options *o)
{
    uint64_t rounds;

    if (!text || tch_parse_u64(text, MAX_ROUNDS, &rounds) < 0 || rounds == 0) {
        fprintf(stderr, "bench: --rounds takes a number from 1 to %d, not '%s'\n", MAX_ROUNDS,
                text ? text : "");
        return -1;
    }
    o->rounds = (size_t)rounds;
    return 0;
}

int bench_parse(int *argc, char **argv, struct bench_options *ret)
{
    struct bench_options o = {0};
    int left = 1;

    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            o.quick = true;
        else if (strcmp(argv[i], "--json") == 0)
            o.json = true;
        else if (strcmp(argv[i], "--rounds") != 0)
            argv[left++] = argv[i];
        else if (parse_rounds(argv[++i], &o) < 0)
            return -1;
    }
    argv[left] = NULL;
    *argc = left;
    if (o.rounds == 0)
        o.rounds = o.quick ? QUICK_ROUNDS : ROUNDS;
    *ret = o;
    return 0;
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns the CPU time of this process and of the children that it waited for, because a peer may
   be a program. */
static double cpu_seconds(void)
{
    struct rusage children;

    getrusage(RUSAGE_CHILDREN, &children);
    return seconds(CLOCK_PROCESS_CPUTIME_ID) + (double)children.ru_utime.tv_sec +
           (double)children.ru_stime.tv_sec +
           (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e-6;
}

static int run_once(const struct bench_case *c, size_t i, void *state, double *cpu, double *wall)
{
    const struct bench_contender *contender = &c->contenders[i];
    double cpu_start, wall_start;
    int status = contender->before ? contender->before(c->work, state) : 0;

    cpu_start = cpu_seconds();
    wall_start = seconds(CLOCK_MONOTONIC);
    if (status == 0)
        status = contender->run(c->work, state);
    *wall = seconds(CLOCK_MONOTONIC) - wall_start;
    *cpu = cpu_seconds() - cpu_start;
    if (status == 0 && contender->after)
        status = contender->after(c->work, state);
    if (status < 0)
        fprintf(stderr, "bench: %s: '%s' gave a wrong result\n", c->name, contender->name);
    return status;
}

/* Runs one more round than requested. The first one only warms up, and the next one overwrites its
   results. */
static int run_rounds(const struct bench_case *c, void **states, struct bench_result *r)
{
    size_t n = c->contender_count;

    for (size_t round = 0; round <= r->rounds; round++) {
        size_t slot = round > 0 ? round - 1 : 0;

        for (size_t turn = 0; turn < n; turn++) {
            size_t i = (turn + round) % n;
            struct bench_times *t = &r->times[i];

            if (t->cpu && run_once(c, i, states[i], &t->cpu[slot], &t->wall[slot]) < 0)
                return -1;
        }
    }
    return 0;
}

static int prepare(const struct bench_case *c, size_t i, size_t rounds, void **state,
                   struct bench_times *t)
{
    const struct bench_contender *contender = &c->contenders[i];

    if (!contender->run)
        return 0;
    *state = contender->setup ? contender->setup(c->work, contender->arg) : contender->arg;
    if (contender->setup && !*state) {
        fprintf(stderr, "bench: %s: cannot set up '%s'\n", c->name, contender->name);
        return -1;
    }
    t->cpu = calloc(rounds, sizeof t->cpu[0]);
    t->wall = calloc(rounds, sizeof t->wall[0]);
    if (t->cpu && t->wall)
        return 0;
    fputs("bench: out of memory\n", stderr);
    return -1;
}

int bench_compare(const struct bench_case *c, const struct bench_options *o)
{
    struct bench_result r = {.of = c, .rounds = o->rounds};
    size_t n = c->contender_count;
    void **states = calloc(n, sizeof states[0]);
    int status = -1;

    r.times = calloc(n, sizeof r.times[0]);
    if (!states || !r.times) {
        fputs("bench: out of memory\n", stderr);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        if (prepare(c, i, o->rounds, &states[i], &r.times[i]) < 0)
            goto out;
    if (run_rounds(c, states, &r) == 0)
        status = o->json ? bench_report_json(&r) : bench_report_text(&r);
out:
    for (size_t i = 0; states && r.times && i < n; i++) {
        if (states[i] && c->contenders[i].teardown)
            c->contenders[i].teardown(states[i]);
        free(r.times[i].cpu);
        free(r.times[i].wall);
    }
    free(r.times);
    free(states);
    return status;
}

/* getrusage() is not used, because its peak includes that of the process that started this one. */
uint64_t bench_peak_kb(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kb = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %" SCNu64, &kb) == 1)
            break;
    if (file)
        fclose(file);
    return kb;
}
