/*
 * The parent's side of the processes that read debug information with libdw. A file may make libdw
 * crash, use gigabytes or run for minutes. Then the child dies, and the capture continues without
 * the inlined functions of that file. C++ names that may grow without bounds are demangled there,
 * too.
 *
 * TCH_DWARF_WORKERS children are forked early, before the process has events, threads and much
 * memory, because the child of a process with threads must not allocate. workers[dead] works; those
 * before it are dead; those after it wait.
 *
 *     waiting    blocked on its socket; has no files
 *     working    has all files except those that killed a worker
 *     dead       crashed, exceeded a limit, or did not answer in WAIT_SECONDS
 *
 * When the working one dies, next_worker() records in deaths[] why and on which object, and sends
 * the files to the next one. The question is asked again without the objects that killed a worker.
 * When all are dead, inlined functions and lines are missing from then on.
 *
 * The parent writes requests and the child answers, one at a time, through a socket pair. The child
 * stores the object that it works on in *object, a shared page, which the parent reads only after
 * the child's death. The parent trusts no answer and checks every length. One thread, the symbol
 * worker, calls these functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/clock.h"
#include "dwarf_child.h"
#include "dwarf_process.h"

enum {
    WAIT_SECONDS = 60, /* time to wait for an answer, generous for a busy machine */
};

static const uint32_t no_object = UINT32_MAX;

struct worker {
    int socket;
    int pidfd; /* -1: the process has exited or was not started */
};

struct death {
    uint32_t object; /* object that the worker was reading */
    const char *why;
};

struct opened {
    uint32_t object;
    int fd; /* debug information, kept for the next worker */
};

struct tch_dwarf_child {
    struct worker workers[TCH_DWARF_WORKERS];
    struct death deaths[TCH_DWARF_WORKERS];
    size_t dead;      /* number of dead workers; workers[dead] works */
    uint32_t *object; /* shared page: the object that the worker is reading */
    struct opened *opened;
    size_t opened_count, opened_room;
    struct tch_buf reply;
    size_t at; /* offset of the next query's answer in reply */
    struct tch_buf name;
    bool late; /* the worker did not answer in time */
};

/* Starts a worker. On failure its pidfd is -1. */
static void start_worker(struct tch_dwarf_child *c, struct worker *w)
{
    int ends[2];
    sigset_t all;
    sigset_t before;
    pid_t pid;

    *w = (struct worker){-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* our signal handlers must not run in the child */
    pid = fork();
    if (pid == 0)
        tch_dwarf_process_serve(ends[1], c->object);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    w->socket = ends[0];
    if (pid > 0)
        w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pid > 0 && w->pidfd < 0) {
        close(w->socket); /* the child sees that the socket is closed and exits */
        w->socket = -1;
        waitpid(pid, NULL, 0);
    }
}

struct tch_dwarf_child *tch_dwarf_child_start(void)
{
    struct tch_dwarf_child *c = calloc(1, sizeof *c);
    bool all = true;

    if (!c)
        return NULL;
    tch_buf_init(&c->reply, TCH_DWARF_REPLY_MAX);
    tch_buf_init(&c->name, TCH_DWARF_NAME_LONGEST);
    c->object =
        mmap(NULL, sizeof *c->object, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < TCH_DWARF_WORKERS; i++) {
        c->workers[i] = (struct worker){-1, -1};
        if (c->object != MAP_FAILED)
            start_worker(c, &c->workers[i]);
        all = all && c->workers[i].pidfd >= 0;
    }
    if (all)
        return c;
    tch_dwarf_child_close(c);
    return NULL;
}

/* Kills a worker and reaps it. Returns why it had died before, if it had. */
static const char *end_worker(struct worker *w, bool late)
{
    siginfo_t info = {0};

    if (w->pidfd < 0)
        return "failed";
    syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
    /* Another thread may have reaped it. */
    while (waitid(P_PIDFD, (id_t)w->pidfd, &info, WEXITED) < 0 && errno == EINTR)
        ;
    close(w->pidfd);
    close(w->socket);
    *w = (struct worker){-1, -1};
    if (late || (info.si_code == CLD_KILLED && info.si_status == SIGXCPU))
        return "took too long";
    return info.si_code == CLD_EXITED ? "needed too much memory" : "failed";
}

