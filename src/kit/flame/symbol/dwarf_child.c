/*
 * libdw reads debug information in a child process. A file may make libdw crash, use gigabytes or
 * run for minutes; then the child dies and the capture continues without inlined functions. C++
 * names that may grow without bounds are demangled there, too.
 *
 *     parent                                 child
 *     tch_dwarf_child_open:  OPEN, file  ->  tch_dwarf_open()
 *     tch_dwarf_child_find:  FIND        ->  tch_dwarf_find() for each query
 *                                        <-  length, then the functions of all queries
 *     tch_dwarf_child_demangle:  NAME    ->  tch_demangle()
 *                                        <-  length, then the text
 *
 * The child is forked before there are events, threads and much memory. It has no privileges, no
 * descriptors but the socket and the files that it is sent, and limits of memory and CPU time that
 * grow with the size of those files. The page that both share has the number of the object that it
 * works on, so that a death can be explained. The parent believes nothing: it checks every length.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/number.h"
#include "symbol_debug.h"
#include "symbol_demangle.h"

enum { OPEN = 1, FIND = 2, NAME = 3 };

enum {
    MEMORY_BASE = 256 << 20, /* bytes for the child, */
    MEMORY_PER_BYTE = 12,    /* and for each byte of a file; compressed sections are a fifth */
    SECONDS_BASE = 3,        /* of CPU time, */
    BYTES_PER_SECOND = 4 << 20,
    WAIT_SECONDS = 60, /* for an answer, however busy the machine is */
    REPLY_MAX = 64 << 20,
    NAME_LONGEST = 1 << 16, /* bytes of a name, either way */
    SOCKET = 3,
    NOBODY = 65534,
    EXIT_MEMORY = 3,
};

static const uint32_t no_text = UINT32_MAX;

struct request {
    uint32_t kind;
    uint32_t object; /* OPEN */
    uint32_t count;  /* FIND: queries that follow; NAME: bytes */
    uint32_t lines;
};

struct tch_dwarf_child {
    int socket;
    int pidfd;
    uint32_t *object; /* shared: what the child works on */
    struct tch_buf reply;
    size_t at; /* in reply: the next query's answer */
    struct tch_buf name;
    bool late;       /* killed for having not answered in time */
    const char *why; /* it died, or NULL */
};

/* The child. */

struct server {
    uint32_t *object;
    uint64_t memory; /* limit of RLIMIT_DATA */
    uint64_t bytes;  /* of all files so far */
    struct tch_dwarf **list;
    size_t cap;
    struct tch_buf reply;
};

static void set_limit(int resource, uint64_t value)
{
    struct rlimit limit;

    if (getrlimit((__rlimit_resource_t)resource, &limit) == 0 && value < limit.rlim_max) {
        limit.rlim_cur = value;
        setrlimit((__rlimit_resource_t)resource, &limit);
    }
}

/* Bytes of memory that the process has before it does anything, such as that of a sanitizer. */
static uint64_t used_memory(void)
{
    enum { DATA = 5 }; /* the number of the field, from 0 on */
    char text[128] = "";
    const char *at = text;
    uint64_t pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    for (int i = 0; n > 0 && i < DATA && *at; i++)
        at += strcspn(at, " ") + 1;
    if (n <= 0 || tch_parse_u64_n(at, strcspn(at, " "), UINT64_MAX >> 20, &pages) < 0)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Gives up for good whatever this process may do that an unknown user may not. */
static void drop_privileges(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}, {0}};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (geteuid() == 0) {
        /* Not by the functions of the C library, which would tell other threads. */
        syscall(SYS_setgroups, 0, NULL);
        syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
        syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
    }
    syscall(SYS_capset, &head, none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, 0);
    set_limit(RLIMIT_NPROC, 0);
}

/* Keeps the socket alone, and no handler of the program that we are in. */
static void enter_child(int socket)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    int null = open("/dev/null", O_RDWR);
    sigset_t none;

    for (int i = 0; i < 3; i++)
        dup2(null, i);
    if (socket != SOCKET)
        dup2(socket, SOCKET);
    syscall(SYS_close_range, SOCKET + 1, ~0u, 0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN); /* the parent decides when this ends */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "tacho-symbols", 0, 0, 0);
}

/* Reads a request and the descriptor that may come with it. */
static bool receive(struct request *request, int *fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    const struct cmsghdr *head;
    ssize_t n;

    do
        n = recvmsg(SOCKET, &message, MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    *fd = -1;
    if (n != sizeof *request)
        return false;
    head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(head), sizeof *fd);
    return true;
}

/* Exits rather than give an answer that lacks something. An allocation that failed inside of libdw
   shows in errno. */
