/* Adopts and kills orphaned descendants. */
#include "orphans.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"

enum { LIST_MAX = 1 << 20 };

/* The children that are not orphans. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t *own;
static size_t own_count;
static size_t own_cap;
static bool adopting;

static bool is_in(const pid_t *list, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

/* Kills the children in the list of one thread, except for the spared ones, and reaps those that
   have exited. Returns whether there were any. */
static bool kill_listed(const char *list, const pid_t *spared, size_t count)
{
    bool any = false;

    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ') {
        uint64_t pid;

        if (tch_parse_u64_n(at, strcspn(at, " "), INT32_MAX, &pid) < 0 ||
            is_in(spared, count, (pid_t)pid))
            continue;
        any = true;
        kill((pid_t)pid, SIGKILL);
        waitpid((pid_t)pid, NULL, WNOHANG | __WALL);
    }
    return any;
}

/* Reads the children of the main thread: the kernel gives orphans to that thread. */
static bool list_children(struct tch_buf *list)
{
    char path[64];

    tch_buf_init(list, LIST_MAX);
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    return tch_file_read(path, LIST_MAX, list, NULL) == 0;
}

/* Repeats until there are none, because the children of a killed process become ours. Limited, in
   case one of them forks without end. */
static void kill_children(const pid_t *spared, size_t count)
{
    enum { ROUNDS = 1000 };
    bool any = true;

    for (int i = 0; i < ROUNDS && any; i++) {
        struct tch_buf list;

        any = list_children(&list) && kill_listed(list.data, spared, count);
        tch_buf_release(&list);
        if (any)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

void tch_orphans_adopt(void)
{
    struct tch_buf list;

    pthread_mutex_lock(&lock);
    if (!adopting && list_children(&list)) {
        adopting = list.len == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
        tch_buf_release(&list);
    }
    pthread_mutex_unlock(&lock);
}

void tch_orphans_except(pid_t child)
{
    pthread_mutex_lock(&lock);
    if (tch_array_reserve(&own, &own_cap, own_count + 1) == 0)
        own[own_count++] = child;
    else
        adopting = false; /* sparing an orphan is better than killing our own child */
    pthread_mutex_unlock(&lock);
}

void tch_orphans_forget(pid_t child)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < own_count; i++)
        if (own[i] == child) {
            own[i] = own[--own_count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

void tch_orphans_kill(void)
{
    pthread_mutex_lock(&lock);
    if (adopting)
        kill_children(own, own_count);
    pthread_mutex_unlock(&lock);
}

void tch_children_kill(pid_t spared)
{
    kill_children(&spared, 1);
}