void tch_dwarf_child_end(struct tch_dwarf_child *child)
{
    for (size_t i = 0; i < TCH_DWARF_WORKERS; i++)
        (void)end_worker(&child->workers[i], false);
}

void tch_dwarf_child_close(struct tch_dwarf_child *child)
{
    if (!child)
        return;
    tch_dwarf_child_end(child);
    for (size_t i = 0; i < child->opened_count; i++)
        close(child->opened[i].fd);
    free(child->opened);
    if (child->object != MAP_FAILED)
        munmap(child->object, sizeof *child->object);
    tch_buf_release(&child->reply);
    tch_buf_release(&child->name);
    free(child);
}

const char *tch_dwarf_child_death(const struct tch_dwarf_child *child, size_t index,
                                  uint32_t *object)
{
    if (index >= child->dead)
        return NULL;
    *object = child->deaths[index].object;
    return child->deaths[index].why;
}

/* Returns whether a worker died while it read the object. */
static bool is_deadly(const struct tch_dwarf_child *c, uint32_t object)
{
    for (size_t i = 0; i < c->dead; i++)
        if (c->deaths[i].object == object)
            return true;
    return false;
}

static uint64_t deadline(void)
{
    return tch_now_ns() + WAIT_SECONDS * UINT64_C(1000000000);
}

/* Waits until the socket can be read or written. Returns false when the time is over. */
static bool wait_socket(struct tch_dwarf_child *c, short events, uint64_t until)
{
    for (;;) {
        struct pollfd p = {.fd = c->workers[c->dead].socket, .events = events};
        uint64_t now = tch_now_ns();
        int n = poll(&p, 1, now < until ? (int)((until - now) / 1000000) + 1 : 0);

        if (n > 0)
            return true; /* an error of the socket shows when it is used */
        if (n < 0 && errno != EINTR)
            return false;
        c->late = n == 0 && now >= until;
        if (c->late)
            return false;
    }
}

