/* Runs external profilers. */
#include "backend_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "kit/flame/draw/file_label.h"
#include "kit/flame/read/profile_read.h"
#include "kit/text/xml.h"
#include "process/exit_text.h"
#include "process/spawn.h"
#include "process/tree.h"

enum {
    SVG_MAX = 256 << 20,
    LAST_MS = 30000, /* time for a profiler to write its recording */
};

static const char *tool_name(const struct tch_tool *tool)
{
    return tool->name ? tool->name : tool->argv[0];
}

int tch_tool_start(struct tch_tool *tool, tacho_error *err)
{
    struct tch_spawn spawn = {.argv = tool->argv, .cwd = tool->cwd, .extra_env = tool->env};
    tacho_error why;
    int theirs = -1;
    int ends[2];
    int status;

    tool->tail[0] = '\0';
    /* The messages of a tool that runs the user's command come through a pipe and are shown at
       once. Those of other tools are kept and shown only if the tool fails. */
    if (!tool->command) {
        theirs = tool->messages = memfd_create("messages", MFD_CLOEXEC);
    } else if (pipe2(ends, O_CLOEXEC) == 0) {
        tool->messages = ends[0];
        theirs = ends[1];
    }
    if (theirs < 0)
        return tch_fail_errno(err, errno, "cannot create a pipe for '%s'", tool->argv[0]);
    if (!tool->command || tool->in >= 0)
        spawn.io[0] =
            (struct tch_io){.kind = tool->in < 0 ? TCH_IO_NULL : TCH_IO_FD, .fd = tool->in};
    if (tool->command) /* the tool itself prints to standard error only */
        spawn.io[1] = tch_capture_output(tool->command);
    else if (tool->out >= 0)
        spawn.io[1] = (struct tch_io){.kind = TCH_IO_FD, .fd = tool->out};
    spawn.io[2] = (struct tch_io){.kind = TCH_IO_FD, .fd = theirs};
    if (tool->command) {
        status = tch_keep(&tool->command->keeper, &spawn, &why);
        tool->pid = tool->command->keeper.pid;
    } else {
        status = tch_spawn(&spawn, &tool->pid, &why);
    }
    if (theirs != tool->messages)
        close(theirs);
    if (status == 0)
        return 0;
    close(tool->messages);
    return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, tool_name(tool), &why);
}

/* Keeps the end of the tool's messages. */
static void keep_tail(struct tch_tool *tool, const char *text, size_t len)
{
    size_t have = strlen(tool->tail);
    size_t room = sizeof tool->tail - 1;

    if (len > room) {
        text += len - room;
        len = room;
    }
    if (have + len > room) {
        size_t drop = have + len - room;

        memmove(tool->tail, tool->tail + drop, have - drop);
        have -= drop;
    }
    memcpy(tool->tail + have, text, len);
    tool->tail[have + len] = '\0';
    for (size_t i = have; i < have + len; i++)
        if (tool->tail[i] == '\0')
            tool->tail[i] = '?';
}

/* Passes on one piece from the pipe. Returns false at its end. */
static bool pass_messages(struct tch_tool *tool)
{
    char text[4096];
    ssize_t n = read(tool->messages, text, sizeof text);

    if (n <= 0)
        return n < 0 && errno == EINTR;
    tch_write_all(STDERR_FILENO, "stderr", text, (size_t)n, NULL);
    keep_tail(tool, text, (size_t)n);
    return true;
}

/* Passes messages on until the tool has exited or the time is over. A child of the command may keep
   the pipe open after the tool has exited. Returns false when the tool must be stopped. */
static bool follow_until(struct tch_tool *tool, struct pollfd p[3], uint64_t until)
{
    while (!p[1].revents && !p[2].revents && tch_now_ns() < until) {
        uint64_t left = (until - tch_now_ns()) / 1000000 + 1;

        poll(p, 3, (int)(left < 1000 ? left : 1000));
        if (p[0].revents && !pass_messages(tool))
            p[0].fd = -1;
        if (p[1].fd < 0 && p[0].fd < 0)
            return true;
    }
    p[2].fd = -1;
    p[2].revents = 0;
    return p[1].revents != 0;
}

/* Waits until the tool exits, and stops it when it is time. It first interrupts the tool, which
   lets it write its recording. Then it kills the tool's descendants, because the command may ignore
   the interrupt. At last it kills the tool. */
