/* The process that reads debug information: see dwarf_process.h. */
#include "dwarf_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "dwarf_child.h"
#include "kit/symbol/object/symbol_budget.h"
#include "process/limited_child.h"
#include "symbol_demangle.h"

enum {
    MEMORY_BASE = 256 << 20, /* bytes of memory that the process may use */
    /* Further bytes of memory for each byte of a file; compressed sections have a fifth of their
       size. */
    MEMORY_PER_BYTE = 12,
    SECONDS_BASE = 3,           /* seconds of CPU time that the process may use, */
    BYTES_PER_SECOND = 4 << 20, /* plus one for this many bytes of all files, */
    SECONDS_MAX = 120,          /* and never more than this */
    SOCKET = 3,
    NOBODY = 65534,
    EXIT_MEMORY = 3,
};

struct server {
    uint32_t *object;
    uint64_t memory; /* bytes that the process had at first */
    uint64_t bytes;  /* data of all files so far, without holes */
    struct tch_dwarf **list;
    size_t cap;
    struct tch_buf reply;
};

/* Permanently drops all privileges of this process, as far as the kernel allows. */
static void drop_privileges(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}, {0}};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (geteuid() == 0) {
        /* System calls, because the functions of the C library would signal other threads. */
        syscall(SYS_setgroups, 0, NULL);
        syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
        syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
    }
    syscall(SYS_capset, &head, none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    tch_child_limit(RLIMIT_CORE, 0);
    tch_child_limit(RLIMIT_FSIZE, 0);
    tch_child_limit(RLIMIT_NPROC, 0);
}

/* Closes all descriptors but the socket, and resets the signal handlers of the parent. */
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
        signal(ignored[i], SIG_IGN); /* only the parent decides when this process exits */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "tacho-symbols", 0, 0, 0);
}

/* Reads a request and the descriptor that may come with it. */
static bool receive(struct tch_dwarf_request *request, int *fd)
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

/* Exits instead of sending an incomplete answer. An allocation that failed inside libdw shows in
   errno. */
static void check_memory(const struct tch_dwarf *dwarf)
{
    if (errno == ENOMEM || (dwarf && tch_dwarf_no_memory(dwarf)))
        _exit(EXIT_MEMORY);
}

static void set_limits(const struct server *s)
{
    uint64_t memory = MEMORY_BASE + s->bytes * MEMORY_PER_BYTE;
    uint64_t most = tch_symbol_memory_dwarf();
    uint64_t seconds = SECONDS_BASE + s->bytes / BYTES_PER_SECOND;

    tch_child_limit(RLIMIT_DATA, s->memory + (memory < most ? memory : most));
    tch_child_limit(RLIMIT_CPU, seconds < SECONDS_MAX ? seconds : SECONDS_MAX);
}

static void serve_open(struct server *s, uint32_t object, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_size > 0)
        s->bytes += tch_data_bytes(fd, 0, (uint64_t)st.st_size);
    set_limits(s);
    if (tch_array_reserve_zero(&s->list, &s->cap, (size_t)object + 1) < 0)
        _exit(EXIT_MEMORY);
    errno = 0;
    s->list[object] = tch_dwarf_open(fd);
    check_memory(s->list[object]);
}

static void add_text(struct tch_buf *b, const char *text)
{
    uint32_t len = text ? (uint32_t)strlen(text) : TCH_DWARF_NO_TEXT;

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

static void serve_find(struct server *s, const struct tch_dwarf_request *request)
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
    char name[TCH_DWARF_NAME_LONGEST + 1];
    char *text;

    if (len > TCH_DWARF_NAME_LONGEST || recv(SOCKET, name, len, MSG_WAITALL) != (ssize_t)len)
        _exit(0);
    name[len] = '\0';
    errno = 0;
    text = tch_demangle(name);
    check_memory(NULL);
    tch_buf_clear(&s->reply);
    if (text)
        tch_buf_add(&s->reply, text, strnlen(text, TCH_DWARF_NAME_LONGEST));
    free(text);
    send_reply(s);
}

_Noreturn void tch_dwarf_process_serve(int socket, uint32_t *object)
{
    struct server s = {.object = object};
    struct tch_dwarf_request request;
    int fd;

    enter_child(socket);
    s.memory = tch_child_memory();
    drop_privileges();
    set_limits(&s);
    tch_buf_init(&s.reply, TCH_DWARF_REPLY_MAX);
    while (receive(&request, &fd)) {
        *object = request.object;
        if (request.kind == TCH_DWARF_OPEN && fd >= 0)
            serve_open(&s, request.object, fd);
        else if (request.kind == TCH_DWARF_FIND)
            serve_find(&s, &request);
        else if (request.kind == TCH_DWARF_NAME)
            serve_name(&s, request.count);
    }
    _exit(0);
}