static bool send_all(struct tch_dwarf_child *c, const struct tch_dwarf_request *request,
                     const void *data, size_t len, int fd, uint64_t until)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = ""};
    struct iovec parts[] = {{(void *)(uintptr_t)request, sizeof *request},
                            {(void *)(uintptr_t)data, len}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    size_t sent = 0;

    if (fd >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.head = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    }
    while (sent < sizeof *request + len) {
        ssize_t n = sendmsg(c->workers[c->dead].socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (n < 0 && !wait_socket(c, POLLOUT, until))
            return false;
        if (n <= 0)
            continue;
        sent += (size_t)n;
        message.msg_control = NULL; /* the descriptor was sent with the first bytes */
        message.msg_controllen = 0;
        for (size_t i = 0; i < 2; i++) {
            size_t step = (size_t)n < parts[i].iov_len ? (size_t)n : parts[i].iov_len;

            parts[i].iov_base = (char *)parts[i].iov_base + step;
            parts[i].iov_len -= step;
            n -= (ssize_t)step;
        }
    }
    return true;
}

/* Adds len bytes of the answer to b. */
static bool receive_all(struct tch_dwarf_child *c, struct tch_buf *b, size_t len, uint64_t until)
{
    char data[16384];

    while (len > 0) {
        ssize_t n = recv(c->workers[c->dead].socket, data, len < sizeof data ? len : sizeof data,
                         MSG_DONTWAIT);

        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (n < 0 && !wait_socket(c, POLLIN, until))
            return false;
        if (n <= 0)
            continue;
        tch_buf_add(b, data, (size_t)n);
        len -= (size_t)n;
    }
    return !b->failed;
}

static bool send_open(struct tch_dwarf_child *c, const struct opened *opened)
{
    struct tch_dwarf_request request = {.kind = TCH_DWARF_OPEN, .object = opened->object};

    return send_all(c, &request, "", 0, opened->fd, deadline());
}

/* Records the death of the worker and sends all files to the next one. Returns false if none is
   left. */
static bool next_worker(struct tch_dwarf_child *c)
{
    bool ready = false;

    while (!ready && c->dead < TCH_DWARF_WORKERS) {
        struct death *death = &c->deaths[c->dead];

        death->object = *c->object;
        death->why = end_worker(&c->workers[c->dead], c->late);
        c->dead++;
        c->late = false;
        ready = c->dead < TCH_DWARF_WORKERS;
        for (size_t i = 0; ready && i < c->opened_count; i++)
            ready = is_deadly(c, c->opened[i].object) || send_open(c, &c->opened[i]);
    }
    return ready;
}

/* Sends a request and reads its answer into b. */
static bool ask(struct tch_dwarf_child *c, const struct tch_dwarf_request *request,
                const void *data, size_t len, struct tch_buf *b)
{
    uint64_t until = deadline();
    uint32_t answer;

    tch_buf_clear(b);
    if (!send_all(c, request, data, len, -1, until) || !receive_all(c, b, sizeof answer, until))
        return false;
    memcpy(&answer, b->data, sizeof answer);
    tch_buf_clear(b);
    return answer <= TCH_DWARF_REPLY_MAX && receive_all(c, b, answer, until);
}

bool tch_dwarf_child_open(struct tch_dwarf_child *child, uint32_t object, int fd)
{
    struct opened opened = {object, fd};

    if (child->dead == TCH_DWARF_WORKERS ||
        tch_array_reserve(&child->opened, &child->opened_room, child->opened_count + 1) < 0) {
        close(fd);
        return false;
    }
    child->opened[child->opened_count++] = opened;
    return send_open(child, &opened) || next_worker(child);
}

bool tch_dwarf_child_find(struct tch_dwarf_child *child, const struct tch_dwarf_query *queries,
                          size_t count, bool lines)
{
    struct tch_dwarf_request request = {.kind = TCH_DWARF_FIND,
                                        .object = queries[0].object,
                                        .count = (uint32_t)count,
                                        .lines = lines};
    struct tch_dwarf_query asked[TCH_DWARF_QUERIES];

    child->at = 0;
    tch_buf_clear(&child->reply);
    while (child->dead < TCH_DWARF_WORKERS) {
        for (size_t i = 0; i < count; i++) {
            asked[i] = queries[i];
            if (is_deadly(child, asked[i].object))
                asked[i].object = no_object; /* the child answers that there is no function */
        }
        if (ask(child, &request, asked, count * sizeof *asked, &child->reply))
            return true;
        (void)next_worker(child);
    }
    return false;
}

const char *tch_dwarf_child_demangle(struct tch_dwarf_child *child, uint32_t object,
                                     const char *name)
{
    struct tch_dwarf_request request = {
        .kind = TCH_DWARF_NAME, .object = object, .count = (uint32_t)strlen(name)};

    if (child->dead == TCH_DWARF_WORKERS || is_deadly(child, object) ||
        strlen(name) > TCH_DWARF_NAME_LONGEST)
        return NULL;
    if (!ask(child, &request, name, request.count, &child->name)) {
        (void)next_worker(child);
        return NULL;
    }
    return child->name.len > 0 ? child->name.data : NULL;
}

static bool next_u32(struct tch_dwarf_child *c, uint32_t *ret)
{
    if (c->reply.len - c->at < sizeof *ret)
        return false;
    memcpy(ret, c->reply.data + c->at, sizeof *ret);
    c->at += sizeof *ret;
    return true;
}

static bool next_text(struct tch_dwarf_child *c, const char **ret)
{
    uint32_t len;

    *ret = NULL;
    if (!next_u32(c, &len))
        return false;
    if (len == TCH_DWARF_NO_TEXT)
        return true;
    if (len >= c->reply.len - c->at || c->reply.data[c->at + len] != '\0')
        return false;
    *ret = c->reply.data + c->at;
    c->at += (size_t)len + 1;
    return true;
}

size_t tch_dwarf_child_next(struct tch_dwarf_child *child, struct tch_scope *ret)
{
    uint32_t count;

    if (!next_u32(child, &count) || count > TCH_INLINE_DEEPEST)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line;

        if (!next_u32(child, &line) || !next_text(child, &ret[i].name) ||
            !next_text(child, &ret[i].file)) {
            child->at = child->reply.len; /* the rest of the answer cannot be parsed */
            return 0;
        }
        ret[i].line = (int)line;
    }
    return count;
}