static void check_memory(const struct tch_dwarf *dwarf)
{
    if (errno == ENOMEM || (dwarf && tch_dwarf_no_memory(dwarf)))
        _exit(EXIT_MEMORY);
}

static void set_limits(const struct server *s)
{
    set_limit(RLIMIT_DATA, s->memory + s->bytes * MEMORY_PER_BYTE);
    set_limit(RLIMIT_CPU, SECONDS_BASE + s->bytes / BYTES_PER_SECOND);
}

static void serve_open(struct server *s, uint32_t object, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_size > 0)
        s->bytes += (uint64_t)st.st_size;
    set_limits(s);
    if (tch_array_reserve_zero(&s->list, &s->cap, (size_t)object + 1) < 0)
        _exit(EXIT_MEMORY);
    errno = 0;
    s->list[object] = tch_dwarf_open(fd);
    check_memory(s->list[object]);
}

static void add_text(struct tch_buf *b, const char *text)
{
    uint32_t len = text ? (uint32_t)strlen(text) : no_text;

    tch_buf_add(b, &len, sizeof len);
    if (text)
        tch_buf_add(b, text, (size_t)len + 1);
}

static void serve_query(struct server *s, const struct tch_dwarf_query *q, bool lines)
{
    struct tch_scope scopes[TCH_INLINE_DEEPEST];
    struct tch_dwarf *dwarf = q->object < s->cap ? s->list[q->object] : NULL;
    uint32_t count = 0;

    *s->object = q->object;
    errno = 0;
    if (dwarf)
        count = (uint32_t)tch_dwarf_find(dwarf, q->addr, lines, scopes);
    check_memory(dwarf);
    tch_buf_add(&s->reply, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        int32_t line = scopes[i].line;

        tch_buf_add(&s->reply, &line, sizeof line);
        add_text(&s->reply, scopes[i].name);
        add_text(&s->reply, scopes[i].file);
    }
}

static void send_reply(const struct server *s)
{
    uint32_t len = (uint32_t)s->reply.len;

    if (s->reply.failed)
        _exit(EXIT_MEMORY);
    if (send(SOCKET, &len, sizeof len, MSG_NOSIGNAL) != sizeof len ||
        send(SOCKET, s->reply.data, len, MSG_NOSIGNAL) != (ssize_t)len)
        _exit(0);
}

static void serve_find(struct server *s, const struct request *request)
{
    struct tch_dwarf_query queries[TCH_DWARF_QUERIES];
    size_t bytes = request->count * sizeof queries[0];

    if (request->count > TCH_DWARF_QUERIES ||
        recv(SOCKET, queries, bytes, MSG_WAITALL) != (ssize_t)bytes)
        _exit(0);
    tch_buf_clear(&s->reply);
    for (uint32_t i = 0; i < request->count; i++)
        serve_query(s, &queries[i], request->lines);
    send_reply(s);
}

static void serve_name(struct server *s, uint32_t len)
{
    char name[NAME_LONGEST + 1];
    char *text;

    if (len > NAME_LONGEST || recv(SOCKET, name, len, MSG_WAITALL) != (ssize_t)len)
        _exit(0);
    name[len] = '\0';
    errno = 0;
    text = tch_demangle(name);
    check_memory(NULL);
    tch_buf_clear(&s->reply);
    if (text)
        tch_buf_add(&s->reply, text, strnlen(text, NAME_LONGEST));
    free(text);
    send_reply(s);
}

static _Noreturn void serve(int socket, uint32_t *object)
{
    struct server s = {.object = object};
    struct request request;
    int fd;

    enter_child(socket);
    s.memory = used_memory() + MEMORY_BASE;
    drop_privileges();
    set_limits(&s);
    tch_buf_init(&s.reply, REPLY_MAX);
    while (receive(&request, &fd)) {
        *object = request.object;
        if (request.kind == OPEN && fd >= 0)
            serve_open(&s, request.object, fd);
        else if (request.kind == FIND)
            serve_find(&s, &request);
        else if (request.kind == NAME)
            serve_name(&s, request.count);
    }
    _exit(0);
}

/* The parent. */

struct tch_dwarf_child *tch_dwarf_child_start(void)
{
    struct tch_dwarf_child *c = calloc(1, sizeof *c);
    int ends[2] = {-1, -1};
    sigset_t all;
    sigset_t before;
    pid_t pid = -1;

    if (!c)
        return NULL;
    c->pidfd = -1;
    tch_buf_init(&c->reply, REPLY_MAX);
    tch_buf_init(&c->name, NAME_LONGEST);
    c->object =
        mmap(NULL, sizeof *c->object, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->object != MAP_FAILED && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of ours runs in the child */
        pid = fork();
        if (pid == 0)
            serve(ends[1], c->object);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        close(ends[1]);
    }
    c->socket = ends[0];
    if (pid > 0)
        c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (c->pidfd >= 0)
        return c;
    tch_dwarf_child_close(c);
    if (pid > 0) /* it sees the end of the socket */
        waitpid(pid, NULL, 0);
    return NULL;
}

