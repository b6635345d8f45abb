/* Captures with dtrace, as on macOS. dtrace aggregates user stacks; tacho reads and draws them. */
#include "backend_dtrace.h"

#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text_span.h"
#include "kit/flame/read/profile_read.h"

enum { COMMAND_MAX = 64 << 10 };

/* Writes "profile-997 /execname == "NAME"/ { @[ustack(100)] = count(); }". */
static int make_script(const tacho_flame_request *r, struct tch_buf *b, tacho_error *err)
{
    struct tch_span name = tch_span_base((struct tch_span){r->argv[0], strlen(r->argv[0])});

    if (memchr(name.p, '"', name.len) || memchr(name.p, '\\', name.len))
        return tch_fail(err, TACHO_EINVAL, 0, "dtrace cannot profile a program called '%s'",
                        r->argv[0]);
    tch_buf_addf(b, "profile-%u /execname == \"%.*s\"/ { @[ustack(100)] = count(); }",
                 (unsigned)r->rate, (int)name.len, name.p);
    return 0;
}

/* Joins the words of the command by blanks, at which dtrace splits them again. Some versions do not
   support quotes, others treat a backslash as one, so a word with a blank or a backslash cannot be
   passed. */
static int join_command(const tacho_flame_request *r, struct tch_buf *b, tacho_error *err)
{
    for (size_t i = 0; r->argv[i]; i++) {
        if (!r->argv[i][0] || strpbrk(r->argv[i], " \t\n\v\f\r\\"))
            return tch_fail(
                err, TACHO_EINVAL, 0,
                "dtrace cannot pass on the argument '%.80s', because it splits its command at "
                "blanks; put the command into a script, or use another profiler",
                r->argv[i]);
        tch_buf_addf(b, "%s%s", i > 0 ? " " : "", r->argv[i]);
    }
    return 0;
}

int tch_dtrace_record(struct tch_capture *c, const char *data, tacho_error *err)
{
    const tacho_flame_request *r = &c->request;
    struct tch_buf script;
    struct tch_buf command;
    int status;

    tch_buf_init(&script, COMMAND_MAX);
    tch_buf_init(&command, COMMAND_MAX);
    status = make_script(r, &script, err);
    if (status == 0)
        status = join_command(r, &command, err);
    if (status == 0 && (script.failed || command.failed))
        status = tch_fail(err, TACHO_EINVAL, 0, "the command is too long for dtrace");
    if (status == 0) {
        const char *const argv[] = {"dtrace",    "-x", "ustackframes=100", "-n",
                                    script.data, "-c", command.data,       "-o",
                                    data,        NULL};
        struct tch_tool tool = {
            .argv = argv, .cwd = r->cwd, .env = r->env, .in = -1, .out = -1, .command = c};

        status = tch_tool_run(&tool, err);
        c->ended_ns = tch_now_ns();
        if (status == 0)
            c->result.wait_status = tch_tool_wait_status(&tool);
    }
    tch_buf_release(&script);
    tch_buf_release(&command);
    return status;
}

static int capture(struct tch_capture *c, tacho_error *err)
{
    char data[PATH_MAX];
    int status = tch_tool_file(c, "dtrace-stacks.txt", data, sizeof data, err);

    if (status < 0)
        return status;
    status = tch_dtrace_record(c, data, err);
    if (status == 0)
        status = tch_tool_read_file(c, data, TCH_READ_DTRACE, err);
    unlink(data);
    return status;
}

int tch_dtrace_works(tacho_error *err)
{
    static const char *const argv[] = {"dtrace", "-V", NULL};
    struct tch_tool tool = {.argv = argv, .in = -1};
    int status = tch_tool_create("/dev/null", &tool.out, err);

    if (status < 0)
        return status;
    status = tch_tool_run(&tool, err);
    close(tool.out);
    return status;
}

static int probe(tacho_error *err)
{
    return tch_tool_probe("dtrace", err);
}

const struct tch_backend tch_backend_dtrace = {
    .name = "dtrace",
    .used = "dtrace",
    .needs = "dtrace",
    .runs_only = true,
    .own_event = true,
    .cannot = TCH_DTRACE_CANNOT,
    .probe = probe,
    .works = tch_dtrace_works,
    .capture = capture,
};
