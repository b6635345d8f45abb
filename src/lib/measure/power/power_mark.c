/*
 * Marks what a process counts, so that two trackers on one machine count its energy once.
 *
 * A mark is a listening socket with an abstract name. The kernel gives a name to one process of a
 * network namespace and frees it when that process exits, however it exits. A process that finds
 * the name in use connects, and SO_PEERCRED says which process listens. Containers with a network
 * of their own do not see each other's marks.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/owned_fd.h"
#include "power_meter.h"

enum { MARKS = 16, KEY = 32, UNKNOWN_PROCESS = 1 };

static struct mark {
    char key[KEY];
    unsigned users; /* number of meters of this process; 0: the place is free */
    pid_t pid;      /* the process that made the mark: a fork copies the table */
    struct tch_owned_fd socket;
} marks[MARKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Makes the address of the abstract socket that marks a key, and returns its length. All processes
   of one run use an address of this run, because tacho itself counts at the same time, and both
   figures are kept apart. */
static socklen_t address_of(const char *key, struct sockaddr_un *ret)
{
    const char *run = getenv("TACHO_RUN_DIR");
    uint64_t scope = run && run[0] ? tch_hash(run, strlen(run)) : 0;
    int len;

    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    len = snprintf(ret->sun_path + 1, sizeof ret->sun_path - 1, "tacho.power.%s.%016" PRIx64, key,
                   scope);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static uint64_t holder_of(const struct sockaddr_un *address, socklen_t len)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    uint64_t pid = UNKNOWN_PROCESS;

    if (fd >= 0 && connect(fd, (const struct sockaddr *)address, len) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
        pid = (uint64_t)peer.pid;
    if (fd >= 0)
        close(fd);
    return pid;
}

/* Binds the socket to the name. Returns 0 and sets m->socket, returns 0 and leaves it empty when
   sockets do not work here, or returns the process that has the name. */
static uint64_t take_name(struct mark *m)
{
    struct sockaddr_un address;
    socklen_t len = address_of(m->key, &address);
    uint64_t holder = 0;

    if (tch_owned_take(&m->socket, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
        return 0;
    if (bind(m->socket.fd, (const struct sockaddr *)&address, len) == 0 &&
        listen(m->socket.fd, 16) == 0)
        return 0;
    if (errno == EADDRINUSE)
        holder = holder_of(&address, len);
    tch_owned_close(&m->socket);
    return holder;
}

static void drop_mark(struct mark *m)
{
    tch_owned_close(&m->socket);
    *m = (struct mark){.socket = TCH_OWNED_NONE};
}

/* Finds the mark of a key, or a free place; NULL when the table is full. */
static struct mark *find_mark(const char *key)
{
    struct mark *free_place = NULL;

    for (size_t i = 0; i < MARKS; i++) {
        if (marks[i].users > 0 && marks[i].pid != getpid())
            drop_mark(&marks[i]); /* a copy of the parent's mark, which the parent keeps */
        if (marks[i].users > 0 && strcmp(marks[i].key, key) == 0)
            return &marks[i];
        if (marks[i].users == 0 && !free_place)
            free_place = &marks[i];
    }
    return free_place;
}

uint64_t tch_power_mark(const char *key)
{
    struct mark *m;
    uint64_t holder = 0;

    pthread_mutex_lock(&lock);
    m = find_mark(key);
    if (m && m->users == 0) {
        *m = (struct mark){.pid = getpid(), .socket = TCH_OWNED_NONE};
        snprintf(m->key, sizeof m->key, "%s", key);
        holder = take_name(m);
    }
    if (m && holder == 0)
        m->users++;
    pthread_mutex_unlock(&lock);
    return holder;
}

void tch_power_unmark(const char *key)
{
    struct mark *m;

    pthread_mutex_lock(&lock);
    m = find_mark(key);
    if (m && m->users > 0 && --m->users == 0)
        drop_mark(m);
    pthread_mutex_unlock(&lock);
}
