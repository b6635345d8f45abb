/*
 * Measures how much each count of `tacho run --count` slows a program down, against the program
 * alone and against other tools that count the same: strace, ltrace, heaptrack and valgrind. A
 * contender of ours is one counted run, made by the function that `tacho run` calls.
 */
#include <stdio.h>

#include "bench.h"
#include "kit/run/count/count.h"
#include "kit/run/plan/run_plan.h"
#include "process/spawn.h"
#include "program.h"

/* A counted run. */
struct counted {
    enum tch_count_kind kind;
    const char *const *command;
};

static int count_once(void *work, void *state)
{
    const struct counted *c = state;
    struct tch_run_command command = {
        .name = "bench", .argv = c->command, .line = c->command[0], .path = c->command[0]};
    struct tch_run_plan plan;
    struct tch_counts counts = {0};
    tacho_error err;
    int status;

    (void)work;
    tch_run_plan_init(&plan);
    plan.commands = &command;
    plan.command_count = 1;
    plan.counts = 1u << c->kind;
    plan.count_runs = 1;
    status = tch_count_all(&(struct tch_count_job){.plan = &plan}, &counts, &err);
    if (status < 0)
        fprintf(stderr, "bench_count: %s\n", err.message);
    else if (counts.of[c->kind].why_not[0]) {
        fprintf(stderr, "bench_count: %s\n", counts.of[c->kind].why_not);
        status = -1;
    }
    tch_counts_release(&counts);
    return status;
}

enum { ALONE, OURS, PEER, CONTENDERS };

/* Compares a program alone, counted by us, and counted by a peer, which may be NULL. */
static int compare(const char *name, enum tch_count_kind kind, const char *const *command,
                   uint64_t operations, const struct bench_contender *peer,
                   const struct bench_options *o)
{
    struct bench_program alone = {.argv = {command[0], command[1], command[2], NULL}};
    struct counted counted = {kind, command};
    struct bench_contender contenders[CONTENDERS] = {
        [ALONE] = {.name = "the program alone",
                   .role = BENCH_FLOOR,
                   .arg = &alone,
                   .run = bench_run_program},
        [OURS] = {.name = "tacho, a counted run",
                  .role = BENCH_OURS,
                  .arg = &counted,
                  .run = count_once},
    };
    struct bench_case c = {.name = name,
                           .operations = operations,
                           .operation = operations == 1 ? "run" : "call",
                           .contenders = contenders,
                           .contender_count = peer ? CONTENDERS : PEER};

    if (peer)
        contenders[PEER] = *peer;
    return bench_compare(&c, o);
}

static int bench_calls(const struct bench_options *o)
{
    const char *n = o->quick ? "100" : "20000";
    const char *const command[] = {BENCH_COUNTED, "calls", n, NULL};
    struct bench_program strace = {
        .argv = {"strace", "-c", "-f", "-o", "/dev/null", BENCH_COUNTED, "calls", n}};
    struct bench_contender peer =
        bench_program_peer("strace -c -f", "not installed (package strace)", &strace);

    return compare("system calls of a program that makes them only", TCH_COUNT_SYSCALLS, command,
                   o->quick ? 100 : 20000, &peer, o);
}

static int bench_allocations(const struct bench_options *o)
{
    const char *n = o->quick ? "100" : "1000000";
    const char *const command[] = {BENCH_COUNTED, "alloc", n, NULL};
    struct bench_program heaptrack = {
        .argv = {"heaptrack", "-r", "-o", "/tmp/bench-count", BENCH_COUNTED, "alloc", n}};
    struct bench_contender peer =
        bench_program_peer("heaptrack", "not installed (package heaptrack)", &heaptrack);
    int status = compare("allocations of a program that makes them only", TCH_COUNT_ALLOCATIONS,
                         command, o->quick ? 100 : 1000000, &peer, o);

    (void)remove("/tmp/bench-count.zst");
    (void)remove("/tmp/bench-count.gz");
    (void)remove("/tmp/bench-count.raw.zst");
    (void)remove("/tmp/bench-count.raw.gz");
    return status;
}

/* ltrace stops the program at every call, so it gets fewer of them. */
static int bench_few_allocations(const struct bench_options *o)
{
    const char *n = o->quick ? "100" : "1000";
    const char *const command[] = {BENCH_COUNTED, "alloc", n, NULL};
    struct bench_program ltrace = {
        .argv = {"ltrace", "-c", "-o", "/dev/null", BENCH_COUNTED, "alloc", n}};
    struct bench_contender peer =
        bench_program_peer("ltrace -c", "not installed (package ltrace)", &ltrace);

    return compare("allocations, as few as ltrace can count in a fraction of a second",
                   TCH_COUNT_ALLOCATIONS, command, o->quick ? 100 : 1000, &peer, o);
}

static int bench_instructions(const struct bench_options *o)
{
    const char *n = o->quick ? "1000" : "5000000";
    const char *const command[] = {BENCH_COUNTED, "alloc", n, NULL};
    struct bench_program valgrind = {.argv = {"valgrind", "--tool=cachegrind", "--cache-sim=no",
                                              "--cachegrind-out-file=/dev/null", BENCH_COUNTED,
                                              "alloc", n}};
    struct bench_contender peer = bench_program_peer("valgrind --tool=cachegrind --cache-sim=no",
                                                     "not installed (package valgrind)", &valgrind);

    if (!peer.run) {
        printf("instructions: valgrind is not installed, so they are not compared\n");
        return 0;
    }
    return compare("instructions of a program that allocates", TCH_COUNT_INSTRUCTIONS, command, 1,
                   &peer, o);
}

static int bench_faults(const struct bench_options *o)
{
    const char *const command[] = {BENCH_COUNTED, "alloc", o->quick ? "100" : "1000000", NULL};

    return compare("page faults", TCH_COUNT_FAULTS, command, 1, NULL, o);
}

int main(int argc, char **argv)
{
    struct bench_options options;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    return bench_calls(&options) < 0 || bench_allocations(&options) < 0 ||
                   bench_few_allocations(&options) < 0 || bench_instructions(&options) < 0 ||
                   bench_faults(&options) < 0
               ? 1
               : 0;
}