static void follow_tool(struct tch_tool *tool)
{
    const tacho_flame_request *r = &tool->command->request;
    uint64_t until = r->duration_ns > 0 ? tch_now_ns() + r->duration_ns : UINT64_MAX;
    int pidfd = (int)syscall(SYS_pidfd_open, tool->pid, 0);
    struct pollfd p[] = {{.fd = tool->messages, .events = POLLIN},
                         {.fd = pidfd, .events = POLLIN},
                         {.fd = r->stop_fd, .events = POLLIN}};
    struct tch_tree tree = {.keeper = tch_capture_adopter(tool->command)};
    unsigned times = 0;

    for (; !follow_until(tool, p, until); times++) {
        tch_tree_find(&tree, tool->pid);
        if (times == 0)
            kill(tool->pid, SIGINT);
        else
            tch_tree_signal(&tree, SIGKILL, times > 1);
        until = tch_now_ns() + (times == 1 ? LAST_MS : TCH_TREE_GRACE_MS) * (uint64_t)1000000;
    }
    tool->terminated = times > 0 && !tch_capture_stopped(tool->command);
    if (times > 0 || tch_capture_stopped(tool->command)) {
        /* The command becomes an orphan when its profiler exits. */
        tch_tree_find(&tree, tool->pid);
        tch_tree_end(&tree, 0, TCH_TREE_GRACE_MS);
    }
    tch_tree_release(&tree);
    while (p[0].fd >= 0 && poll(p, 1, 0) > 0 && pass_messages(tool))
        ;
    if (pidfd >= 0)
        close(pidfd);
}

int tch_tool_wait(struct tch_tool *tool, tacho_error *err)
{
    struct tch_spawn_end end = {0};
    int status;

    if (tool->command) {
        follow_tool(tool);
        status = tch_keeper_wait(&tool->command->keeper, UINT64_MAX, &end, err);
        tch_keeper_close(&tool->command->keeper);
        status = status < 0 ? status : 0;
    } else {
        status = tch_spawn_wait(tool->pid, &end, err);
    }
    if (!tool->command) {
        off_t size = lseek(tool->messages, 0, SEEK_END);
        off_t from = size > TCH_TOOL_TAIL - 1 ? size - (TCH_TOOL_TAIL - 1) : 0;
        char text[TCH_TOOL_TAIL];
        ssize_t n = pread(tool->messages, text, sizeof text - 1, from);

        keep_tail(tool, text, n > 0 ? (size_t)n : 0);
    }
    close(tool->messages);
    tool->status = end.status;
    return status;
}

int tch_tool_failed(const struct tch_tool *tool, tacho_error *err)
{
    char reason[TCH_TOOL_TAIL + 64];
    char how[TCH_EXIT_TEXT];
    size_t room =
        sizeof err->message - sizeof "profiler command failed: : " - strlen(tool_name(tool));
    char *last = reason;
    size_t len;

    if (strspn(tool->tail, " \t\r\n") < strlen(tool->tail))
        snprintf(reason, sizeof reason, "%s", tool->tail + strspn(tool->tail, " \t\r\n"));
    else
        snprintf(reason, sizeof reason, "%s",
                 tch_exit_text(tool->status, "killed by", "exited with", how));
    for (char *p = reason; *p; p++)
        if (*p == '\n' || *p == '\r' || *p == '\t')
            *p = ' ';
    for (len = strlen(reason); len > 0 && reason[len - 1] == ' ';)
        reason[--len] = '\0';
    if (len > room) { /* the cause is at the end: it starts with "..." and a whole word */
        last = reason + len - room + 3;
        last += strcspn(last, " ");
        last -= 3;
        memcpy(last, "...", 3);
    }
    return tacho_flame_fail(err, TACHO_FLAME_COMMAND_FAILED, tool_name(tool), last);
}

int tch_tool_finish(struct tch_tool *tool, int status, tacho_error *err)
{
    int waited = tch_tool_wait(tool, status == 0 ? err : NULL);

    if (status == 0)
        status = waited;
    return status == 0 && tool->status != 0 ? tch_tool_failed(tool, err) : status;
}

int tch_tool_run(struct tch_tool *tool, tacho_error *err)
{
    int status = tch_tool_start(tool, err);

    return status < 0 ? status : tch_tool_finish(tool, 0, err);
}

int tch_tool_probe(const char *name, tacho_error *err)
{
    char path[PATH_MAX];

    if (tch_find_program(name, path, sizeof path, NULL) == 0)
        return 0;
    return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                    "there is no program '%s' on PATH; install it, or use "
                    "--profiler native",
                    name);
}

