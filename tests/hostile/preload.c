/*
 * Programs into which a sampler is preloaded, and which its signals could disturb. Each works for a
 * while, prints "done" and exits with 5.
 *
 *     hostile_preload scratch|scratch-thread|blocked|traced|traced-call
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 400000000 };

/* Uses the stack pointer for a sum. A signal's frame below it would be in no memory. */
static uint64_t add_in_rsp(uint64_t rounds)
{
    uint64_t sum;

    __asm__ volatile("mov %%rsp, %%r12\n"
                     "    mov $16, %%rsp\n"
                     "1:  add $3, %%rsp\n"
                     "    dec %1\n"
                     "    jnz 1b\n"
                     "    mov %%rsp, %0\n"
                     "    mov %%r12, %%rsp\n"
                     : "=&r"(sum), "+r"(rounds)
                     :
                     : "r12", "cc", "memory");
    return sum;
}

static void *run_scratch(void *ctx)
{
    *(uint64_t *)ctx = add_in_rsp(ROUNDS);
    return NULL;
}

static int use_scratch(int in_thread)
{
    uint64_t sum = 0;
    pthread_t thread;

    if (!in_thread)
        run_scratch(&sum);
    else if (pthread_create(&thread, NULL, run_scratch, &sum) != 0 ||
             pthread_join(thread, NULL) != 0)
        return 1;
    return sum != 16 + 3 * (uint64_t)ROUNDS;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    uint64_t all = ~(uint64_t)0;
    volatile uint64_t sum = 0;

    if (strncmp(mode, "scratch", 7) == 0 && use_scratch(mode[7] != '\0'))
        return 1;
    if (strcmp(mode, "blocked") == 0)
        syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &all, NULL, 8);
    if (strcmp(mode, "traced") == 0)
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    if (strcmp(mode, "traced-call") == 0)
        syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL);
    for (uint64_t i = 0; i < ROUNDS; i++)
        sum += i;
    puts("done");
    return 5;
}
