/*
 * counted WHAT [N]: a program that does the same in every run, for tests of --count.
 *
 *     alloc N    N calls of malloc()
 *     calls N    N system calls getppid()
 *     all        every function that allocates, once; 8 bytes each, 64 bytes with an alignment
 *     threads N  4 threads with N calls of malloc() each
 *     fork N     a child with N calls of malloc() and getppid(), and the same in a program that it
 *                executes
 *     toggle     alternately one or two calls of getppid(), by the file "toggle"
 *     listener   installs its own seccomp listener
 *     orphan     leaves a process running and appends its pid to the file "orphan"
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

static void allocate(int n)
{
    for (int i = 0; i < n; i++) {
        kept = malloc(8);
        free(kept);
    }
}

static void call(int n)
{
    for (int i = 0; i < n; i++)
        syscall(SYS_getppid);
}

static void allocate_by_all(void)
{
    void *p = NULL;

    kept = malloc(8);
    kept = realloc(kept, 8);
    free(kept);
    kept = calloc(2, 4);
    free(kept);
    kept = reallocarray(NULL, 2, 4);
    free(kept);
    kept = memalign(64, 64);
    free(kept);
    kept = aligned_alloc(64, 64);
    free(kept);
    if (posix_memalign(&p, 64, 64) == 0)
        free(p);
}

static void *allocate_in_thread(void *n)
{
    allocate(*(int *)n);
    return NULL;
}

static void allocate_in_threads(int n)
{
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, allocate_in_thread, &n) != 0)
            exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static void fork_and_exec(const char *self, int n)
{
    char number[16];
    int status = 1;

    if (fork() == 0) {
        allocate(n);
        call(n);
        snprintf(number, sizeof number, "%d", n);
        execl(self, self, "both", number, (char *)NULL);
        _exit(1);
    }
    wait(&status);
    if (status != 0)
        exit(1);
}

/* Installs a listener. The kernel allows only one, so the call fails with EBUSY if there is an
   outer one. */
static void listen_by_seccomp(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = 1, .filter = filter};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) <
        0)
        exit(1);
}

static void leave_orphan(void)
{
    pid_t pid = fork();
    FILE *f;

    if (pid == 0) {
        setsid();
        for (;;)
            pause();
    }
    f = fopen("orphan", "a");
    if (f) {
        fprintf(f, "%d\n", (int)pid);
        fclose(f);
    }
}

static void toggle(void)
{
    int fd = open("toggle", O_CREAT | O_EXCL | O_WRONLY, 0666);

    call(1);
    if (fd < 0) {
        call(1);
        unlink("toggle");
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "alloc";
    int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;

    if (strcmp(what, "alloc") == 0 || strcmp(what, "both") == 0)
        allocate(n);
    if (strcmp(what, "calls") == 0 || strcmp(what, "both") == 0)
        call(n);
    else if (strcmp(what, "all") == 0)
        allocate_by_all();
    else if (strcmp(what, "threads") == 0)
        allocate_in_threads(n);
    else if (strcmp(what, "fork") == 0)
        fork_and_exec(argv[0], n);
    else if (strcmp(what, "toggle") == 0)
        toggle();
    else if (strcmp(what, "listener") == 0)
        listen_by_seccomp();
    else if (strcmp(what, "orphan") == 0)
        leave_orphan();
    return 0;
}