int tch_tool_file(const struct tch_capture *c, const char *name, char *ret, size_t size,
                  tacho_error *err)
{
    char *folder = realpath(c->folder, NULL);
    int len = folder ? snprintf(ret, size, "%s/.tacho-%d.%s", folder, (int)getpid(), name) : -1;

    if (!folder)
        return tch_fail_errno(err, errno, "cannot find the folder '%s'", c->folder);
    free(folder);
    if (len < 0 || (size_t)len >= size)
        return tch_fail(err, TACHO_EINVAL, 0, "the name of the folder '%s' is too long", c->folder);
    return 0;
}

int tch_tool_create(const char *path, int *ret, tacho_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot create '%s'", path);
    *ret = fd;
    return 0;
}

int tch_tool_read(struct tch_capture *c, int fd, const char *name, int kind, tacho_error *err)
{
    struct tch_flame_read_options options = {.kind = (enum tch_read_kind)kind,
                                             .mark_kernel = true,
                                             .mark_jit = true,
                                             .mark_inlined = true};
    struct tch_flame_reader reader;
    int status;

    options.tid = (c->request.flags & TACHO_FLAME_PER_THREAD) != 0;
    tch_read_init(&reader, &c->stacks, &options);
    status = tch_read_fd(&reader, fd, name, err);
    c->result.samples = tch_read_samples(&reader);
    tch_read_unit(&reader, c->unit, sizeof c->unit);
    c->count_name = c->unit;
    c->measure = "cpu";
    tch_read_release(&reader);
    return status;
}

int tch_tool_read_file(struct tch_capture *c, const char *path, int kind, tacho_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int status;

    if (fd < 0)
        return tacho_flame_fail(err, TACHO_FLAME_NO_OUTPUT, NULL, NULL);
    status = tch_tool_read(c, fd, path, kind, err);
    close(fd);
    return status;
}

static int write_marked(struct tch_replace *file, const struct tch_buf *svg,
                        const struct tch_buf *mark, tacho_error *err)
{
    /* A processing instruction comes after the XML declaration, if there is one. */
    const char *end = strncmp(svg->data, "<?xml", 5) == 0 ? strstr(svg->data, "?>") : NULL;
    size_t at = end ? (size_t)(end - svg->data) + 2 : 0;
    int status = tch_replace_write(file, svg->data, at, err);

    if (status < 0)
        return status;
    status = tch_replace_write(file, mark->data, mark->len, err);
    if (status < 0)
        return status;
    return tch_replace_write(file, svg->data + at, svg->len - at, err);
}

int tch_tool_adopt_text(struct tch_capture *c, const struct tch_buf *svg, tacho_error *err)
{
    struct tch_buf mark;
    struct tch_replace file;
    tacho_error why = {.message = ""};
    int status;

    if (!strstr(svg->data, "<svg"))
        return tacho_flame_fail(err, TACHO_FLAME_NO_OUTPUT, NULL, NULL);
    tch_buf_init(&mark, 1 << 20);
    tch_buf_adds(&mark, "<?tacho class=\"tacho-flame\" data-label=\"");
    tch_xml_add_line(&mark, c->label, strlen(c->label));
    tch_buf_adds(&mark, "\"?>");
    status = tch_label_replace(&file, c->svg_path.data, &why);
    if (status == 0) {
        status = write_marked(&file, svg, &mark, &why);
        if (status == 0)
            status = tch_label_keep_previous(c->svg_path.data, &c->result.previous_path, &why);
        if (status == 0)
            status = tch_replace_commit(&file, &why);
        tch_replace_abort(&file);
    }
    tch_buf_release(&mark);
    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_WRITE_SVG, c->svg_path.data, &why);
    c->drawn = true;
    return 0;
}

int tch_tool_adopt(struct tch_capture *c, const char *from, const char *program, tacho_error *err)
{
    struct tch_buf svg;
    tacho_error why;
    int status;

    tch_buf_init(&svg, SVG_MAX);
    status = tch_file_read(from, SVG_MAX, &svg, &why);
    if (status < 0)
        status = why.system_errno == ENOENT
                     ? tacho_flame_fail(err, TACHO_FLAME_NO_OUTPUT, NULL, NULL)
                     : tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, program, &why);
    else
        status = tch_tool_adopt_text(c, &svg, err);
    tch_buf_release(&svg);
    unlink(from);
    return status;
}
