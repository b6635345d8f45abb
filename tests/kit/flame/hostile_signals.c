/*
 * Programs that make it hard for a sampler to run inside them. Each does the work of workload.c
 * (hot 70 %, warm 20 %, cool 10 %) and prints "done" unless something failed.
 *
 *     hostile_signals MODE ROUNDS
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { STEP = 20000, SMALL_STACK = 4096, EXECS = 30 };

__attribute__((noinline)) static void hot(void)
{
    spin(7 * STEP);
}

__attribute__((noinline)) static void warm(void)
{
    spin(2 * STEP);
}

__attribute__((noinline)) static void cool(void)
{
    spin(STEP);
}

static void work(long rounds)
{
    while (rounds-- > 0) {
        hot();
        warm();
        cool();
    }
}

static volatile sig_atomic_t got;

static void on_signal(int number)
{
    got = number;
}

/* Installs a handler for every real-time signal, uses each, and restores each. */
static int use_signals(long rounds)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction now;

    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        if (sigaction(number, &action, NULL) < 0 || sigaction(number, NULL, &now) < 0 ||
            now.sa_handler != on_signal)
            return 1;
        raise(number);
        if (got != number)
            return 1;
    }
    work(rounds);
    for (int i = 0; i < 200; i++) {
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
            signal(number, i % 2 ? SIG_DFL : SIG_IGN);
        work(1);
    }
    return 0;
}

static void *work_blocked(void *arg)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    work(*(long *)arg);
    return NULL;
}

static int block_signals(long rounds)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work_blocked, &rounds) != 0)
            return 1;
    work_blocked(&rounds);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* Closes all descriptors and opens some again. A descriptor of the sampler would be in the way. */
static int close_descriptors(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int out = dup(STDOUT_FILENO);

        for (int fd = 0; fd < 1024; fd++)
            if (fd != out)
                close(fd);
        if (out < 0 || dup(out) != 0 || dup(out) != 1 || dup(out) != 2)
            return 1;
        close(out);
        work(1);
    }
    return 0;
}

static void work_in_handler(int number)
{
    (void)number;
    work(20);
}

/* Works in a handler whose stack has room for one signal only, and outside of it. */
static int small_stack(long rounds)
{
    static char room[SMALL_STACK];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = work_in_handler, .sa_flags = SA_ONSTACK};

    if (sigaltstack(&stack, NULL) < 0 || sigaction(SIGUSR1, &action, NULL) < 0)
        return 1;
    for (long i = 0; i < rounds; i += 40) {
        raise(SIGUSR1);
        work(20);
    }
    return 0;
}

/* Works in a handler that blocks all signals, and outside of it. */
static int full_mask(long rounds)
{
    struct sigaction action = {.sa_handler = work_in_handler};

    sigfillset(&action.sa_mask);
    if (sigaction(SIGUSR1, &action, NULL) < 0)
        return 1;
    for (long i = 0; i < rounds; i += 40) {
        raise(SIGUSR1);
        work(20);
    }
    return 0;
}

/* Works while a timer sends a thousand signals per second, whose handler does nothing. */
static int many_signals(long rounds)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 1000}, {0, 1000}};

    if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &every, NULL) < 0)
        return 1;
    work(rounds);
    return got == SIGALRM ? 0 : 1;
}

/* Executes itself again and again while it is busy. */
static int exec_chain(char **argv, long rounds)
{
    long left = argv[3] ? strtol(argv[3], NULL, 10) : EXECS;
    char number[32];

    work(rounds / EXECS + 1);
    if (left == 0)
        return 0;
    snprintf(number, sizeof number, "%ld", left - 1);
    execl("/nowhere", argv[0], (char *)NULL); /* fails, and the sampling continues */
    work(1);
    execl(argv[0], argv[0], argv[1], argv[2], number, (char *)NULL);
    return 1;
}

static int fork_children(long rounds)
{
    for (int i = 0; i < 4; i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
            work(rounds / 4);
            _exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";
    long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    int status = strcmp(mode, "use") == 0     ? use_signals(rounds)
                 : strcmp(mode, "block") == 0 ? block_signals(rounds)
                 : strcmp(mode, "close") == 0 ? close_descriptors(rounds)
                 : strcmp(mode, "small") == 0 ? small_stack(rounds)
                 : strcmp(mode, "mask") == 0  ? full_mask(rounds)
                 : strcmp(mode, "many") == 0  ? many_signals(rounds)
                 : strcmp(mode, "exec") == 0  ? exec_chain(argv, rounds)
                 : strcmp(mode, "fork") == 0  ? fork_children(rounds)
                 : strcmp(mode, "work") == 0  ? (work(rounds), 0)
                                              : 64;

    if (status == 0)
        puts("done");
    return status;
}