void tch_dwarf_child_end(struct tch_dwarf_child *child)
{
    siginfo_t info = {0};

    if (child->pidfd < 0)
        return;
    syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
    /* Others may have waited for it. */
    while (waitid(P_PIDFD, (id_t)child->pidfd, &info, WEXITED) < 0 && errno == EINTR)
        ;
    close(child->pidfd);
    child->pidfd = -1;
    if (!child->why)
        return;
    if (child->late || (info.si_code == CLD_KILLED && info.si_status == SIGXCPU))
        child->why = "took too long";
    else if (info.si_code == CLD_EXITED)
        child->why = "needed too much memory";
}

void tch_dwarf_child_close(struct tch_dwarf_child *child)
{
    if (!child)
        return;
    tch_dwarf_child_end(child);
    if (child->socket >= 0)
        close(child->socket);
    if (child->object != MAP_FAILED)
        munmap(child->object, sizeof *child->object);
    tch_buf_release(&child->reply);
    tch_buf_release(&child->name);
    free(child);
}

const char *tch_dwarf_child_dead(const struct tch_dwarf_child *child, uint32_t *object)
{
    *object = *child->object;
    return child->why;
}

static uint64_t deadline(void)
{
    return tch_now_ns() + WAIT_SECONDS * UINT64_C(1000000000);
}

static bool fail(struct tch_dwarf_child *c)
{
    if (!c->why) {
        c->why = "failed";
        tch_dwarf_child_end(c);
    }
    return false;
}

/* Waits until the socket can be read or written; the end of the child is no success. */
static bool wait_socket(struct tch_dwarf_child *c, short events, uint64_t until)
{
    for (;;) {
        struct pollfd p = {.fd = c->socket, .events = events};
        uint64_t now = tch_now_ns();
        int n = poll(&p, 1, now < until ? (int)((until - now) / 1000000) + 1 : 0);

        if (n > 0)
            return true; /* what is wrong with it shows when it is used */
        if (n < 0 && errno != EINTR)
            return false;
        c->late = n == 0 && now >= until;
        if (c->late)
            return false;
    }
}

static bool send_all(struct tch_dwarf_child *c, const struct request *request, const void *data,
                     size_t len, int fd, uint64_t until)
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
        ssize_t n = sendmsg(c->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (n < 0 && !wait_socket(c, POLLOUT, until))
            return false;
        if (n <= 0)
            continue;
        sent += (size_t)n;
        message.msg_control = NULL; /* the file went with the first bytes */
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
        ssize_t n = recv(c->socket, data, len < sizeof data ? len : sizeof data, MSG_DONTWAIT);

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

/* Sends a request and reads its answer into b. */
static bool ask(struct tch_dwarf_child *c, const struct request *request, const void *data,
                size_t len, struct tch_buf *b)
{
    uint64_t until = deadline();
    uint32_t answer;

    tch_buf_clear(b);
    if (c->why || !send_all(c, request, data, len, -1, until) ||
        !receive_all(c, b, sizeof answer, until))
        return fail(c);
    memcpy(&answer, b->data, sizeof answer);
    tch_buf_clear(b);
    return (answer <= REPLY_MAX && receive_all(c, b, answer, until)) || fail(c);
}

bool tch_dwarf_child_open(struct tch_dwarf_child *child, uint32_t object, int fd)
{
    struct request request = {.kind = OPEN, .object = object};
    bool ok = !child->why && send_all(child, &request, "", 0, fd, deadline());

    close(fd);
    return ok || fail(child);
}

bool tch_dwarf_child_find(struct tch_dwarf_child *child, const struct tch_dwarf_query *queries,
                          size_t count, bool lines)
{
    struct request request = {
        .kind = FIND, .object = queries[0].object, .count = (uint32_t)count, .lines = lines};

    child->at = 0;
    return ask(child, &request, queries, count * sizeof *queries, &child->reply);
}

const char *tch_dwarf_child_demangle(struct tch_dwarf_child *child, uint32_t object,
                                     const char *name)
{
    struct request request = {.kind = NAME, .object = object, .count = (uint32_t)strlen(name)};

    if (strlen(name) > NAME_LONGEST || !ask(child, &request, name, request.count, &child->name))
        return NULL;
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
    if (len == no_text)
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
            child->at = child->reply.len; /* nothing more makes sense */
            return 0;
        }
        ret[i].line = (int)line;
    }
    return count;
}
